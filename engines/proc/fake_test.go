package proc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// fakeEnv makes the test binary a child that behaves as its value says.
const fakeEnv = "KEVA_FAKE_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeEnv); mode != "" {
		name, arg, _ := strings.Cut(mode, " ")
		if f, ok := fakes[name]; ok {
			f(arg)
			os.Exit(0)
		}
		fmt.Fprintln(os.Stderr, "unknown fake", mode)
		os.Exit(99)
	}
	os.Exit(m.Run())
}

// live outlasts any test, but not for ever: a crashed test run must not leave processes behind.
func live() { time.Sleep(2 * time.Minute) }

func ignoreRequests() {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
}

func drainStdin() { _, _ = io.Copy(io.Discard, os.Stdin) }

const bigLine = 20 << 20

// The fakes are filled in init, because some of them start others.
var fakes map[string]func(arg string)

func init() {
	fakes = map[string]func(string){
		"echo": func(string) { _, _ = io.Copy(os.Stdout, os.Stdin) },
		"env": func(string) {
			for _, v := range os.Environ() {
				fmt.Println(v)
			}
		},
		"session": func(string) {
			sid, _ := unix.Getsid(0)
			fmt.Println(sid)
		},
		"silent": func(string) { live() },
		"bigline": func(string) {
			w := bufio.NewWriter(os.Stdout)
			_, _ = w.Write(bytes.Repeat([]byte("0123456789"), bigLine/10))
			_, _ = w.WriteString("\nnext\n")
			_ = w.Flush()
		},
		"garbage":      func(string) { _, _ = os.Stdout.WriteString("a\xff\xfeb\n\n\x00\r\n{broken\nunterminated \xc3") },
		"complain":     func(string) { _, _ = os.Stderr.WriteString(strings.Repeat("ä", 6000) + "\xff\nlast words\n") },
		"close-stdout": func(string) { fmt.Println("bye"); _ = os.Stdout.Close(); drainStdin() },
		"exit":         func(arg string) { n := 0; _, _ = fmt.Sscan(arg, &n); os.Exit(n) },
		// A shell, because the Go runtime turns these signals into an exit code.
		"die": func(arg string) {
			_ = syscall.Exec("/bin/sh", []string{"sh", "-c", "ulimit -c 0; kill -" + arg + " $$"}, nil)
		},
		"stubborn": func(string) {
			signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
			fmt.Println("ready")
			live()
		},
		"obey": func(string) {
			signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
			line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
			if line == "quit\n" {
				return
			}
			live()
		},
		// leave writes arg lines and ends, while a tool of its holds stdout and stderr.
		"leave": func(arg string) {
			n := 0
			_, _ = fmt.Sscan(arg, &n)
			spawn("stubborn", false)
			w := bufio.NewWriter(os.Stdout)
			for i := range n {
				fmt.Fprintf(w, "line %d\n", i)
			}
			_ = w.Flush()
		},
		// family has a tool with an ugly name in a session of its own, one that lost its parent, and ignores every
		// request to end.
		"family": func(string) {
			signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
			spawn("stubborn", false)
			middle := exec.Command(os.Args[0])
			middle.Env = append(os.Environ(), fakeEnv+"=orphan")
			middle.Stdout = os.Stdout
			_ = middle.Run()
			fmt.Println("complete")
			live()
		},
		"orphan": func(string) { spawn("silent", true) },
		// tell prints the run records that there are when it starts, and again when its first byte comes.
		"tell": func(string) {
			fmt.Println("start " + os.Getenv(MarkerEnv) + " " + records())
			_, _ = os.Stdin.Read(make([]byte, 1))
			fmt.Println("byte " + records())
		},
		// spin computes in a tool of its own.
		"spin": func(string) {
			startTool("spinner")
			live()
		},
		"spinner": func(string) {
			fmt.Println("spinning")
			for end := time.Now().Add(time.Minute); time.Now().Before(end); {
			}
		},
		"launcher": func(arg string) {
			code, words, _ := strings.Cut(arg, " ")
			fmt.Fprintln(os.Stderr, words)
			n, _ := strconv.Atoi(code)
			os.Exit(n)
		},
		"app":   app,
		"churn": churn,
		"tree":  tree,
		"pidns": pidns,
		// middle starts the next level and ends: the other half of a double fork.
		"middle": func(arg string) { startTool("tree " + arg) },
		// widow ends at once and leaves a tool behind that holds no pipe.
		"widow": func(string) { spawn("silent", true) },
	}
}

// spawn starts a tool in a session of its own under a name with a parenthesis and spaces, and prints its pid. A quiet one
// holds no pipe and keeps the marker.
func spawn(mode string, quiet bool) {
	dir, _ := os.MkdirTemp(os.Getenv("FAKE_DIR"), "tool")
	name := filepath.Join(dir, "a) S 1 (b")
	_ = os.Symlink(os.Args[0], name)
	cmd := exec.Command(name)
	cmd.Env = []string{fakeEnv + "=" + mode} // tools may clear their environment, and with it the marker
	if quiet {
		cmd.Env = append(cmd.Env, MarkerEnv+"="+os.Getenv(MarkerEnv))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if !quiet {
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	}
	if err := cmd.Start(); err != nil {
		fmt.Println("error", err)
		return
	}
	fmt.Println("pid", cmd.Process.Pid)
}

// child is a running fake and what it said.
type child struct {
	*Process
	t     *testing.T
	lines chan string
}

// startFake runs the test binary as mode; before may change the spec.
func startFake(t *testing.T, mode string, before ...func(*Spec)) child {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 10_000)
	spec := Spec{
		Path:   exe,
		Env:    []string{fakeEnv + "=" + mode, "FAKE_DIR=" + t.TempDir()},
		OnLine: func(b []byte) { lines <- string(b) },
	}
	for _, f := range before {
		f(&spec)
	}
	p, err := Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop() })
	return child{p, t, lines}
}

// ended waits for Done. The time only bounds a broken test.
func (c child) ended() {
	c.t.Helper()
	select {
	case <-c.Done():
	case <-time.After(30 * time.Second):
		c.t.Fatal("not done after 30 s")
	}
}

// line is the next line.
func (c child) line() string {
	c.t.Helper()
	select {
	case l := <-c.lines:
		return l
	case <-time.After(30 * time.Second):
		c.t.Fatal("no line after 30 s")
		return ""
	}
}

// rest is all that was said; valid after Done.
func (c child) rest() []string {
	var out []string
	for {
		select {
		case l := <-c.lines:
			out = append(out, l)
		default:
			return out
		}
	}
}
