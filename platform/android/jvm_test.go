//go:build jvmtest

package android

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain compiles the stand-ins for Android's classes, turns our two classes into ones that a desktop's Java can load
// and verify, and starts it in this process, with the checks of JNI switched on.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "keva-jvm")
	if err == nil {
		err = prepare(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func prepare(dir string) error {
	var sources []string
	err := filepath.WalkDir("stubs", func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".java") {
			sources = append(sources, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	classes, dex, jar := filepath.Join(dir, "classes"), filepath.Join(dir, "classes2.dex"), filepath.Join(dir, "ours.jar")
	for _, cmd := range [][]string{
		append([]string{"javac", "-nowarn", "-Xlint:-options", "-d", classes}, sources...),
		{"smali", "assemble", "--api", "28", "-o", dex, "smali"},
		{"enjarify", "-o", jar, dex},
	} {
		c := exec.Command(cmd[0], cmd[1:]...)
		c.Env = append(os.Environ(), "PATH=/usr/bin:/bin") // Debian's: another Python does not have enjarify's modules
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s (./setup.sh apk installs it)", cmd[0], err, out)
		}
	}
	return boot(classes + ":" + jar)
}

// phone calls a static method of the stand-ins.
func phone(t *testing.T, method string, args ...any) {
	t.Helper()
	if err := run(func(j *thread) { j.call(0, true, "keva/Phone."+method, args) }); err != nil {
		t.Fatal(err)
	}
}

func event(t *testing.T, what string) {
	t.Helper()
	phone(t, "event(Ljava/lang/String;)V", what)
}

// calls is what the stand-ins were called with since the last time.
func calls(t *testing.T) string {
	t.Helper()
	var s string
	if err := run(func(j *thread) { s = j.goString(j.static("keva/Log.drain()Ljava/lang/String;")) }); err != nil {
		t.Fatal(err)
	}
	return s
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func contains(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("want %q in:\n%s", w, got)
		}
	}
}

// ears hears what Java tells.
type ears struct {
	taps   chan Tap
	states chan string
}

func listen(t *testing.T) ears {
	t.Helper()
	e := ears{make(chan Tap, 99), make(chan string, 99)}
	Listen(Listener{Tap: func(p Tap) { e.taps <- p }, Service: func(s ServiceState, d string) { e.states <- strings.TrimSpace(string(s) + " " + d) }})
	t.Cleanup(func() { Listen(Listener{}) })
	return e
}

func (e ears) tap(t *testing.T) Tap {
	t.Helper()
	select {
	case p := <-e.taps:
		return p
	case <-time.After(time.Minute):
		t.Fatal("no tap came through")
		return Tap{}
	}
}

func (e ears) state(t *testing.T, want string) {
	t.Helper()
	select {
	case s := <-e.states:
		if !strings.HasPrefix(s, want) {
			t.Fatalf("service: %q, want %q", s, want)
		}
	case <-time.After(time.Minute):
		t.Fatalf("service never told %q", want)
	}
}

// waitGone waits until the news of the service's end has been taken in.
func waitGone(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		foreground.Lock()
		alive := foreground.alive
		foreground.Unlock()
		if !alive {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the service's end was not taken in")
		}
	}
}

// Start, update and stop, as the real classes and the stand-ins for Android see them.
func TestService(t *testing.T) {
	e := listen(t)
	calls(t)
	ok(t, ShowForeground(Notice{Title: "Keva", Text: "2 runs ü 😀", Stop: true}))
	e.state(t, "started")
	contains(t, calls(t), "channel keva.run/Work in progress/2", "startForegroundService app.keva.RunService",
		"startForeground 42 ch=keva.run title=Keva text=2 runs ü 😀 ongoing=true once=true visibility=0 behaviour=1 opens [Stop]")
	ok(t, ShowForeground(Notice{Title: "Keva", Text: "asks", Stop: true, Request: "r1"}))
	got := calls(t)
	contains(t, got, "channel keva.ask/Keva asks for leave/4", "notify 42 ch=keva.ask title=Keva text=asks ongoing=true once=false", "[Allow once!] [Deny] [Stop]")
	if strings.Contains(got, "startForeground") {
		t.Errorf("an update started the service again:\n%s", got)
	}
	event(t, "removed")
	e.state(t, "task_removed")
	event(t, "bind")
	ok(t, EndForeground())
	e.state(t, "destroyed")
	contains(t, calls(t), "startService app.keva.RunService\n", "startForeground 42", "stopForeground true\nstopSelf\nService.onDestroy")
	ok(t, EndForeground())
	if got := calls(t); got != "" {
		t.Errorf("a second end did something:\n%s", got)
	}
}

// Android forbids, refuses and ends: each is told, and the next start is a start.
func TestServiceTrouble(t *testing.T) {
	e := listen(t)
	event(t, "refuse")
	ok(t, ShowForeground(Notice{Title: "Keva"}))
	e.state(t, "refused java.lang.IllegalArgumentException: null notification")
	e.state(t, "destroyed")
	waitGone(t)
	event(t, "accept")
	calls(t)
	ok(t, ShowForeground(Notice{Title: "Keva"}))
	e.state(t, "started")
	contains(t, calls(t), "startForegroundService")
	event(t, "timeout")
	e.state(t, "timeout")
	e.state(t, "destroyed")
	waitGone(t)
	ok(t, ShowForeground(Notice{Title: "Keva"}))
	e.state(t, "started")
	event(t, "null")
	e.state(t, "destroyed")
	waitGone(t)
	ok(t, ShowForeground(Notice{Title: "Keva"}))
	e.state(t, "started")
	event(t, "background")
	ok(t, EndForeground())
	e.state(t, "destroyed")
	contains(t, calls(t), "stopService app.keva.RunService")
	event(t, "front")
}

// The buttons, tapped: each counts once. Buttons of an earlier notice, and intents that somebody made up, are refused.
func TestAnswers(t *testing.T) {
	e := listen(t)
	tap := func(label string) Tap {
		phone(t, "tap(Ljava/lang/String;)V", label)
		return e.tap(t)
	}
	forge := func(nonce, request, answer any) Tap {
		phone(t, "forge(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)V", nonce, request, answer)
		return e.tap(t)
	}
	ok(t, ShowForeground(Notice{Title: "Keva", Stop: true, Request: "r1"}))
	for _, f := range [][3]any{
		{nil, nil, nil},
		{nil, "r1", "allow_once"},
		{"guess", "r1", "allow_once"},
		{"#", "r1", "allow_once"},
		{received.answers.nonce, "#", "allow_once"},
		{received.answers.nonce, "r1", "#"},
		{received.answers.nonce, "r0", "deny"},
		{received.answers.nonce, "r1", "allow_always"},
		{received.answers.nonce, "r1", "stop"},
	} {
		if got := forge(f[0], f[1], f[2]); got.Refused == "" {
			t.Errorf("forged %v: %+v counts", f, got)
		}
	}
	if got := tap("Allow once"); got.Refused != "" || got.Choice != ChoiceAllowOnce || got.Request != "r1" {
		t.Errorf("allow once: %+v", got)
	}
	for _, label := range []string{"Allow once", "Deny"} {
		if got := tap(label); got.Refused == "" {
			t.Errorf("%s after the answer: %+v counts", label, got)
		}
	}
	ok(t, ShowForeground(Notice{Title: "Keva", Stop: true, Request: "r2"}))
	if got := tap("Deny"); got.Refused != "" || got.Choice != ChoiceDeny || got.Request != "r2" {
		t.Errorf("deny: %+v", got)
	}
	if got := tap("Stop"); got.Refused != "" || got.Choice != ChoiceStop {
		t.Errorf("stop: %+v", got)
	}
	if got := tap("Stop"); got.Refused == "" {
		t.Errorf("stop twice: %+v counts", got)
	}
	ok(t, EndForeground())
	e.state(t, "started")
	e.state(t, "destroyed")
	if got := forge(received.answers.nonce, "r2", "allow_once"); got.Refused == "" {
		t.Errorf("after the end: %+v counts", got)
	}
}

// A tap on a notification whose process is gone must not crash the new one; the notification goes away.
func TestStaleNotification(t *testing.T) {
	calls(t)
	ok(t, run(func(j *thread) { j.static("keva/Phone.stale()Ljava/lang/String;") }))
	contains(t, calls(t), "cancel 42")
}
