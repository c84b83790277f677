package window

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"

	"keva/engines/catalog"
	"keva/platform/settings"
	"keva/platform/store"
	"keva/ui/theme"
)

// app is the real program on a display, with folders of its own.
type app struct {
	t       *testing.T
	home    string // KEVA_HOME
	bus     string // exists once somebody has tried to start a D-Bus
	display *display
	cmd     *exec.Cmd
	ended   chan struct{}
	err     error // of the process, once it has ended
	said    *output
	window  string
}

// output collects what a process prints while others read it.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// choose makes the settings of a device that was used before.
func choose(t *testing.T, home, engine string, mode settings.Theme) {
	t.Helper()
	set(t, home, func(s *settings.Settings) { s.Engine, s.Theme = engine, mode })
}

// set changes the settings of a device on which Keva does not run.
func set(t *testing.T, home string, change func(*settings.Settings)) {
	t.Helper()
	ctx := t.Context()
	st, notices, err := store.Open(ctx, filepath.Join(home, "data"))
	if err != nil || len(notices) > 0 {
		t.Fatal(err, notices)
	}
	var known []settings.Engine
	for _, id := range []string{"claude", "codex"} {
		known = append(known, settings.Engine{ID: id, Kind: catalog.Kind(id)})
	}
	service, notices := settings.Open(ctx, st, known)
	err = service.Update(ctx, change)
	if err := errors.Join(err, st.Close()); err != nil || len(notices) > 0 {
		t.Fatal(err, notices)
	}
}

// start starts the program for a user, and waits for its window. More of its environment may be given.
func start(t *testing.T, d *display, user, home string, environment ...string) *app {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(user, ".cache"), 0o700); err != nil { // the toolkit expects it to be there
		t.Fatal(err)
	}
	dir := t.TempDir()
	a := &app{t: t, home: home, display: d, ended: make(chan struct{}), said: &output{}, bus: filepath.Join(dir, "bus-was-started")}
	// Whoever starts a D-Bus leaves a process behind that nobody stops.
	launcher := filepath.Join(dir, "dbus-launch")
	if err := os.WriteFile(launcher, []byte("#!/bin/sh\n: >'"+a.bus+"'\nexit 1\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	a.cmd = exec.Command(binary, "--mobile")
	a.cmd.Dir = dir
	a.cmd.Stdout, a.cmd.Stderr = a.said, a.said
	a.cmd.Env = append([]string{
		"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=" + user, "XDG_RUNTIME_DIR=" + dir, "LANG=C.UTF-8", "TMPDIR=" + os.TempDir(),
		"DISPLAY=" + d.name, "KEVA_HOME=" + home, "KEVA_CACHE=" + cache, "FYNE_SCALE=1", "LIBGL_ALWAYS_SOFTWARE=1",
	}, environment...)
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		a.err = a.cmd.Wait()
		close(a.ended)
	}()
	t.Cleanup(func() {
		select {
		case <-a.ended:
		default:
			if t.Failed() && a.window != "" {
				d.see(a.window).keep(t, "failed-"+filepath.Base(t.Name()))
			}
			_ = a.cmd.Process.Kill()
			<-a.ended
		}
		if t.Failed() {
			t.Logf("the program printed:\n%s", a.said)
			var s state
			if err := s.read(context.Background(), filepath.Join(home, "data", store.FileName)); err == nil {
				t.Logf("it had stored: %+v", s)
			}
		}
	})
	a.window = d.find("Keva", 30*time.Second, a.alive)
	return a
}

// alive fails the test when the program has ended by itself.
func (a *app) alive() {
	a.t.Helper()
	select {
	case <-a.ended:
		a.t.Fatalf("the program ended: %v", a.err)
	default:
	}
}

