//go:build linux && amd64

// Package box confines one command as Android confines an app, as far as a plain Linux kernel can: namespaces of its own, a
// bare Android-like root without glibc, the app's user id without capabilities, the seccomp policy of a release, and the
// denials of SELinux that have the shape of a system call.
//
// It is for tests. It must never be taken for a device: the README of what it does not model is docs/userland.md. It must
// never run a command less confined than it was asked to; what it can't set up is an error, not a weaker box.
package box

// Places in the box.
const (
	DataDir  = "/data/data/app.keva" // the app's own folder
	FilesDir = DataDir + "/files"
	CacheDir = DataDir + "/cache"
	HomeDir  = FilesDir + "/home"
	TempDir  = CacheDir + "/tmp"
	AppDir   = "/data/app" // where an APK lies: readable, not the app's
)

// AppUID is the user and group id of the app: user 0, application 123.
const AppUID = 10123

// groups are those of an app with network access: inet, everybody, its cache, its shared files.
var groups = []int{3003, 9997, AppUID + 10000, AppUID + 40000}
