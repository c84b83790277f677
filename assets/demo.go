// Package assets holds the data that is built into the program. It must never hold code that does anything: no scripts
// that are run from here, no engine binaries, no secrets.
package assets

import "embed"

// Demo is the demo provider's data: scripts/*.json (what the scripted model says and does, see engines/demo) and project/
// (the sample project of the guided tour).
//
//go:embed demo
var Demo embed.FS
