//go:build android

package android

import (
	"errors"

	"fyne.io/fyne/v2/driver"
)

// attached calls f on a thread that Fyne attaches to Java. ctx is good only until f returns: Android makes the activity anew.
func attached(f func(env, ctx uintptr) error) error {
	return driver.RunNative(func(c any) error {
		a, ok := c.(*driver.AndroidContext)
		if !ok {
			return errors.New("Fyne gave no Android context")
		}
		return f(a.Env, a.Ctx)
	})
}
