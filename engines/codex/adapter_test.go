package codex

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/slot"
)

func mustStart(t *testing.T, fault string) (runtime.Runtime, *watcher) {
	t.Helper()
	rt, w, err := startFake(t, fault)
	if err != nil {
		t.Fatal(err)
	}
	return rt, w
}

// wantError checks that err is a sentence for people that holds each of words, and returns it.
func wantError(t *testing.T, err error, class event.Class, words ...string) *event.Error {
	t.Helper()
	var e *event.Error
	if !errors.As(err, &e) {
		t.Fatalf("no event.Error: %#v", err)
	}
	if e.Class != class {
		t.Errorf("class %s, want %s: %+v", e.Class, class, e)
	}
	for _, w := range words {
		if !strings.Contains(e.Message+e.Detail, w) {
			t.Errorf("%q is missing in %+v", w, e)
		}
	}
	return e
}

// I-16: any answer but "untrusted" means that things could run unasked.
func TestRefusesOtherPolicies(t *testing.T) {
	for _, fault := range []string{"on-request", "granular"} {
		_, w, err := startFake(t, fault)
		wantError(t, err, event.ClassConfig, "without asking", Version)
		if evs := w.all(); len(evs) != 0 {
			t.Errorf("%s: events of a session that did not start: %v", fault, evs)
		}
	}
}

// The same after a resume.
func TestRefusesOtherPoliciesAfterResume(t *testing.T) {
	_, _, err := startFake(t, "on-request", func(_ *Options, s *runtime.Start) { s.Resume = fakeThread })
	wantError(t, err, event.ClassConfig, "without asking")
}

// And when it changes under way.
func TestStopsWhenThePolicyChanges(t *testing.T) {
	rt, w := mustStart(t, "policy")
	send(t, rt, "m-1", "x")
	w.wait(0, "notice", func(e event.Event) bool {
		n, ok := e.Body.(event.Notice)
		return ok && n.Level == event.LevelError && strings.Contains(n.Text, "no longer ask")
	})
	<-rt.Done()
}

func TestResumeRefused(t *testing.T) {
	_, _, err := startFake(t, "no-resume", func(_ *Options, s *runtime.Start) { s.Resume = "old" })
	wantError(t, err, event.ClassResume)
}

// A resume that yields another thread is not adopted silently.
func TestResumeOfAnotherThread(t *testing.T) {
	_, w, err := startFake(t, "other-thread", func(_ *Options, s *runtime.Start) { s.Resume = fakeThread })
	if err != nil {
		t.Fatal(err)
	}
	w.wait(0, "warning", func(e event.Event) bool {
		n, ok := e.Body.(event.Notice)
		return ok && n.Class == event.ClassResume && strings.Contains(n.Text, "did not continue")
	})
}

func TestExitsAtOnce(t *testing.T) {
	_, _, err := startFake(t, "exit")
	e := wantError(t, err, event.ClassEngineGone, "something is wrong")
	if strings.Contains(e.Message+e.Detail, "key-in-stderr") {
		t.Errorf("the key is in the error: %+v", e)
	}
}

// E3: an engine that never speaks must not hang the start.
func TestNeverSpeaks(t *testing.T) {
	for _, fault := range []string{"mute", "deaf"} {
		_, _, err := startFake(t, fault, func(o *Options, _ *runtime.Start) { o.Handshake = 200 * time.Millisecond })
		wantError(t, err, event.ClassEngine, "did not answer")
	}
}

