package claude

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/slot"
)

// patience bounds every wait of these tests; it is never a synchronisation.
const patience = 30 * time.Second

// record collects events and lets a test wait for one.
type record struct {
	mu   sync.Mutex
	evs  []event.Event
	more chan struct{}
}

func newRecord() *record { return &record{more: make(chan struct{})} }

func (r *record) sink(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.evs = append(r.evs, e)
	close(r.more)
	r.more = make(chan struct{})
}

func (r *record) all() []event.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.evs)
}

// await returns the first body of type B that is right.
func await[B event.Body](t *testing.T, r *record, right func(B) bool) B {
	t.Helper()
	deadline := time.After(patience)
	for {
		r.mu.Lock()
		more, evs := r.more, slices.Clone(r.evs)
		r.mu.Unlock()
		for _, e := range evs {
			if b, ok := e.Body.(B); ok && (right == nil || right(b)) {
				return b
			}
		}
		select {
		case <-more:
		case <-deadline:
			var b B
			t.Fatalf("no %s came:\n%s", b.Kind(), render(evs, nil))
		}
	}
}

func lease(t *testing.T) *slot.Lease {
	t.Helper()
	l, err := new(slot.Slot).Acquire(context.Background(), slot.Holder{Who: "test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// factory returns a factory whose engine is this test binary in the given mode.
func factory(t *testing.T, mode string, env ...string) *Factory {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Binary: self, StateDir: filepath.Join(t.TempDir(), "claude"), Env: append(env, "KEVA_FAKE="+mode)})
}

func start(t *testing.T, f *Factory, s runtime.Start) (runtime.Runtime, *record) {
	t.Helper()
	if s.Dir == "" {
		s.Dir = t.TempDir()
	}
	r := newRecord()
	rt, err := f.Start(context.Background(), lease(t), s, r.sink)
	if err != nil {
		t.Fatal(err, detail(err))
	}
	t.Cleanup(func() {
		if err := rt.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return rt, r
}

func detail(err error) string {
	var e *event.Error
	if errors.As(err, &e) {
		return e.Detail
	}
	return ""
}

func send(t *testing.T, rt runtime.Runtime, text string) {
	t.Helper()
	if err := rt.Send(context.Background(), runtime.Message{ID: "id-" + text, Text: text}); err != nil {
		t.Fatal(err)
	}
}

// A start that fails says why and what to do, and leaves nothing in the session.
func TestUnhappyStarts(t *testing.T) {
	for _, c := range []struct {
		mode, message, detail string
		class                 event.Class
	}{
		{"exits", "exit code 3", "something is missing", event.ClassEngine},
		{"exits quietly", "without saying why", "", event.ClassEngine},
		{"garbage", "not its protocol", "Usage: other-program", event.ClassEngine},
		{"silent", "never answered", "", event.ClassEngine},
		{"lost", "does not have this conversation", "s-1", event.ClassResume},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			if c.mode == "silent" {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, 500*time.Millisecond)
				defer cancel()
			}
			r := newRecord()
			_, err := factory(t, c.mode).Start(ctx, lease(t), runtime.Start{Dir: t.TempDir(), Resume: "s-1"}, r.sink)
			var e *event.Error
			if !errors.As(err, &e) || e.Class != c.class || !strings.Contains(e.Message, c.message) || !strings.Contains(e.Detail, c.detail) {
				t.Fatalf("%+v", err)
			}
			if n := len(r.all()); n > 0 {
				t.Errorf("%d events of an engine that never was", n)
			}
		})
	}
}

func TestMissingBinaryAndLease(t *testing.T) {
	f := New(Options{Binary: filepath.Join(t.TempDir(), "claude"), StateDir: t.TempDir()})
	var e *event.Error
	if _, err := f.Start(context.Background(), lease(t), runtime.Start{Dir: t.TempDir()}, newRecord().sink); !errors.As(err, &e) || !strings.Contains(e.Message, "not there") {
		t.Errorf("%v", err)
	}
	if _, err := f.Check(context.Background(), lease(t)); !errors.As(err, &e) {
		t.Errorf("%v", err)
	}
	used := lease(t)
	used.Release()
	if _, err := f.Start(context.Background(), used, runtime.Start{Dir: t.TempDir()}, newRecord().sink); err != errNoLease {
		t.Errorf("started without the slot (I-13): %v", err)
	}
	if _, err := f.Check(context.Background(), nil); err != errNoLease {
		t.Errorf("checked without the slot (I-13): %v", err)
	}
}

