package android

import (
	"context"
	"reflect"
	"time"
)

// PackEntry is where the userland lies in the APK (Device.Package): one compressed archive, stored as it is, so that it is
// read in place. An APK without it is a shell.
const PackEntry = "assets/keva-userland.tar.zst"

// Device is where the app runs and what it is.
type Device struct {
	Files, Cache    string // the app's own folders; programs may be run from Files (target 28)
	NativeLibraries string // where lib*.so were unpacked to
	Package         string // the APK, to be read in place
	Version         string // of the app
	VersionCode     int64
	UID             int // which also tells the Android user: UID/100000
	SDK             int // 28 is Android 9
	Release         string
	Manufacturer    string
	Model           string
	ABIs            []string // best first
}

// Notice is what the notification of the service shows.
type Notice struct {
	Title, Text string
	Stop        bool   // offer Stop
	Request     string // offer Allow once and Deny for this approval; "" for none. It alerts the user once.
}

// Proxy is what the user set for the network. An automatic configuration can't be followed, only told.
type Proxy struct {
	Host      string // "" for none
	Port      int
	Exclude   []string // hosts without proxy, "*.example.org"
	AutoURL   string   // of a configuration script; "" for none
	Unknown   bool     // Android did not say
	UnknownBy string   // why
}

// Network is the state of the connection that Android uses now.
type Network struct {
	Connected bool // there is one, with access to the internet as far as it says
	Validated bool // Android reached the internet by it
	Metered   bool
	VPN       bool
	Interface string // "wlan0"
	DNS       []string
	Proxy     Proxy
}

// Memory is that of the whole phone, in bytes.
type Memory struct {
	Total, Available int64
	Threshold        int64 // of Available, below which Android ends apps
	Low              bool  // it is below
}

// Monitor is the state of the phantom process monitor (Android 12 and later), which ends children of apps.
type Monitor int

// Its states. On means that it was not switched off: Android's default from 12 on.
const (
	MonitorUnknown Monitor = iota
	MonitorNone            // this Android has none
	MonitorOn
	MonitorOff // the user switched it off (developer options or adb)
)

// Exit says why an earlier process of the app ended. Reason is a number of android.app.ApplicationExitInfo.
type Exit struct {
	When        time.Time
	PID         int
	Process     string
	Reason      ExitReason
	Status      int // exit status, or number of the signal
	Description string
	RSS         int64 // bytes that were in memory, as last seen; 0 is unknown
}

// ExitReason is ApplicationExitInfo's.
type ExitReason int

// The reasons.
const (
	ExitUnknown             ExitReason = 0
	ExitSelf                ExitReason = 1
	ExitSignaled            ExitReason = 2
	ExitLowMemory           ExitReason = 3
	ExitCrash               ExitReason = 4
	ExitCrashNative         ExitReason = 5
	ExitANR                 ExitReason = 6
	ExitInitFailure         ExitReason = 7
	ExitPermission          ExitReason = 8
	ExitExcessiveResources  ExitReason = 9
	ExitUserRequested       ExitReason = 10
	ExitUserStopped         ExitReason = 11
	ExitDependencyDied      ExitReason = 12
	ExitOther               ExitReason = 13
	ExitFreezer             ExitReason = 14
	ExitPackageStateChanged ExitReason = 15
	ExitPackageUpdated      ExitReason = 16
)

// WatchNetwork calls changed with the state now and after every change, until ctx ends. It asks Android every so often:
// a callback would need a Java class more, and a change is noticed up to every late. An error is told when it begins, and
// when it becomes another one.
func WatchNetwork(ctx context.Context, every time.Duration, changed func(Network, error)) {
	watch(ctx, every, readNetwork, changed)
}

func watch(ctx context.Context, every time.Duration, read func() (Network, error), changed func(Network, error)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	var last Network
	told := "nothing" // the last error's words, "" for none
	for {
		now, err := read()
		words := ""
		if err != nil {
			words = err.Error()
		}
		if ctx.Err() != nil {
			return
		}
		if words != told || err == nil && !reflect.DeepEqual(now, last) {
			changed(now, err)
		}
		last, told = now, words
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
