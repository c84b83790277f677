package kill

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"keva/agent/event"
	"keva/engines/demo"
	"keva/engines/install"
)

// campaign kills one app after the other, over the same data, and counts.
type campaign struct {
	t        *testing.T
	task     task
	stranger *stranger
	reset    func() // puts the project back, so that each tour has its work to do

	// Of the quickest run that nobody disturbed.
	span   time.Duration
	events int

	kills, compared, orphans, resumed, fresh int
	phases                                   map[string]int
}

// moment is when to kill: after a time, or after a number of events, or right at the nth event of a kind.
type moment struct {
	after  time.Duration
	events int
	kind   event.Kind
	nth    int
}

func (m moment) String() string {
	switch {
	case m.kind != "":
		return fmt.Sprintf("at %s number %d", m.kind, m.nth)
	case m.events > 0:
		return fmt.Sprintf("after %d events", m.events)
	}
	return "after " + m.after.String()
}

// pick is a random moment: anywhere between the start of the process and the time after its work, or among the events,
// which are crowded, or at one that opens or closes something.
func (c *campaign) pick() moment {
	kinds := []event.Kind{
		event.KindUserMessage, event.KindTurnStarted, event.KindToolStarted, event.KindApprovalAsked, event.KindApprovalResolved,
		event.KindTaskStarted, event.KindToolEnded, event.KindTurnCompleted,
	}
	switch k := rand.IntN(8); {
	case k < 3:
		return moment{after: rand.N(c.span * 11 / 10)}
	case k < 5:
		return moment{events: 1 + rand.IntN(c.events)}
	}
	return moment{kind: kinds[rand.IntN(len(kinds))], nth: 1 + rand.IntN(4)}
}

// run runs the app until m, or until it has nothing to do any more, kills it, and returns what it had shown.
func (c *campaign) run(m moment) (session string, shown []event.Event) {
	t := c.t
	t.Helper()
	spec, err := json.Marshal(c.task)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+roleApp, taskEnv+"="+string(spec))
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	kill := func() { _ = cmd.Process.Kill() } // SIGKILL; nothing to do when it is gone
	hung := make(chan struct{})
	late := time.AfterFunc(patience, func() { close(hung); kill() })
	defer late.Stop()
	if m.after > 0 {
		defer time.AfterFunc(m.after, kill).Stop()
	}
	in := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			break // a line that the kill cut was not shown
		}
		if err != nil {
			t.Fatal(err)
		}
		var l said
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatalf("the app says %q: %v", line, err)
		}
		switch {
		case l.Session != "":
			session = l.Session
		case l.Event != nil:
			shown = append(shown, *l.Event)
			if m.kind == l.Event.Body.Kind() {
				m.nth--
			}
			if m.events > 0 && len(shown) == m.events || m.kind == l.Event.Body.Kind() && m.nth == 0 {
				kill()
			}
		case l.Settled:
			if m.after == 0 { // it will not come to that moment any more
				kill()
			}
			if took := time.Since(begun); c.span == 0 || took < c.span { // the first start was the slowest
				c.span, c.events = took, len(shown)
			}
		}
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("the app ended by itself %s: %v\n%s", m, err, complaints.String())
	}
	select {
	case <-hung:
		t.Fatalf("the app did nothing more for %s %s\n%s\n%s", patience, m, complaints.String(), last(shown, 12))
	default:
	}
	return session, shown
}

// patience is how long a tour may take, on a slow machine that does other things as well.
const patience = 90 * time.Second

func last(evs []event.Event, n int) string {
	var b strings.Builder
	for _, e := range evs[max(0, len(evs)-n):] {
		fmt.Fprintf(&b, "  %s %s %s %+v\n", e.Turn, e.Scope, e.Body.Kind(), e.Body)
	}
	return b.String()
}

// survive is one kill and all that must hold after it.
func (c *campaign) survive(m moment) {
	t := c.t
	t.Helper()
	_, history := c.stored()
	id, shown := c.run(m)
	c.kills++
	c.compared += len(shown)
	c.orphans += len(ours(t, c.task.Home))
	defer func() {
		if t.Failed() {
			t.Logf("killed %s, %d events shown", m, len(shown))
		}
	}()
	c.reopen(id, history, shown)
	c.stranger.check(t)
	c.reset()
}

func (c *campaign) report(what string) {
	var phases []string
	for p, n := range c.phases {
		phases = append(phases, fmt.Sprintf("%s %d", p, n))
	}
	sort.Strings(phases)
	c.t.Logf("%s: %d kills of Keva survived (%s), %d events compared, %d processes left behind and ended, the engine's own session continued %d times, begun anew %d times",
		what, c.kills, strings.Join(phases, ", "), c.compared, c.orphans, c.resumed, c.fresh)
}

func newCampaign(t *testing.T, engine string) *campaign {
	t.Helper()
	// What this machine's user has in their shell's profile is not the matter, and must not be killed half-way.
	t.Setenv("HOME", t.TempDir())
	c := &campaign{t: t, stranger: newStranger(t), phases: map[string]int{}, reset: func() {}}
	c.task = task{Home: t.TempDir(), Engine: engine, Project: t.TempDir(), Prompt: "Start the tour", Slow: 60}
	return c
}

// anew begins with empty folders: also the very first start of an app can be killed.
func (c *campaign) anew() {
	c.task.Home, c.task.Session = c.t.TempDir(), ""
}

// With the scripted engine, whose tour takes a fifth of a second: many moments.
func TestKillWithTheScriptedEngine(t *testing.T) {
	c := newCampaign(t, "scripted")
	c.survive(moment{kind: event.KindHeartbeat}) // never comes: the undisturbed run
	const perHome = 10
	for n := kills(100) - 1; n > 0; n-- {
		if n%perHome == 0 {
			c.anew()
		}
		c.survive(c.pick())
	}
	c.report("scripted engine")
	for _, phase := range []string{"running", "needs_you", "settled"} {
		if c.phases[phase] == 0 {
			t.Errorf("no kill in the phase %q: the moments are badly chosen", phase)
		}
	}
}

// With the real engines, on the demo: fewer, since a start takes seconds.
func TestKillWithTheRealEngines(t *testing.T) {
	for _, engine := range []string{"claude", "codex"} {
		t.Run(engine, func(t *testing.T) {
			cache, err := install.CacheDir()
			if err != nil {
				t.Fatal(err)
			}
			c := newCampaign(t, engine)
			if _, err := install.Ensure(context.Background(), install.Default(), engine, cache, func(s string) { t.Log(s) }); err != nil {
				t.Fatal(err)
			}
			c.task.Cache = cache
			c.task.Project = filepath.Join(c.task.Project, "ledger")
			if err := demo.NewProject(c.task.Project); err != nil {
				t.Fatal(err)
			}
			c.task.Slow = 100
			c.reset = func() {
				if err := demo.ResetProject(c.task.Project); err != nil {
					t.Fatal(err)
				}
			}
			c.survive(moment{kind: event.KindHeartbeat})
			for range kills(6) - 1 {
				c.survive(c.pick())
			}
			c.report(engine)
		})
	}
}
