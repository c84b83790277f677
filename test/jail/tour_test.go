//go:build jail

package jail

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/turn"
	"keva/engines/demo"
	"keva/engines/proc"
	"keva/test/jail/drive"
	"keva/test/jail/lab"
)

// engines are those of the pack.
var engines = []string{"claude", "codex"}

// told is all that a driver said.
type told struct {
	Session   string
	Reclaimed []proc.Reclaimed
	Events    []event.Event
	Asked     []drive.Asked
	Settled   *drive.Settled
}

// keva runs Keva in the jail for one prompt.
func keva(t *testing.T, policy string, task drive.Task) told {
	t.Helper()
	text, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	out, err := run(t, app(t, policy, lab.Driver, "keva", string(text)))
	if err != nil {
		t.Fatalf("the driver: %v\n%s", err, tail(out))
	}
	var all told
	for line := range strings.Lines(out) {
		var s drive.Said
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("the driver says %q: %v", line, err)
		}
		all.Reclaimed = append(all.Reclaimed, s.Reclaimed...)
		switch {
		case s.Session != "":
			all.Session = s.Session
		case s.Event != nil:
			all.Events = append(all.Events, *s.Event)
		case s.Asked != nil:
			all.Asked = append(all.Asked, *s.Asked)
		case s.Settled != nil:
			all.Settled = s.Settled
		}
	}
	if task.Prompt != "" && all.Settled == nil {
		t.Fatalf("nothing was settled:\n%s", tail(out))
	}
	return all
}

// Complete tours of both real engines, by Keva's own adapters, under every policy: cards, approvals, a changed file,
// helpers, and a session that goes on in a new process.
func TestTour(t *testing.T) {
	for _, policy := range policies() {
		for _, engine := range engines {
			t.Run(policy+"/"+engine, func(t *testing.T) {
				t.Parallel()
				tour(t, policy, engine)
			})
		}
	}
}

func tour(t *testing.T, policy, engine string) {
	dir := folder(t, "tour-"+policy+"-"+engine)
	task := drive.Task{
		Tree: jail.Tree, Data: dir + "/data", Engine: engine, Project: dir + "/projects/ledger größe", Prompt: "Start the tour",
		Slow: emulated(), Model: model(engine),
	}
	before := sample(t, "src/parse.sh")
	all := keva(t, policy, task)
	if s := all.Settled; s.Verdict != event.Success || s.Turn.Outcome != event.Success {
		t.Fatalf("verdict %q, turn %+v%s", s.Verdict, s.Turn, last(all.Events))
	}
	after, err := os.ReadFile(jail.Root + task.Project + "/src/parse.sh")
	if err != nil || string(after) == before {
		t.Errorf("the file was not changed: %v", err)
	}
	tests := config(t, policy, jail.Tree+"/usr/bin/bash", "tests/run.sh")
	tests.Dir = task.Project
	if out, err := run(t, tests); err != nil {
		t.Errorf("the project's own tests fail after the tour: %v\n%s", err, out)
	}
	approvals(t, all.Asked, before)
	stream(t, all, task.Model == "")

	task.Session, task.Prompt = all.Session, "#script hello"
	again := keva(t, policy, task)
	if !reflect.DeepEqual(again.Events[:len(all.Events)], all.Events) {
		t.Error("after a restart the history is another one")
	}
	if again.Settled.Verdict != event.Success {
		t.Errorf("after a restart: %q%s", again.Settled.Verdict, last(again.Events))
	}
	for _, n := range bodies[event.Notice](again.Events) {
		if n.Class == event.ClassResume {
			t.Errorf("the engine did not go on with its session: %+v", n)
		}
	}
	for _, r := range append(all.Reclaimed, again.Reclaimed...) {
		t.Errorf("an engine was left by an orderly end: %+v", r)
	}
}

// model is the one to ask for; "" is the demo's own. For that one Codex runs its tools out of a program of its own, whose
// JavaScript engine does not survive qemu's emulation; for an older one it runs them itself.
func model(engine string) string {
	if emulated() && engine == "codex" {
		return "gpt-5.5"
	}
	return ""
}

// sample reads a file of the sample project as it is before the tour.
func sample(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ledger")
	if err := demo.NewProject(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// approvals checks that the change and the command were asked for, with what they are, and that nothing was changed before.
func approvals(t *testing.T, asked []drive.Asked, before string) {
	t.Helper()
	var diff, command bool
	for _, a := range asked {
		r := a.Request.Approval
		if r == nil {
			continue
		}
		command = command || strings.Contains(r.Command, "tests/run.sh")
		for _, c := range r.Changes {
			if !strings.HasSuffix(c.Path, "src/parse.sh") {
				continue
			}
			diff = diff || c.Added > 0 && c.Removed > 0 && len(c.Hunks) > 0
			if a.File != before {
				t.Error("the file was changed before that was approved")
			}
		}
	}
	if !diff || !command {
		t.Errorf("asked with difference: %v, with command: %v, of %d requests", diff, command, len(asked))
	}
}

// stream checks the events: what the tour shows is there, everything that began has an end, nothing is unrecognised. An
// older model is offered no helpers.
func stream(t *testing.T, all told, helpers bool) {
	t.Helper()
	state := &turn.State{}
	for i, e := range all.Events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has the number %d", i+1, e.Seq)
		}
		state.Apply(e)
	}
	if len(state.Unrecognised) > 0 {
		t.Errorf("unrecognised: %v %+v", state.Unrecognised, bodies[event.Unrecognised](all.Events))
	}
	changed := 0
	for _, b := range bodies[event.FileChange](all.Events) {
		if b.Outcome == event.Success {
			changed += len(b.Changes)
		}
	}
	if changed != 1 {
		t.Errorf("%d files changed", changed)
	}
	if plans := bodies[event.Plan](all.Events); len(plans) < 2 || plans[len(plans)-1].Steps[0].State != event.StepDone {
		t.Errorf("plans: %+v", plans)
	}
	if web := bodies[event.WebActivity](all.Events); len(web) == 0 || web[0].Query == "" {
		t.Errorf("web: %+v", web)
	}
	outcomes := map[event.Outcome]int{}
	for _, task := range all.Settled.Tasks {
		if task.Kind == event.TaskAgent {
			outcomes[task.Outcome]++
		}
	}
	if !helpers {
		if len(outcomes) > 0 {
			t.Errorf("helpers that nobody offered: %v", outcomes)
		}
	} else if outcomes[event.Success] != 1 || outcomes[event.Failure] != 1 || len(outcomes) != 2 {
		t.Errorf("helpers: %v", outcomes)
	}
	open := map[string]bool{}
	for _, e := range all.Events {
		switch b := e.Body.(type) {
		case event.ToolStarted:
			open[b.ID] = true
		case event.ToolEnded:
			delete(open, b.ID)
		}
	}
	if len(open) > 0 {
		t.Errorf("calls without an end: %v", open)
	}
}

// bodies collects the bodies of one kind.
func bodies[B event.Body](evs []event.Event) []B {
	var out []B
	for _, e := range evs {
		if b, ok := e.Body.(B); ok {
			out = append(out, b)
		}
	}
	return out
}

func last(evs []event.Event) string {
	var b bytes.Buffer
	for _, e := range evs[max(0, len(evs)-12):] {
		fmt.Fprintf(&b, "\n  %s %s %+v", e.Turn, e.Body.Kind(), e.Body)
	}
	return b.String()
}
