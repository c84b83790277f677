// Package lifecycle plays what Android does to an app, as far as a desktop can: the process ends at any moment, storage runs
// full, the app is updated, the clock is set. It runs the product below its screens in a process of its own; what the window
// does meanwhile is tested in ui/shell. It must never replace a part of the product but the keyring and the pack.
package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/onboarding"
	"keva/agent/session"
	"keva/agent/signin"
	"keva/engines/catalog"
	"keva/engines/core"
	"keva/engines/userland/pack/packtest"
	"keva/engines/userland/plan"
	"keva/engines/userland/unpack"
	"keva/platform/device"
	"keva/platform/secret"
)

// roleEnv says what this program is, when it is not the test.
const roleEnv = "KEVA_LIFECYCLE_ROLE"

// The roles.
const (
	roleApp  = "app"  // Keva, until it is killed
	roleFull = "full" // the test of full storage, in a mount namespace of its own
)

func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"} {
		_ = os.Unsetenv(name) // fails for no name
	}
	role := os.Getenv(roleEnv)
	_ = os.Unsetenv(roleEnv)
	switch role {
	case "":
		os.Exit(m.Run())
	case roleApp:
		app()
	case roleFull:
		full()
	default:
		fmt.Fprintln(os.Stderr, "no such role:", role)
		os.Exit(2)
	}
}

// machine is a desktop with a keyring in memory. KEVA_PACK names its pack.
type machine struct{ device.Device }

func (machine) Keys() secret.Keyring { return &secret.Volatile{} }

func open(ctx context.Context) (*core.Core, []event.Notice, error) {
	return core.Open(ctx, core.Options{Version: "1.2.3", Device: machine{device.New(nil)}, Place: plan.KindPack})
}

func reopen(t *testing.T) *core.Core {
	t.Helper()
	c, _, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// writePack writes a pack of some megabytes that don't compress, with usr/word saying word.
func writePack(t testing.TB, word string, megabytes int) string {
	t.Helper()
	entries := packtest.In("base", packtest.Folder("usr"), packtest.Text("usr/word", 0o644, word))
	for i := range megabytes {
		entries = append(entries, packtest.Bytes(fmt.Sprintf("usr/part%02d", i), 0o644, packtest.Noise(uint64(i), 1<<20)))
	}
	file := filepath.Join(t.TempDir(), "pack.tar.zst")
	if err := os.WriteFile(file, packtest.Pack(t, packtest.Spec(runtime.GOARCH), entries...), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// userland is where the tools of KEVA_HOME lie.
func userland() string { return catalog.UserlandDir(filepath.Join(os.Getenv("KEVA_HOME"), "data")) }

// word is what the tools that are in use say, "" for none.
func word() string {
	tree, err := unpack.Current(userland())
	if err != nil {
		return ""
	}
	data, err := os.ReadFile(filepath.Join(tree.Root, "usr", "word"))
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// everyStep makes the unpacking tell of its next step too: it tells nothing within 100 ms of the last time.
func everyStep() { time.Sleep(110 * time.Millisecond) }

// app leaves sessions in every state, a draft, an open sign-in and half of the tools, and says when it may be killed.
func app() {
	ctx := context.Background()
	fail := func(err error) {
		if err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
	}
	c, _, err := open(ctx)
	fail(err)
	now := time.Now().UTC()
	for i, b := range []session.Badge{session.BadgeDone, session.BadgeRunning, session.BadgeNeedsYou} {
		dir := filepath.Join(os.Getenv("KEVA_HOME"), "project")
		fail(os.MkdirAll(dir, 0o700))
		id := "s-" + string(b)
		// The store is written as the service writes it; a real turn that is killed is in test/kill.
		fail(c.Store.PutSession(ctx, session.Meta{
			ID: id, Title: "Session " + string(b), Dir: dir, Engine: "claude", Provider: "demo", Created: now, Updated: now.Add(time.Duration(i) * time.Second), Badge: b, Line: "line",
		}))
		bodies := []event.Body{event.UserMessage{ID: "m1", Text: "go", Delivery: event.DeliveryPrompt}, event.TurnStarted{Origin: event.OriginUser}}
		switch b {
		case session.BadgeDone:
			bodies = append(bodies, event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser, Messages: []string{"m1"}})
		case session.BadgeNeedsYou:
			bodies = append(bodies, event.ApprovalAsked{ID: "q1", Tool: event.ToolCommand, Name: "Bash", Title: "make", Command: "make"})
		case session.BadgeEmpty, session.BadgeRunning, session.BadgeFailed, session.BadgeInterrupted, session.BadgeUnknown:
		}
		var evs []event.Event
		for n, body := range bodies {
			evs = append(evs, event.Event{Seq: int64(n + 1), Time: now, Session: id, Turn: "t1", Body: body})
		}
		fail(c.Store.Append(ctx, evs))
	}
	s, err := c.Service.Open(ctx, "s-"+string(session.BadgeDone))
	fail(err)
	s.SetDraft("half a thought")
	// As agent/signin writes it when a page is opened.
	record, err := json.Marshal(map[string]any{"id": "f1", "method": "codex/browser", "begun": now, "before": signin.Account{Presence: signin.SignedOut}})
	fail(err)
	fail(c.Store.PutValue(ctx, signin.RecordKey, record))
	err = c.Unpack(ctx, func(p onboarding.Progress) {
		if p.Done > 2<<20 && p.Done < p.Total {
			fmt.Println("half", p.Done)
			select {} // to be killed
		}
		everyStep()
	})
	fail(errors.Join(err, errors.New("it was never half unpacked")))
}
