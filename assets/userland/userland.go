// Package userland embeds what the pack's builder reads: the package list, the lock files, the npm pins, and what is left
// out. Only the builder imports it, so that the app does not carry it.
package userland

import "embed"

// Files are the package list ("packages"), the rules for what is dropped ("drop"), the locks ("ARCH.lock") and the npm
// pins ("npm.json").
//
//go:embed packages drop npm.json *.lock
var Files embed.FS
