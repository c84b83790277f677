package host

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"keva/agent/event"
)

const lockDir = "KEVA_HOST_LOCK_DIR"

// TestMain is also the other instance of the lock test.
func TestMain(m *testing.M) {
	if dir := os.Getenv(lockDir); dir != "" {
		if _, err := LockData(dir); err != nil {
			os.Exit(1)
		}
		_, _ = os.Stdout.WriteString("locked\n")
		_, _ = io.Copy(io.Discard, os.Stdin) // until the parent is done
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(k string) string { return m[k] }
}

func TestFolders(t *testing.T) {
	for _, c := range []struct {
		name string
		env  func(string) string
		want Dirs
	}{
		{"plain home", env("HOME", "/home/u"), Dirs{"/home/u/.local/share/keva", "/home/u/.cache/keva", "/home/u/.config/keva", "/home/u/.local/state/keva"}},
		{
			"XDG", env("HOME", "/home/u", "XDG_DATA_HOME", "/d", "XDG_CACHE_HOME", "/c", "XDG_CONFIG_HOME", "/f", "XDG_STATE_HOME", "/s"),
			Dirs{"/d/keva", "/c/keva", "/f/keva", "/s/keva"},
		},
		{"relative XDG paths don't count", env("HOME", "/home/u", "XDG_DATA_HOME", "d"), Dirs{"/home/u/.local/share/keva", "/home/u/.cache/keva", "/home/u/.config/keva", "/home/u/.local/state/keva"}},
		{"KEVA_HOME wins", env("HOME", "/home/u", "XDG_DATA_HOME", "/d", "KEVA_HOME", "/k"), Dirs{"/k/data", "/k/cache", "/k/config", "/k/state"}},
		{"KEVA_HOME needs no home", env("KEVA_HOME", "/k"), Dirs{"/k/data", "/k/cache", "/k/config", "/k/state"}},
		{
			"XDG needs no home", env("XDG_DATA_HOME", "/d", "XDG_CACHE_HOME", "/c", "XDG_CONFIG_HOME", "/f", "XDG_STATE_HOME", "/s"),
			Dirs{"/d/keva", "/c/keva", "/f/keva", "/s/keva"},
		},
	} {
		if got, err := Find(c.env); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
	for _, e := range []func(string) string{env(), env("HOME", "relative"), env("XDG_DATA_HOME", "/d")} {
		var known *event.Error
		if _, err := Find(e); !errors.As(err, &known) || !strings.Contains(known.Message, "KEVA_HOME") {
			t.Errorf("no home: %v", err)
		}
	}
	if d, err := Find(env("KEVA_HOME", "rel")); err != nil || !filepath.IsAbs(d.Data) {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestFoldersAreMadePrivate(t *testing.T) {
	d, err := Find(env("KEVA_HOME", filepath.Join(t.TempDir(), "k")))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Make(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{d.Data, d.Cache, d.Config, d.State} {
		if fi, err := os.Stat(dir); err != nil || fi.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, fi, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.Data = filepath.Join(file, "data")
	var known *event.Error
	if err := d.Make(); !errors.As(err, &known) || !strings.Contains(known.Message, d.Data) {
		t.Errorf("%v", err)
	}
}

// Two instances on one data folder would append to the same sessions.
func TestOneInstancePerDataFolder(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), lockDir+"="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "locked\n" {
		t.Fatalf("%q, %v", line, err)
	}

	_, err = LockData(dir)
	var h *HeldError
	var known *event.Error
	if !errors.As(err, &h) || !errors.As(err, &known) {
		t.Fatalf("%v", err)
	}
	if pid := strconv.Itoa(cmd.Process.Pid); h.PID != pid || !strings.Contains(known.Message, pid) || !strings.Contains(known.Message, "KEVA_HOME") {
		t.Errorf("%q names process %q", known.Message, h.PID)
	}
	if l, err := LockData(t.TempDir()); err != nil {
		t.Errorf("another folder: %v", err)
	} else if err := l.Release(); err != nil {
		t.Error(err)
	}

	if err := cmd.Process.Kill(); err != nil { // a crash must leave no stale lock
		t.Fatal(err)
	}
	_ = cmd.Wait()
	_ = in.Close()
	l, err := LockData(dir)
	if err != nil {
		t.Fatalf("after the other was killed: %v", err)
	}
	if _, err := LockData(dir); !errors.As(err, &h) {
		t.Errorf("a second lock in this process: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Errorf("again: %v", err)
	}
	l, err = LockData(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := LockData(filepath.Join(dir, "missing")); err == nil || errors.As(err, &h) {
		t.Errorf("a missing folder: %v", err)
	}
}

// opener is a program that does what its script says with the address.
func opener(t *testing.T, script string) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "opener")
	if err := os.WriteFile(p, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	return p
}

func TestOpenURL(t *testing.T) {
	got := filepath.Join(t.TempDir(), "got")
	program := opener(t, `printf %s "$1" > `+got)
	if err := openWith(t.Context(), program, "https://example.com/a?b=$(id)&c"); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(got); err != nil || string(data) != "https://example.com/a?b=$(id)&c" {
		t.Errorf("%q, %v", data, err)
	}
	if err := openWith(t.Context(), opener(t, "exit 3"), "https://example.com"); err == nil || !strings.Contains(err.Error(), "No browser") {
		t.Error(err)
	}
	if err := openWith(t.Context(), "keva-no-such-opener", "https://example.com"); err == nil || !strings.Contains(err.Error(), "xdg-utils") {
		t.Error(err)
	}
}

// Addresses come from models and web pages: whatever is no web page must not reach an opener.
func TestOnlyWebPagesAreOpened(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	program := opener(t, "touch "+ran)
	for _, bad := range []string{
		"", "file:///etc/passwd", "/etc/passwd", "javascript:alert(1)", "mailto:a@b", "ssh://host", "--help", "-x",
		"example.com", "https://", "https:///x", "https://a\nb", "https://exa\u202emple.com", " https://a", "http:a", "vscode://x", "https://[::1",
	} {
		if err := openWith(t.Context(), program, bad); err == nil {
			t.Errorf("%q was opened", bad)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the opener ran")
	}
}