func TestCheck(t *testing.T) {
	for said, want := range map[string]string{
		Version + " (Claude Code)": "",
		"2.0.0 (Claude Code)":      "Keva was made for",
		"codex-cli 1.0":            "is not Claude Code",
		"":                         "is not Claude Code",
	} {
		v, err := factory(t, "version", "KEVA_FAKE_VERSION="+said).Check(context.Background(), lease(t))
		if want == "" && (err != nil || v != Version) {
			t.Errorf("%q: %q %v", said, v, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", said, err)
		}
	}
}

// No line is too long, and no byte ends the stream (I3, I4).
func TestHostileOutput(t *testing.T) {
	rt, r := start(t, factory(t, "ok"), runtime.Start{})
	send(t, rt, "big")
	b := await(t, r, func(b event.TextFinal) bool { return true })
	if len(b.Text) != 20<<20 {
		t.Errorf("%d bytes", len(b.Text))
	}
	await[event.TurnCompleted](t, r, nil)
	send(t, rt, "broken")
	await(t, r, func(u event.Unrecognised) bool { return u.Type == "from the future" })
	send(t, rt, "hello")
	await(t, r, func(m event.TurnCompleted) bool { return slices.Contains(m.Messages, "id-hello") })
}

// I-12, G8: one answer reaches the engine, whoever is second.
func TestAnswerOnce(t *testing.T) {
	rt, r := start(t, factory(t, "ok"), runtime.Start{})
	send(t, rt, "ask")
	await[event.ApprovalAsked](t, r, nil)
	var wg sync.WaitGroup
	var mu sync.Mutex
	first := 0
	for range 8 {
		wg.Go(func() {
			ok, err := rt.Answer(context.Background(), "r1", runtime.Answer{Decision: event.Allow, By: event.ByRule, Reason: "always"})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if ok {
				first++
			}
		})
	}
	wg.Wait()
	if first != 1 {
		t.Errorf("%d answers were the first", first)
	}
	heard := await(t, r, func(b event.TextFinal) bool { return strings.HasPrefix(b.Text, "answer") })
	if !strings.Contains(heard.Text, `"behavior":"allow"`) || !strings.Contains(heard.Text, `"updatedInput":{"command":"make <all> & go"}`) {
		t.Errorf("the engine heard %s", heard.Text)
	}
	resolved := await[event.ApprovalResolved](t, r, nil)
	if resolved.By != event.ByRule || resolved.Reason != "always" || resolved.Decision != event.Allow {
		t.Errorf("%+v", resolved)
	}
	if ok, err := rt.Answer(context.Background(), "nobody", runtime.Answer{Decision: event.Allow}); ok || err != nil {
		t.Errorf("an unknown request: %v %v", ok, err)
	}
	if _, err := rt.Answer(context.Background(), "r1", runtime.Answer{Decision: event.Lost}); err == nil {
		t.Error("lost is no answer")
	}
	// Written once: the next line that the engine hears is the next thing that is sent.
	send(t, rt, "hello")
	await(t, r, func(m event.TurnCompleted) bool { return true })
	answers := 0
	for _, e := range r.all() {
		if b, ok := e.Body.(event.TextFinal); ok && strings.HasPrefix(b.Text, "answer") {
			answers++
		}
	}
	if answers != 1 {
		t.Errorf("the engine heard %d answers", answers)
	}
}

func TestQuestionCarriesAnswers(t *testing.T) {
	rt, r := start(t, factory(t, "ok"), runtime.Start{})
	send(t, rt, "question")
	q := await[event.QuestionAsked](t, r, nil)
	a := runtime.Answer{Decision: event.Allow, By: event.ByUser, Answers: map[string][]string{q.Questions[0].ID: {"A", "B"}}}
	if ok, err := rt.Answer(context.Background(), q.ID, a); !ok || err != nil {
		t.Fatal(ok, err)
	}
	heard := await(t, r, func(b event.TextFinal) bool { return strings.HasPrefix(b.Text, "answer") })
	if !strings.Contains(heard.Text, `"answers":{"Which?":"A, B"}`) || !strings.Contains(heard.Text, `"extra":1`) {
		t.Errorf("the engine heard %s", heard.Text)
	}
	told := await[event.QuestionAnswered](t, r, nil)
	if !slices.Equal(told.Answers["Which?"], []string{"A", "B"}) {
		t.Errorf("%+v", told)
	}
}

// I-12, G5: a request that can't be read, or that nobody serves, is declined; the engine never waits for ever.
func TestUnreadableRequestsAreDeclined(t *testing.T) {
	rt, r := start(t, factory(t, "ok"), runtime.Start{})
	send(t, rt, "ask badly")
	for id, want := range map[string]string{"r2": `"deny"`, "r3": `"error"`, "r4": `"error"`} {
		await(t, r, func(b event.TextFinal) bool {
			return strings.Contains(b.Text, `"`+id+`"`) && strings.Contains(b.Text, want)
		})
	}
	if b := await[event.ApprovalResolved](t, r, nil); b.ID != "r2" || b.By != event.ByError || b.Decision != event.Deny {
		t.Errorf("%+v", b)
	}
	await(t, r, func(u event.Unrecognised) bool { return strings.Contains(u.Type, "can_use_tool") })
}

// What Keva says is in the stream before it is written, and the end of the process is the last event.
func TestOrderAndEnd(t *testing.T) {
	rt, r := start(t, factory(t, "ok"), runtime.Start{})
	send(t, rt, "die")
	<-rt.Done()
	evs := r.all()
	kinds := map[event.Kind]int{}
	for i, e := range evs {
		kinds[e.Body.Kind()] = i
	}
	if kinds[event.KindUserMessage] > kinds[event.KindSessionReady] {
		t.Error("the engine answered before the message was in the stream")
	}
	last, ok := evs[len(evs)-1].Body.(event.EngineExited)
	if !ok || last.Class != event.ExitCode || last.Code != 9 {
		t.Errorf("last event %+v", evs[len(evs)-1])
	}
	err := rt.Send(context.Background(), runtime.Message{ID: "x", Text: "more"})
	var e *event.Error
	if !errors.As(err, &e) || e.Class != event.ClassEngineGone {
		t.Errorf("%v", err)
	}
	if n := len(r.all()); n != len(evs) {
		t.Error("an event came after the exit")
	}
}

// A stop answers what is asked, interrupts the turn and leaves no process.
func TestStop(t *testing.T) {
	rt, r := start(t, factory(t, "ok"), runtime.Start{})
	send(t, rt, "ask")
	await[event.ApprovalAsked](t, r, nil)
	if err := rt.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if b := await[event.ApprovalResolved](t, r, nil); b.By != event.ByStop || b.Decision != event.Deny {
		t.Errorf("%+v", b)
	}
	if b := await[event.TurnCompleted](t, r, nil); b.Outcome != event.Interrupted {
		t.Errorf("%+v", b)
	}
	if b := await[event.EngineExited](t, r, nil); b.Class != event.ExitStopped || b.Rung != "stdin" {
		t.Errorf("%+v", b)
	}
	if err := rt.Stop(context.Background()); err != nil {
		t.Errorf("the second stop: %v", err)
	}
}

func TestInterrupt(t *testing.T) {
	rt, r := start(t, factory(t, "ok"), runtime.Start{})
	send(t, rt, "hang")
	await[event.SessionReady](t, r, nil)
	if err := rt.Interrupt(context.Background()); err != nil {
		t.Fatal(err)
	}
	if b := await[event.TurnCompleted](t, r, nil); b.Outcome != event.Interrupted || b.Error != nil {
		t.Errorf("%+v", b)
	}
}

// An engine that closed its stdout is lost: that is said, and it is ended.
func TestClosedStdout(t *testing.T) {
	rt, r := start(t, factory(t, "ok"), runtime.Start{})
	send(t, rt, "close stdout")
	await(t, r, func(n event.Notice) bool {
		return n.Level == event.LevelError && strings.Contains(n.Text, "stopped talking")
	})
	select {
	case <-rt.Done():
	case <-time.After(patience):
		t.Fatal("it still runs")
	}
	await[event.EngineExited](t, r, nil)
}

// I-16: an engine that would not ask is stopped, and says why.
func TestModeThatAsksNobody(t *testing.T) {
	rt, r := start(t, factory(t, "ok"), runtime.Start{})
	send(t, rt, "unsafe mode")
	await(t, r, func(n event.Notice) bool {
		return n.Level == event.LevelError && strings.Contains(n.Detail, "bypassPermissions")
	})
	select {
	case <-rt.Done():
	case <-time.After(patience):
		t.Fatal("it still runs")
	}
}

// A resume that opens another conversation is told, not adopted silently.
func TestOtherSessionIsTold(t *testing.T) {
	rt, r := start(t, factory(t, "ok"), runtime.Start{Resume: "s-0"})
	send(t, rt, "hello")
	await(t, r, func(n event.Notice) bool {
		return n.Class == event.ClassResume && strings.Contains(n.Detail, "asked for session s-0, got s-1")
	})
}
