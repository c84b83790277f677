//go:build jvmtest

package android

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
	"time"
)

func TestDevice(t *testing.T) {
	got, err := ReadDevice()
	ok(t, err)
	want := Device{
		Files: "/data/user/0/app.keva/files", Cache: "/data/user/0/app.keva/cache", NativeLibraries: "/data/app/app.keva/lib/arm64",
		Package: "/data/app/app.keva/base.apk", Version: "1.2.3", VersionCode: 10203, UID: 10234, SDK: 33, Release: "13",
		Manufacturer: "Xiaomi", Model: "Desktop JVM", ABIs: []string{"arm64-v8a", "armeabi-v7a"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestWakeLock(t *testing.T) {
	calls(t)
	w, err := AcquireWakeLock("keva:run")
	ok(t, err)
	contains(t, calls(t), "acquire keva:run counted=false")
	ok(t, w.Release())
	ok(t, w.Release())
	if got := calls(t); got != "release keva:run" {
		t.Errorf("released: %q", got)
	}
}

// An exception names class and call, keeps its words, and leaves the thread usable.
func TestException(t *testing.T) {
	_, err := AcquireWakeLock("")
	var e *Exception
	if !errors.As(err, &e) || e.Class != "java.lang.IllegalArgumentException" || e.Call != "android/os/PowerManager.newWakeLock" {
		t.Fatalf("%#v", err)
	}
	contains(t, e.Message, "Must specify a tag. ü")
	for name, call := range map[string]func(*thread){
		"no such class":  func(j *thread) { j.static("no/Such.thing()V") },
		"no such method": func(j *thread) { j.static("android/os/Build.thing()V") },
		"no such field":  func(j *thread) { j.field(0, "android/os/Build.THING I") },
		"null":           func(j *thread) { j.text(0, "java/lang/Object.toString()Ljava/lang/String;") },
		"a strange type": func(j *thread) { j.static("java/lang/Math.random()D") },
	} {
		if err := run(call); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBattery(t *testing.T) {
	exempt, err := BatteryExempt()
	ok(t, err)
	if exempt {
		t.Error("exempt")
	}
	calls(t)
	ok(t, AskBatteryExemption())
	contains(t, calls(t), "android.settings.REQUEST_IGNORE_BATTERY_OPTIMIZATIONS data=package:app.keva")
}

func TestIntents(t *testing.T) {
	calls(t)
	ok(t, OpenURL("https://example.org/ü"))
	contains(t, calls(t), "android.intent.action.VIEW data=https://example.org/ü")
	var e *Exception
	if err := OpenURL("nope:x"); !errors.As(err, &e) || e.Class != "android.content.ActivityNotFoundException" {
		t.Errorf("nobody opens it: %v", err)
	}
	ok(t, ShareText("hello", "Share"))
	contains(t, calls(t), "CHOOSER", "android.intent.extra.TEXT=hello", "title=Share")
	ok(t, OpenAppSettings())
	ok(t, OpenNotificationSettings())
	contains(t, calls(t), "APPLICATION_DETAILS_SETTINGS data=package:app.keva", "APP_NOTIFICATION_SETTINGS", "APP_PACKAGE=app.keva")
	enabled, err := NotificationsEnabled()
	ok(t, err)
	if !enabled {
		t.Error("not enabled")
	}
	for maker, want := range map[string]bool{"Xiaomi": true, "Samsung": false, "Google": false} {
		known, err := OpenAutostart(maker)
		ok(t, err)
		if known != want {
			t.Errorf("%s: known %v", maker, known)
		}
	}
	contains(t, calls(t), "cls=com.miui.permcenter.autostart.AutoStartManagementActivity", "APPLICATION_DETAILS_SETTINGS")
}

func TestClipboard(t *testing.T) {
	ok(t, SetClipboard("Keva", "ü 😀 \x00 end"))
	got, err := Clipboard()
	ok(t, err)
	if got != "ü 😀 \x00 end" {
		t.Errorf("%q", got)
	}
}

func TestSeal(t *testing.T) {
	plain := []byte("secret ü")
	sealed, err := Seal("k1", plain)
	ok(t, err)
	got, err := Unseal("k1", sealed)
	ok(t, err)
	if !bytes.Equal(got, plain) {
		t.Errorf("%q", got)
	}
	again, err := Seal("k1", plain)
	ok(t, err)
	if bytes.Equal(sealed[:ivSize], again[:ivSize]) {
		t.Error("an initialisation vector was used twice")
	}
	contains(t, calls(t), "key k1 256 purposes=3")
	sealed[len(sealed)-1] ^= 1
	var e *Exception
	if _, err := Unseal("k1", sealed); !errors.As(err, &e) || e.Class != "javax.crypto.AEADBadTagException" {
		t.Errorf("a changed value: %v", err)
	}
	if _, err := Unseal("k1", sealed[:ivSize+tagSize-1]); err == nil {
		t.Error("a cut value is opened")
	}
	if _, err := Unseal("other", again); err == nil {
		t.Error("a key that never was opens")
	}
	empty, err := Seal("k1", nil)
	ok(t, err)
	if got, err := Unseal("k1", empty); err != nil || len(got) != 0 {
		t.Errorf("nothing: %q, %v", got, err)
	}
	ok(t, DeleteKey("k1"))
	if _, err := Unseal("k1", again); err == nil {
		t.Error("a deleted key opens")
	}
}

func TestNetwork(t *testing.T) {
	got, err := ReadNetwork()
	ok(t, err)
	want := Network{
		Connected: true, Validated: true, Metered: true, VPN: true, Interface: "wlan0", DNS: []string{"10.0.0.1", "fe80:0:0:0:0:0:0:1"},
		Proxy: Proxy{Host: "10.1.2.3", Port: 3128, Exclude: []string{"localhost", "*.lan"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	event(t, "offline")
	event(t, "noproxy")
	defer event(t, "online")
	defer event(t, "proxy")
	if got, err = ReadNetwork(); err != nil || !reflect.DeepEqual(got, Network{}) {
		t.Errorf("offline: %+v, %v", got, err)
	}
}

func TestSystem(t *testing.T) {
	m, err := ReadMemory()
	ok(t, err)
	if m != (Memory{8 << 30, 3 << 30, 400 << 20, true}) {
		t.Errorf("%+v", m)
	}
	list, known, err := Exits(5)
	ok(t, err)
	want := Exit{When: time.UnixMilli(1700000000123), PID: 4711, Process: "app.keva", Reason: ExitLowMemory, Status: 9, RSS: 2 << 20}
	if !known || len(list) != 2 || list[0] != want {
		t.Errorf("%v %+v", known, list)
	}
	for value, want := range map[string]Monitor{"monitor=": MonitorOn, "monitor=false": MonitorOff, "monitor=?": MonitorUnknown} {
		event(t, value)
		if got, err := PhantomMonitor(); err != nil || got != want {
			t.Errorf("%s: %v, %v", value, got, err)
		}
	}
}

// On Android 9 nothing is called that came later.
func TestAndroid9(t *testing.T) {
	e := listen(t)
	event(t, "sdk=28")
	defer event(t, "sdk=33")
	if _, known, err := Exits(5); known || err != nil {
		t.Errorf("exits: %v, %v", known, err)
	}
	if got, err := PhantomMonitor(); got != MonitorNone || err != nil {
		t.Errorf("monitor: %v, %v", got, err)
	}
	ok(t, ShowForeground(Notice{Title: "Keva", Request: "r"}))
	contains(t, calls(t), "[Allow once] [Deny]")
	e.state(t, "started")
	ok(t, EndForeground())
	e.state(t, "destroyed")
}