func TestBadInstallations(t *testing.T) {
	dir := t.TempDir()
	noHost := fakeEngine(t, "")
	if err := os.Remove(filepath.Join(filepath.Dir(noHost), hostName)); err != nil {
		t.Fatal(err)
	}
	notExecutable := fakeEngine(t, "version")
	if err := os.Remove(notExecutable); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(notExecutable, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Options, *runtime.Start){
		"missing":        func(o *Options, _ *runtime.Start) { o.Binary = filepath.Join(dir, "nothing", "codex") },
		"no host":        func(o *Options, _ *runtime.Start) { o.Binary = noHost },
		"not executable": func(o *Options, _ *runtime.Start) { o.Binary = notExecutable },
		"no project":     func(_ *Options, s *runtime.Start) { s.Dir = filepath.Join(dir, "gone") },
		"state is a file": func(o *Options, _ *runtime.Start) {
			o.StateDir = filepath.Join(dir, "file")
			_ = os.WriteFile(o.StateDir, nil, 0o600)
		},
	} {
		_, _, err := startFake(t, "", change)
		var e *event.Error
		if !errors.As(err, &e) || len(e.Message) < 30 {
			t.Errorf("%s: %#v", name, err)
		} else if name == "no host" && !strings.Contains(e.Message, hostName) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func TestNeedsALease(t *testing.T) {
	f := New(Options{Binary: fakeEngine(t, ""), StateDir: t.TempDir()})
	l := lease(t)
	l.Release()
	for _, l := range []*slot.Lease{nil, l} {
		if _, err := f.Start(t.Context(), l, runtime.Start{Dir: t.TempDir()}, func(event.Event) {}); err == nil {
			t.Error("started without a lease")
		}
		if _, err := f.Check(t.Context(), l); err == nil {
			t.Error("checked without a lease")
		}
	}
}

func TestWrongVersion(t *testing.T) {
	f := New(Options{Binary: fakeEngine(t, "version"), StateDir: t.TempDir()})
	v, err := f.Check(t.Context(), lease(t))
	wantError(t, err, event.ClassEngine, "9.9.9", Version)
	if v != "9.9.9" {
		t.Errorf("%q", v)
	}
}

// E7: the end of a turn may come before the reply that announces it.
func TestEndBeforeReply(t *testing.T) {
	rt, w := mustStart(t, "swapped")
	send(t, rt, "m-1", "x")
	e, at := w.wait(0, "end", is[event.TurnCompleted])
	if end := e.Body.(event.TurnCompleted); end.Origin != event.OriginUser || len(end.Messages) != 1 {
		t.Errorf("%+v", end)
	}
	send(t, rt, "m-2", "y")
	// The same turn id again is a repetition, so the second message is a prompt that no turn has read: no second end.
	w.wait(at, "message", func(e event.Event) bool {
		m, ok := e.Body.(event.UserMessage)
		return ok && m.ID == "m-2" && m.Delivery == event.DeliveryPrompt
	})
}

// I3, I4: garbage is kept and counted, and the stream goes on.
func TestGarbage(t *testing.T) {
	rt, w := mustStart(t, "garbage")
	send(t, rt, "m-1", "x")
	w.wait(0, "end", is[event.TurnCompleted])
	n := 0
	for _, e := range w.all() {
		if is[event.Unrecognised](e) {
			n++
		}
	}
	if n != 4 { // the blank line is none
		t.Errorf("%d unrecognised", n)
	}
}

func TestLineOf20MB(t *testing.T) {
	rt, w := mustStart(t, "big")
	send(t, rt, "m-1", "x")
	e, at := w.wait(0, "end of the command", is[event.ToolEnded])
	if end := e.Body.(event.ToolEnded); len(end.Output) != bigOutput {
		t.Errorf("%d bytes", len(end.Output))
	}
	w.wait(at, "end", is[event.TurnCompleted])
}

// I-12: what nobody can be asked about is answered all the same, once; what is asked waits for a person.
func TestEveryRequestIsAnswered(t *testing.T) {
	rt, w := mustStart(t, "requests")
	send(t, rt, "m-1", "x")
	e, _ := w.wait(0, "approval", is[event.ApprovalAsked])
	replied := func(id string) func(event.Event) bool {
		return func(e event.Event) bool {
			n, ok := e.Body.(event.Notice)
			return ok && strings.HasPrefix(n.Text, `reply {"id":`+id)
		}
	}
	for _, id := range []string{`"a"`, `{"odd":1}`, `7`, `8`} {
		w.wait(0, "reply to "+id, replied(id))
	}
	// Many answers at once: the first wins, the engine gets one.
	var mu sync.Mutex
	won := 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			ok, err := rt.Answer(t.Context(), e.Body.(event.ApprovalAsked).ID, runtime.Answer{Decision: event.Allow, By: event.ByUser})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if ok {
				won++
			}
		})
	}
	wg.Wait()
	w.wait(0, "reply to 9", replied("9"))
	if err := rt.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.wait(0, "end", is[event.TurnCompleted])
	n := 0
	for _, e := range w.all() {
		if replied("9")(e) {
			n++
		}
	}
	if won != 1 || n != 1 {
		t.Errorf("%d answers won, %d replies", won, n)
	}
	if ok, err := rt.Answer(t.Context(), "nobody", runtime.Answer{Decision: event.Deny, By: event.ByUser}); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
}

// A steer that comes too late becomes the start of the next turn; the message is in the stream once.
func TestLateSteer(t *testing.T) {
	rt, w := mustStart(t, "steer")
	send(t, rt, "m-1", "x")
	w.wait(0, "start", is[event.TurnStarted])
	send(t, rt, "m-2", "y")
	w.wait(0, "end", is[event.TurnCompleted])
	w.wait(0, "note", func(e event.Event) bool {
		n, ok := e.Body.(event.Notice)
		return ok && n.Level == event.LevelInfo && strings.Contains(n.Text, "was over")
	})
	if err := rt.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range w.all() {
		if m, ok := e.Body.(event.UserMessage); ok && m.ID == "m-2" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the message is told %d times", n)
	}
}

// E5: the thread is idle and the end of its turn never came; the engine's record tells it, once.
func TestLostEnd(t *testing.T) {
	rt, w, err := startFake(t, "lost-end", func(o *Options, _ *runtime.Start) { o.endGrace = time.Millisecond })
	if err != nil {
		t.Fatal(err)
	}
	send(t, rt, "m-1", "x")
	e, _ := w.wait(0, "end", is[event.TurnCompleted])
	if end := e.Body.(event.TurnCompleted); end.Outcome != event.Failure || len(end.Messages) != 1 {
		t.Errorf("%+v", end)
	}
}

