//go:build !linux

package secret

// Shield does nothing here: what is in Keva's memory is as safe as in any other program of the user's.
func Shield() error { return nil }
