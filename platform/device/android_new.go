//go:build android

package device

import "os"

// New is this phone. notify shows a notification; it may be nil.
func New(notify func(title, text string)) Device { return NewPhone(os.Getenv("FILESDIR"), notify) }