func TestRefusedMessage(t *testing.T) {
	rt, w := mustStart(t, "refuses")
	send(t, rt, "m-1", "x")
	w.wait(0, "error", func(e event.Event) bool {
		n, ok := e.Body.(event.Notice)
		return ok && n.Level == event.LevelError
	})
}

// I-9: an engine that dies in a turn leaves it open; the exit is the last event, and later calls say what is wrong.
func TestDiesInATurn(t *testing.T) {
	rt, w := mustStart(t, "dies")
	send(t, rt, "m-1", "x")
	<-rt.Done()
	evs := w.all()
	last, ok := evs[len(evs)-1].Body.(event.EngineExited)
	if !ok || last.Class != event.ExitCode || last.Code != 5 {
		t.Errorf("%+v", evs[len(evs)-1])
	}
	for _, e := range evs {
		if is[event.TurnCompleted](e) {
			t.Error("the mapper made up an end")
		}
	}
	wantError(t, rt.Send(t.Context(), runtime.Message{ID: "m-2", Text: "y"}), event.ClassEngineGone)
	if err := rt.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// An engine that closed its output and lives on is stopped all the same.
func TestClosedOutput(t *testing.T) {
	rt, w := mustStart(t, "closes")
	send(t, rt, "m-1", "x")
	w.wait(0, "start", is[event.TurnStarted])
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := rt.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	evs := w.all()
	if last, ok := evs[len(evs)-1].Body.(event.EngineExited); !ok || last.Class != event.ExitStopped {
		t.Errorf("%+v", evs[len(evs)-1])
	}
}

// J7 and the key: an allow-list, the key only in the environment, rules gone, the home private.
func TestLaunch(t *testing.T) {
	t.Setenv("KEVA_SECRET_OF_ANOTHER", "x")
	t.Setenv("OPENAI_API_KEY", "x")
	s := runtime.Start{Session: "s-1", Provider: runtime.Provider{Name: `A "b" \c`, BaseURL: "http://127.0.0.1:1/v1", Key: "sk-secret"}}
	t.Setenv("PATH", "/usr/bin:/bin")
	o := Options{Binary: "/bin/codex", Helpers: "/rg", Env: []string{"HTTPS_PROXY=http://p:1", "NO_PROXY=corp.example"}}
	p, err := o.plan("/state/codex", s, "/p", nil)
	if err != nil {
		t.Fatal(err)
	}
	env := strings.Join(p.Env, "\n")
	for _, want := range []string{
		"PATH=/rg:/usr/bin:/bin", "CODEX_HOME=/state/codex", "KEVA_SESSION=s-1", keyEnv + "=sk-secret", "TERM=dumb", "GIT_DIR=/dev/null",
		"HTTPS_PROXY=http://p:1", "NO_PROXY=corp.example,127.0.0.1,localhost,::1",
	} {
		if !strings.Contains("\n"+env+"\n", "\n"+want+"\n") {
			t.Errorf("%s is missing in\n%s", want, env)
		}
	}
	if strings.Contains(env, "OPENAI_API_KEY") || strings.Contains(env, "ANOTHER") {
		t.Errorf("inherited too much:\n%s", env)
	}
	args := strings.Join(arguments(s.Provider), "\n")
	if !strings.Contains(args, `shell_environment_policy.exclude=["`+keyEnv+`","GIT_DIR"]`) {
		t.Errorf("what is the engine's reaches its commands:\n%s", args)
	}
	if strings.Contains(args, "sk-secret") {
		t.Errorf("the key is an argument:\n%s", args)
	}
	if !strings.Contains(args, `name="A \"b\" \\c",base_url="http://127.0.0.1:1/v1"`) {
		t.Errorf("badly quoted:\n%s", args)
	}
	if strings.Contains(strings.Join(arguments(runtime.Provider{}), " "), "model_provider") {
		t.Error("a provider without any being set")
	}
	state := t.TempDir()
	rules := filepath.Join(state, "home", "rules")
	if err := os.MkdirAll(rules, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(rules, "x.rules"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	home, err := prepareHome(state)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(home); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(rules); err != nil || len(left) != 0 {
		t.Errorf("rules are left: %v %v", left, err)
	}
}

// Trust is kept for a folder or for its repository, by either name of a linked one.
func TestUntrusted(t *testing.T) {
	root := resolved(t.TempDir())
	sub := filepath.Join(root, "repo", "sub")
	if err := os.MkdirAll(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "repo", ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(sub, link); err != nil {
		t.Fatal(err)
	}
	projects := untrusted(link)["projects"].(map[string]any)
	for _, dir := range []string{link, sub, filepath.Join(root, "repo")} {
		if _, ok := projects[dir]; !ok {
			t.Errorf("%s is not marked: %v", dir, projects)
		}
	}
}
