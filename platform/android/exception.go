package android

import "strings"

// Exception is a Java exception, or what Go found wrong instead of one.
type Exception struct {
	Call    string // the method, "android/os/PowerManager.newWakeLock"
	Class   string // "java.lang.SecurityException"; "" when it is no exception of Java's
	Message string // in the words of whoever threw it; may be empty
}

func (e *Exception) Error() string {
	parts := []string{e.Call}
	if e.Class != "" {
		parts = append(parts, e.Class)
	}
	if e.Message != "" {
		parts = append(parts, e.Message)
	}
	return strings.Join(parts, ": ")
}
