// Package android reaches the Android framework: the foreground service and its notification, wake lock, key store,
// network, intents, what the system says of itself. It serves the implementation of the host's interface on Android.
//
// Calls go through one small cgo file (bridge.c) that calls any Java method by name; what is called is said in Go, in
// strings that a test holds against Android's published API. Every Java exception is cleared and becomes an *Exception,
// which names class and call. Two Java classes are ours (smali/): a service and a broadcast receiver.
//
// It must know nothing of sessions, engines or the screen, and decide nothing but whether an answer may count.
//
// All functions are for any goroutine, and block until Android has answered, mostly some microseconds. None may be called
// before Fyne's window is there: until then there is no Java to talk to, and an error says so.
package android
