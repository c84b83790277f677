package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/turn"
)

// passes runs the sample project's own tests.
func passes(t *testing.T, dir string) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "tests/run.sh")
	cmd.Dir = dir
	return cmd.Run() == nil
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The main job, with both real engines: a prompt, cards, approvals, a fixed project, and all of it there after a restart.
func TestTour(t *testing.T) {
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			w := newWorld(t)
			dir := w.sample()
			if passes(t, dir) {
				t.Fatal("the sample project has nothing to fix")
			}
			before := read(t, filepath.Join(dir, "src/parse.sh"))
			changedBeforeAsked := false
			k := w.talk(engine, dir)
			k.answer = func(r turn.Request) runtime.Answer {
				if r.Approval != nil && len(r.Approval.Changes) > 0 && read(t, filepath.Join(dir, "src/parse.sh")) != before {
					changedBeforeAsked = true
				}
				return runtime.Answer{Decision: event.Allow, By: event.ByUser}
			}
			v := k.say("Start the tour")

			if v.Verdict != event.Success || v.Turn.Outcome != event.Success {
				t.Fatalf("verdict %q, turn %+v%s", v.Verdict, v.Turn, tail(k.shown, 10))
			}
			if !passes(t, dir) || changedBeforeAsked {
				t.Errorf("fixed: %v, changed before it was approved: %v", passes(t, dir), changedBeforeAsked)
			}
			var diff, command bool
			for _, r := range k.asked {
				if a := r.Approval; a != nil {
					command = command || strings.Contains(a.Command, "tests/run.sh")
					for _, c := range a.Changes {
						diff = diff || strings.HasSuffix(c.Path, "src/parse.sh") && c.Added > 0 && c.Removed > 0 && len(c.Hunks) > 0
					}
				}
			}
			if !diff || !command {
				t.Errorf("asked with diff: %v, with command: %v", diff, command)
			}
			changed := 0
			for _, b := range bodies[event.FileChange](k.shown) {
				if b.Outcome == event.Success {
					changed += len(b.Changes)
				}
			}
			if changed != 1 {
				t.Errorf("%d files changed", changed)
			}
			plans := bodies[event.Plan](k.shown)
			if len(plans) < 2 || plans[len(plans)-1].Steps[0].State != event.StepDone {
				t.Errorf("plans: %+v", plans)
			}
			web := bodies[event.WebActivity](k.shown)
			if len(web) == 0 || web[0].Query == "" {
				t.Errorf("web: %+v", web)
			}
			if st := finalState(k.shown); true {
				good, bad := 0, 0
				for _, task := range st.Tasks {
					switch {
					case task.Kind != event.TaskAgent:
					case task.Outcome == event.Success:
						good++
					case task.Outcome == event.Failure && task.Class != "":
						bad++
					default:
						t.Errorf("task %+v", task)
					}
				}
				if good != 1 || bad != 1 {
					t.Errorf("agents: %d succeeded, %d failed: %+v", good, bad, st.Tasks)
				}
				if len(st.Unrecognised) > 0 {
					t.Errorf("unrecognised: %v %+v", st.Unrecognised, bodies[event.Unrecognised](k.shown))
				}
			}

			// I-4, I-15: a restart shows the same.
			w.close()
			w.open()
			s, err := w.svc.Open(context.Background(), k.s.ID())
			if err != nil {
				t.Fatal(err)
			}
			u := <-s.Subscribe(t.Context())
			stored := u.Events
			if n := len(k.shown); len(stored) < n || !reflect.DeepEqual(stored[:n], k.shown) {
				t.Errorf("shown %d events, stored %d: they differ", n, len(stored))
			}
			if u.View.Meta.Title != "Start the tour" || u.View.Verdict != event.Success {
				t.Errorf("after the restart: %+v", u.View.Meta)
			}

			// The same session goes on with the engine's own memory.
			k2 := follow(t, s)
			k2.until(func(v2 sessionView) bool { return true })
			v = k2.say("#script hello")
			if v.Verdict != event.Success {
				t.Errorf("after the restart: verdict %q%s", v.Verdict, tail(k2.shown, 8))
			}
			for _, n := range bodies[event.Notice](k2.shown) {
				if n.Class == event.ClassResume {
					t.Errorf("the engine did not continue its session: %+v", n)
				}
			}
		})
	}
}

// What is denied does not happen, the model hears why, and the tour ends honestly.
func TestDenied(t *testing.T) {
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			w := newWorld(t)
			dir := w.sample()
			k := w.talk(engine, dir)
			k.answer = func(turn.Request) runtime.Answer {
				return runtime.Answer{Decision: event.Deny, By: event.ByUser, Reason: "not today"}
			}
			v := k.say("Start the tour")
			if passes(t, dir) {
				t.Error("the project was changed though everything was denied")
			}
			if v.Turn.Outcome != event.Success || len(k.asked) == 0 {
				t.Errorf("outcome %q, asked %d", v.Turn.Outcome, len(k.asked))
			}
			for _, b := range bodies[event.FileChange](k.shown) {
				if b.Outcome == event.Success {
					t.Errorf("a change is shown as done: %+v", b)
				}
			}
			for _, r := range finalState(k.shown).Requests {
				if r.Decision != event.Deny || r.By != event.ByUser {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

func finalState(evs []event.Event) *turn.State {
	s := &turn.State{}
	for _, e := range evs {
		s.Apply(e)
	}
	return s
}
