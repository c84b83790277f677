package secret

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// insideEnv tells the test's own program that it runs under a private bus.
const insideEnv = "KEVA_SECRET_SERVICE_HOME"

// The keyring of a real desktop: gnome-keyring under a bus of its own, with a home of its own.
func TestRealSecretService(t *testing.T) {
	for program, pkg := range map[string]string{"dbus-run-session": "dbus", "gnome-keyring-daemon": "gnome-keyring"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is missing: install the package %s, or run ./setup.sh test", program, pkg)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	run := filepath.Join(home, "run")
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "dbus-run-session", "--", exe, "-test.run=^TestInsideARealKeyring$", "-test.v")
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_RUNTIME_DIR=" + run, "XDG_DATA_HOME=" + filepath.Join(home, "data"),
		"XDG_CONFIG_HOME=" + filepath.Join(home, "config"), "XDG_CACHE_HOME=" + filepath.Join(home, "cache"), insideEnv + "=" + home, "LANG=C.UTF-8",
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestInsideARealKeyring")) {
		t.Fatalf("%v\n%s", err, out)
	}
	if bytes.Contains(out, []byte(key)) {
		t.Errorf("the key was printed:\n%s", out)
	}
}

// daemon is a running gnome-keyring.
type daemon struct{ *exec.Cmd }

// startDaemon starts it with the login keyring unlocked by the password, and waits until it answers.
func startDaemon(t *testing.T, password string) daemon {
	t.Helper()
	cmd := exec.Command("gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets")
	cmd.Stdin = strings.NewReader(password)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d := daemon{cmd}
	t.Cleanup(d.stop)
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		// The bus is asked and not the keyring: it would start another one to answer.
		out, err := exec.Command("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
			"org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets").CombinedOutput()
		if err == nil && strings.Contains(string(out), "boolean true") {
			return d
		}
		if time.Now().After(end) {
			t.Fatalf("gnome-keyring does not answer: %s", said.String())
		}
	}
}

func (d daemon) stop() {
	if d.ProcessState == nil {
		_ = d.Process.Signal(syscall.SIGTERM)
		_ = d.Wait() // it was told to end
	}
}

// lock locks the keyring, as a screen lock or a log-out does.
func lock(t *testing.T) {
	t.Helper()
	out, err := exec.Command("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets",
		"org.freedesktop.Secret.Service.Lock", "array:objpath:/org/freedesktop/secrets/collection/login").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestInsideARealKeyring is run by TestRealSecretService only.
func TestInsideARealKeyring(t *testing.T) {
	home := os.Getenv(insideEnv)
	if home == "" {
		return // TestRealSecretService demands that it has passed where it counts
	}
	ctx := t.Context()
	l := &Layered{System: System{}}
	d := startDaemon(t, "password of the login")
	if got := get(t, l, "provider/x"); got != "" {
		t.Fatalf("%q in a new keyring", got)
	}
	if err := l.Delete(ctx, "provider/x"); err != nil {
		t.Fatal(err)
	}
	if err := l.Set(ctx, "provider/x", key); err != nil {
		t.Fatal(err)
	}
	if err := l.Set(ctx, "provider/y", "another"); err != nil {
		t.Fatal(err)
	}
	if got := get(t, l, "provider/x"); got != key {
		t.Fatalf("%q", got)
	}
	d.stop()
	d = startDaemon(t, "password of the login")
	if got := get(t, l, "provider/x"); got != key {
		t.Fatalf("%q after a restart of the keyring", got)
	}
	// Rotation: the old key is gone, not beside the new one.
	if err := l.Set(ctx, "provider/x", "rotated"); err != nil {
		t.Fatal(err)
	}
	if got := get(t, l, "provider/x"); got != "rotated" {
		t.Fatalf("%q", got)
	}
	if out, err := exec.Command("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets",
		"org.freedesktop.Secret.Service.SearchItems", "dict:string:string:service,"+Service+",username,provider/x").CombinedOutput(); err != nil ||
		strings.Count(string(out), "object path") != 1 {
		t.Errorf("%v\n%s", err, out)
	}
	plainNowhere(t, home, key, "rotated", "another")

	lock(t)
	short, cancel := context.WithTimeout(ctx, 3*time.Second) // nobody answers the prompt
	defer cancel()
	_, err := l.Get(short, "provider/x")
	var u *Unavailable
	if !errors.As(err, &u) || u.None {
		t.Errorf("locked: %v", err)
	} else {
		t.Logf("locked: %s (%s)", u.Reason.Message, u.Reason.Detail)
		unavailable(t, err, "")
	}
	d.stop()
	d = startDaemon(t, "password of the login")
	if err := l.Delete(ctx, "provider/x"); err != nil {
		t.Fatal(err)
	}
	if got := get(t, l, "provider/x"); got != "" || get(t, l, "provider/y") != "another" {
		t.Errorf("%q after it was deleted", got)
	}
	d.stop()
}

// plainNowhere looks for secrets in what the keyring wrote.
func plainNowhere(t *testing.T, home string, secrets ...string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		for _, s := range secrets {
			if bytes.Contains(raw, []byte(s)) {
				t.Errorf("%s holds %q as it is", path, s)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}