// quit ends the program as a session of the desktop does, and requires that it goes by itself, and quietly.
func (a *app) quit() {
	a.t.Helper()
	a.alive()
	if err := a.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		a.t.Fatal(err)
	}
	select {
	case <-a.ended:
	case <-time.After(30 * time.Second):
		a.t.Fatal("the program does not end")
	}
	if a.err != nil {
		a.t.Errorf("the program ended with: %v", a.err)
	}
	// The toolkit complains here, also of calls from a wrong thread.
	for line := range strings.Lines(a.said.String()) {
		if strings.Contains(line, "Preferences load error") {
			continue // it sees the file of its own preferences, which Keva does not use, while it writes it at the end
		}
		for _, bad := range []string{"Fyne error", "Fyne call", "panic", "DATA RACE"} {
			if strings.Contains(line, bad) {
				a.t.Errorf("it printed: %s", line)
			}
		}
	}
	if _, err := os.Stat(a.bus); err == nil {
		a.t.Error("it tried to start a D-Bus")
	}
}

// shoot keeps a picture once it shows what it should.
func (a *app) shoot(name string, ready func(picture) bool) picture {
	a.t.Helper()
	var p picture
	wait(a.t, "the picture "+name, time.Minute, func() bool {
		a.alive()
		p = a.display.see(a.window)
		return p.colours() > 40 && ready(p)
	})
	p.keep(a.t, name)
	return p
}

// press clicks the primary button of a picture: it points, sees that the button takes notice, clicks, and requires done.
func (a *app) press(p picture, colours look, what string, done func() bool) {
	a.t.Helper()
	at, _ := p.pill(colours.color(theme.Accent))
	a.display.point(a.window, at.X, at.Y)
	wait(a.t, "the button to be under the pointer", 20*time.Second, func() bool {
		a.alive()
		return a.display.see(a.window).is(at.X, at.Y, colours.color(theme.AccentHover))
	})
	a.display.must("xdotool", "click", "1")
	wait(a.t, what, 20*time.Second, func() bool {
		a.alive()
		return done()
	})
	a.display.point(a.window, 1, 300) // over nothing
}

// request is a line of the approvals.
type request struct{ ID, Tool, Command string }

// state is what the program has written down.
type state struct {
	Session, Badge, Draft string
	Kinds                 map[string]int // events by kind
	Pending               []request
	Messages              []string
	Answered              int
}

// state reads the store beside the program, which goes on writing.
func (a *app) state() state {
	a.t.Helper()
	var s state
	if err := s.read(a.t.Context(), filepath.Join(a.home, "data", store.FileName)); err != nil {
		a.t.Fatal(err)
	}
	return s
}

func (s *state) read(ctx context.Context, path string) (err error) {
	s.Kinds = map[string]int{}
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro&_busy_timeout=5000")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.QueryRowContext(ctx, "SELECT id, badge, draft FROM sessions ORDER BY updated DESC").Scan(&s.Session, &s.Badge, &s.Draft)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	} else if err != nil {
		return err
	}
	each := func(query string, row func(*sql.Rows) error) error {
		rows, err := db.QueryContext(ctx, query, s.Session)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := row(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	}
	return errors.Join(
		each("SELECT kind, count(*) FROM events WHERE session = ? GROUP BY kind", func(r *sql.Rows) error {
			var kind string
			var n int
			err := r.Scan(&kind, &n)
			s.Kinds[kind] = n
			return err
		}),
		each("SELECT body ->> '$.text' FROM events WHERE session = ? AND kind = 'user_message'", func(r *sql.Rows) error {
			var text string
			err := r.Scan(&text)
			s.Messages = append(s.Messages, text)
			return err
		}),
		each("SELECT id, tool, command, decision IS NULL FROM approvals WHERE session = ? ORDER BY asked_seq", func(r *sql.Rows) error {
			var q request
			var open bool
			err := r.Scan(&q.ID, &q.Tool, &q.Command, &open)
			if open {
				s.Pending = append(s.Pending, q)
			} else {
				s.Answered++
			}
			return err
		}),
	)
}

// engines counts the processes that carry the session's mark: the engine and what it has started.
func engines(t *testing.T, session string) int {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range all {
		if b, err := os.ReadFile(path); err == nil && strings.Contains("\x00"+string(b), "\x00KEVA_SESSION="+session+"\x00") {
			n++
		}
	}
	return n
}
