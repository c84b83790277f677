package signin

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/signin"
)

// playEnv makes the test's own program play Keva: “dir method mode” and the environment of the engines behind it.
const playEnv = "KEVA_SIGNIN_PLAY"

// play signs in as Keva would, and waits to be killed. In mode "late" it is killed between the engine's success and the
// storing of the provider.
func play() {
	f := strings.Split(os.Getenv(playEnv), "\n")
	dir, method, mode, env := f[0], f[1], f[2], f[3:]
	ctx := context.Background()
	a, err := start(ctx, dir, env, http.DefaultTransport, func(signin.Method) error {
		fmt.Println("activate")
		select {}
	})
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	changes := a.in.Changes(ctx)
	if err := a.in.Begin(method); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	for range changes {
		st := a.in.View().State
		if at := address(st); at != "" {
			fmt.Println("address", at)
		}
		if ended(st) {
			fmt.Printf("ended %#v %+v (%s)\n", st, reasonOf(st), mode)
			os.Exit(1)
		}
	}
}

// killed plays Keva until it prints word, does what the page asks for when late, kills it, and gives the address.
func killed(t *testing.T, dir, method string, v *vendors, late bool) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mode := "early"
	if late {
		mode = "late"
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), playEnv+"="+strings.Join(append([]string{dir, method, mode}, v.env()...), "\n"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	at := ""
	for in := bufio.NewScanner(out); in.Scan(); {
		word, rest, _ := strings.Cut(in.Text(), " ")
		switch word {
		case "address":
			if at = rest; !late {
				return at
			}
			v.set(func(v *vendors) { v.approved = true })
		case "activate":
			return at
		default:
			t.Fatal(in.Text())
		}
	}
	t.Fatal("it ended before it was killed")
	return ""
}

// Killed while somebody is at the page: the next start says so, ends what was left, and the engine knows of nobody. What
// the page could still do is said.
func TestKilledAtThePage(t *testing.T) {
	for method, words := range map[string]string{
		"claude/browser": "nobody to come back to",
		"claude/code":    "can't be used any more",
		"codex/browser":  "nobody to come back to",
		"codex/device":   "nobody waits for it any more",
	} {
		t.Run(method, func(t *testing.T) {
			v := newVendors(t)
			dir := t.TempDir()
			killed(t, dir, method, v, false)
			a := open(t, dir, v)
			if len(a.Reclaimed) > 1 {
				t.Errorf("%+v", a.Reclaimed)
			}
			w := a.in.View()
			u, ok := w.State.(signin.Unknown)
			if !ok || w.Method.ID != method || u.Begun.IsZero() || !strings.Contains(u.Text, words) {
				t.Fatalf("%#v", w)
			}
			v.set(func(v *vendors) { v.approved = true }) // the page is used after all
			if err := a.in.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			r := reasonOf(a.in.View().State)
			if r == nil || r.Class != event.ClassAuth || !strings.Contains(r.Message, words) || !strings.Contains(r.Message, "Nobody is signed in") {
				t.Fatalf("%#v", a.in.View().State)
			}
			if a.set.Get().Choice(engineOf(method)).Provider != provider.Demo || a.record(t) != "null" {
				t.Error("something is left")
			}
			next := a.asked(t, method)
			a.person(t, v, method, next.State)
			if end := a.until(t, "ended", ended); reasonOf(end.State) != nil {
				t.Errorf("the next try: %+v", reasonOf(end.State))
			}
		})
	}
}

// Killed between the engine's success and the storing of the provider: the next start finds the account and finishes.
func TestKilledBeforeTheProviderWasStored(t *testing.T) {
	v := newVendors(t)
	dir := t.TempDir()
	killed(t, dir, "codex/device", v, true)
	a := open(t, dir, v)
	if _, ok := a.in.View().State.(signin.Unknown); !ok || a.set.Get().Choice("codex").Provider != provider.Demo {
		t.Fatalf("%#v", a.in.View())
	}
	if err := a.in.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if done, ok := a.in.View().State.(signin.Done); !ok || done.Account.Name != "lab@example.com" {
		t.Fatalf("%#v", a.in.View().State)
	}
	a.close(t)
	if s, _ := stored(t, dir); s.Choice("codex").Provider != provider.ChatGPT {
		t.Errorf("%+v", s.Choices)
	}
}

// Somebody was signed in before: that they still are proves nothing, and nothing is claimed.
func TestKilledWithTheSameAccountBefore(t *testing.T) {
	v := newVendors(t)
	dir := t.TempDir()
	a := open(t, dir, v)
	w := a.asked(t, "codex/device")
	a.person(t, v, "codex/device", w.State)
	a.until(t, "ended", ended)
	a.close(t)
	v.set(func(v *vendors) { v.approved = false })
	killed(t, dir, "codex/browser", v, false)
	b := open(t, dir, v)
	if err := b.in.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	u, ok := b.in.View().State.(signin.Unknown)
	if !ok || !strings.Contains(u.Text, "as it was before") {
		t.Fatalf("%#v", b.in.View().State)
	}
	b.in.Dismiss(t.Context())
	if b.in.View().State != (signin.None{}) || b.record(t) != "null" {
		t.Errorf("%#v %s", b.in.View(), b.record(t))
	}
}
