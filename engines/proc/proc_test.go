package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"keva/agent/budget"
	"keva/agent/event"
)

// §5.1 needs frames whole: two writers must not mix their lines.
func TestConcurrentWritesStayWhole(t *testing.T) {
	c := startFake(t, "echo")
	want := map[string]bool{}
	var wg sync.WaitGroup
	for i := range 40 {
		line := strings.Repeat(strconv.Itoa(i)+"-", 3000)
		want[line] = true
		wg.Go(func() {
			if err := c.Write(t.Context(), []byte(line)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	c.CloseStdin()
	c.CloseStdin()
	c.ended()
	for _, l := range c.rest() {
		if !want[l] {
			t.Fatalf("a line that nobody wrote: %.40q…", l)
		}
		delete(want, l)
	}
	if len(want) != 0 {
		t.Errorf("%d lines are missing", len(want))
	}
	if e := c.Exit(); e.Class != event.ExitClean || e.Code != 0 || e.Rung != "" {
		t.Errorf("exit %+v, want clean", e)
	}
	if err := c.Write(t.Context(), []byte("late")); !errors.Is(err, ErrGone) {
		t.Errorf("write after the end: %v, want ErrGone", err)
	}
}

func TestLineWithNewlineIsRefused(t *testing.T) {
	c := startFake(t, "echo")
	if err := c.Write(t.Context(), []byte("two\nlines")); err == nil {
		t.Error("a line with a newline was written: it would be two frames")
	}
}

// A child that never reads must block nobody: neither the writer, nor the next one, nor the stop.
func TestChildThatNeverReads(t *testing.T) {
	c := startFake(t, "silent")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // long enough for a busy machine to fill the pipe
	defer cancel()
	err := c.Write(ctx, make([]byte, 1<<20))
	if p := (*PartialError)(nil); !errors.As(err, &p) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a write of more than the pipe holds: %v, want a PartialError with the deadline", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := c.Write(ctx, []byte("next")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the next write: %v, want the deadline", err)
	}
	waiting := make(chan error)
	go func() { waiting <- c.Write(context.Background(), []byte("patient")) }()
	c.CloseStdin()
	if err := <-waiting; !errors.Is(err, ErrGone) {
		t.Errorf("a write that waited while stdin was closed: %v, want ErrGone", err)
	}
}

// A 20 MB line is no reason to lose it, or the one after it (bufio.Scanner would).
func TestLineOf20MB(t *testing.T) {
	c := startFake(t, "bigline")
	if l := c.line(); len(l) != bigLine || l[:10] != "0123456789" || l[bigLine-1] != '9' {
		t.Errorf("the line has %d bytes, want %d", len(l), bigLine)
	}
	if l := c.line(); l != "next" {
		t.Errorf("the line after it is %.20q", l)
	}
	c.ended()
}

// Whatever bytes come, they are passed on as they are; the last line needs no newline.
func TestGarbageIsDelivered(t *testing.T) {
	c := startFake(t, "garbage")
	c.ended()
	want := []string{"a\xff\xfeb", "", "\x00\r", "{broken", "unterminated \xc3"}
	if got := c.rest(); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStderrTail(t *testing.T) {
	var mu sync.Mutex
	var errs []string
	c := startFake(t, "complain", func(s *Spec) {
		s.OnErr = func(b []byte) {
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, string(b))
		}
	})
	c.ended()
	tail := c.Exit().Stderr
	if !utf8.ValidString(tail) || len(tail) > int(budget.Stderr.Size)+2 || !strings.HasSuffix(tail, "ä\uFFFD\nlast words\n") {
		t.Errorf("tail of %d bytes, valid %v, ends %q", len(tail), utf8.ValidString(tail), tail[max(0, len(tail)-20):])
	}
	if len(errs) != 2 || errs[1] != "last words" {
		t.Errorf("%d lines of stderr, want 2", len(errs))
	}
}

func TestOwnSessionAndOwnEnvironment(t *testing.T) {
	t.Setenv("KEVA_TEST_SECRET", "leak")
	c := startFake(t, "session")
	if l := c.line(); l != strconv.Itoa(c.PID()) {
		t.Errorf("session %s, want the child's own pid %d", l, c.PID())
	}
	c.ended()
	c = startFake(t, "env")
	c.ended()
	for _, v := range c.rest() {
		name, _, _ := strings.Cut(v, "=")
		if name != fakeEnv && name != "FAKE_DIR" && name != MarkerEnv {
			t.Errorf("the child inherited %s", name)
		}
	}
}

// Death has a class, because the advice differs: memory, a crash, a forbidden system call, a plain failure.
func TestDeathClasses(t *testing.T) {
	for _, c := range []struct {
		mode   string
		class  event.ExitClass
		code   int
		signal string
	}{
		{"exit 0", event.ExitClean, 0, ""},
		{"exit 3", event.ExitCode, 3, ""},
		{"exit 137", event.ExitCode, 137, ""},
		{die(syscall.SIGKILL), event.ExitKilled, 137, "SIGKILL"},
		{die(syscall.SIGSYS), event.ExitBlocked, 159, "SIGSYS"},
		{die(syscall.SIGSEGV), event.ExitCrashed, 139, "SIGSEGV"},
		{die(syscall.SIGTERM), event.ExitCrashed, 143, "SIGTERM"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			p := startFake(t, c.mode)
			p.ended()
			e := p.Exit()
			if e.Class != c.class || e.Code != c.code || e.Signal != c.signal {
				t.Errorf("got %+v, want %s, code %d, signal %q", e, c.class, c.code, c.signal)
			}
			if e.Advice == "" {
				t.Error("no advice")
			}
		})
	}
}

// A launcher between the kernel and the engine turns a start that failed into an exit code. The words of the loader are
// its own: the advice differs from that for an engine that gave up.
func TestDeathsOfALauncher(t *testing.T) {
	for _, c := range []struct {
		code   int
		stderr string
		class  event.ExitClass
		advice string
	}{
		{127, "claude: error while loading shared libraries: libz.so.1: cannot open shared object file", event.ExitNoLoader, "library"},
		{127, "Error loading shared library libz.so.1: No such file or directory (needed by claude)", event.ExitNoLoader, "library"},
		{1, `CANNOT LINK EXECUTABLE "claude": library "libz.so" not found`, event.ExitNoLoader, "library"},
		{127, "sh: claude: not found", event.ExitNotFound, "not there"},
		{126, "sh: claude: Permission denied", event.ExitNotAllowed, "may not be executed"},
		{2, "error while loading shared libraries, said the engine of a tool", event.ExitCode, "exit code 2"},
		{1, "", event.ExitCode, "exit code 1"},
	} {
		p := startFake(t, fmt.Sprintf("launcher %d %s", c.code, c.stderr))
		p.ended()
		e := p.Exit()
		if e.Class != c.class || e.Code != c.code || !strings.Contains(e.Advice, c.advice) || strings.TrimSpace(e.Stderr) != c.stderr {
			t.Errorf("%q, code %d: got %+v, want %s, %q", c.stderr, c.code, e, c.class, c.advice)
		}
	}
}

func die(s syscall.Signal) string { return fmt.Sprintf("die %d", int(s)) }

func TestExitBeforeTheEndIsUnknown(t *testing.T) {
	c := startFake(t, "silent")
	if e := c.Exit(); e.Class != event.ExitUnknown {
		t.Errorf("a running process has class %q", e.Class)
	}
}

// A closed stdout is not an end: the process still runs and must be stopped.
func TestClosedStdoutIsNotTheEnd(t *testing.T) {
	eof := make(chan struct{})
	c := startFake(t, "close-stdout", func(s *Spec) { s.OnEOF = func() { close(eof) } })
	if l := c.line(); l != "bye" {
		t.Fatal(l)
	}
	<-eof
	select {
	case <-c.Done():
		t.Fatal("done while it runs")
	default:
	}
	c.Stop()
	if e := c.Exit(); e.Class != event.ExitStopped || e.Rung != "stdin" {
		t.Errorf("exit %+v, want stopped by stdin", e)
	}
}

// A tool that survived its engine holds the engine's stdout. Done comes anyway, and without losing a line, also when the
// consumer is slower than the death.
func TestSurvivorHoldsStdout(t *testing.T) {
	const n = 5000
	gate := make(chan struct{})
	var got []string
	c := startFake(t, fmt.Sprintf("leave %d", n), func(s *Spec) {
		s.OnLine = func(b []byte) {
			<-gate
			got = append(got, string(b))
		}
	})
	<-c.reaped
	close(gate)
	c.ended()
	lines := 0
	for _, l := range got {
		if strings.HasPrefix(l, "line ") {
			if l != fmt.Sprintf("line %d", lines) {
				t.Fatalf("line %d is %q", lines, l)
			}
			lines++
		}
	}
	if lines != n {
		t.Errorf("%d lines, want %d", lines, n)
	}
	if e := c.Exit(); e.Class != event.ExitClean {
		t.Errorf("exit %+v, want clean", e)
	}
}

// A program that can't be started is explained: what is wrong, and what to do.
func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	file := func(name, data string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path, dir string
		want            []string
		class           event.ExitClass
	}{
		{"none set", "", "", []string{"No engine program is set", "settings"}, event.ExitNotFound},
		{"missing", filepath.Join(dir, "nope"), "", []string{"nope is not there", "Install"}, event.ExitNotFound},
		{"a folder", dir, "", []string{"is a folder"}, event.ExitUnknown},
		{"below a file", filepath.Join(file("plain", "x", 0o644), "claude"), "", []string{"leads nowhere", "Install"}, event.ExitNotFound},
		{"not executable", file("noexec", "#!/bin/sh\n", 0o644), "", []string{"not marked as executable", "chmod +x"}, event.ExitNotAllowed},
		{"no interpreter", file("script", "#!/no/such/interpreter -x\n", 0o755), "", []string{"/no/such/interpreter", "loader"}, event.ExitNoLoader},
		{"no loader", file("elf", elfImage(ownMachine(), "/lib/ld-nowhere.so.9"), 0o755), "", []string{"/lib/ld-nowhere.so.9", "loader"}, event.ExitNoLoader},
		{"another processor", file("other", elfImage(8, ""), 0o755), "", []string{"another kind of processor (MIPS)"}, event.ExitUnknown},
		{"garbage", file("garbage", "\x01\x02garbage", 0o755), "", []string{"not a program for this system", "Install"}, event.ExitUnknown},
		{"empty", file("empty", "", 0o755), "", []string{"empty", "download"}, event.ExitUnknown},
		{"folder gone", exe, filepath.Join(dir, "gone"), []string{"project folder", "does not exist any more"}, event.ExitUnknown},
		{"folder is a file", exe, file("file", "", 0o644), []string{"is a file, not a folder"}, event.ExitUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Start(Spec{Path: c.path, Dir: c.dir})
			var e *event.Error
			if !errors.As(err, &e) {
				t.Fatalf("%T %v, want *event.Error", err, err)
			}
			if got := DeathOf(err); got != c.class {
				t.Errorf("class %q, want %q", got, c.class)
			}
			if e.Class != event.ClassEngine || e.Detail == "" {
				t.Errorf("%+v has the wrong class or no detail", e)
			}
			for _, w := range c.want {
				if !strings.Contains(e.Message, w) {
					t.Errorf("%q does not say %q", e.Message, w)
				}
			}
		})
	}
}
