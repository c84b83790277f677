package window

import (
	"bufio"
	"bytes"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// display is a screen of memory, with hands (xdotool) and eyes (import).
type display struct {
	t    *testing.T
	name string // ":N"
}

// newDisplay starts a screen of its own for a test, under a free number that the server chooses itself.
func newDisplay(t *testing.T, width, height int) *display {
	t.Helper()
	number, tell, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer number.Close()
	var said bytes.Buffer
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", fmt.Sprintf("%dx%dx24", width, height), "-dpi", "96", "-nolisten", "tcp")
	server.ExtraFiles, server.Stdout, server.Stderr = []*os.File{tell}, &said, &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	_ = tell.Close()
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait() // it ends by our signal
		if t.Failed() {
			t.Logf("Xvfb printed:\n%s", &said)
		}
	})
	if err := number.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(number).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb does not say its number: %v\n%s", err, &said)
	}
	return &display{t: t, name: ":" + strings.TrimSpace(line)}
}

// run runs one of the X tools on the display.
func (d *display) run(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...) // also after the test, to see how it failed
	cmd.Env = append(os.Environ(), "DISPLAY="+d.name)
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return out, err
}

// must runs a tool that has to work.
func (d *display) must(name string, args ...string) {
	d.t.Helper()
	if out, err := d.run(name, args...); err != nil {
		d.t.Fatalf("%v\n%s", err, out)
	}
}

// find waits for the window with a title, and gives it the keyboard: no window manager does.
func (d *display) find(title string, limit time.Duration, alive func()) string {
	d.t.Helper()
	id := ""
	wait(d.t, "the window", limit, func() bool {
		alive()
		out, _ := d.run("xdotool", "search", "--onlyvisible", "--name", "^"+title+"$") // fails while there is none
		id, _, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
		if id == "" {
			return false
		}
		_, err := d.run("xdotool", "windowfocus", id)
		return err == nil
	})
	return id
}

// point puts the pointer over a place of the window.
func (d *display) point(window string, x, y int) {
	d.t.Helper()
	d.must("xdotool", "mousemove", "--window", window, strconv.Itoa(x), strconv.Itoa(y))
}

// see takes a picture of the window.
func (d *display) see(window string) picture {
	d.t.Helper()
	out, err := d.run("import", "-silent", "-window", window, "png:-")
	if err != nil {
		d.t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		d.t.Fatal(err)
	}
	return picture{Image: img, data: out}
}

// wait looks again and again until done holds.
func wait(t *testing.T, what string, limit time.Duration, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for !done() {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s", limit, what)
		}
		<-again.C
	}
}
