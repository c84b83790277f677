// Package catalog is the list of the engines that this build has. It is the only place, beside main, that knows them all:
// a third engine is one more entry here.
package catalog

import (
	"fmt"
	"io"
	"path/filepath"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/runtime"
	"keva/engines"
	"keva/engines/claude"
	"keva/engines/codex"
	"keva/engines/install"
	"keva/engines/proc"
	"keva/engines/transcript"
	"keva/engines/userland/plan"
)

// Find locates an engine of the host by id. Its errors say how to install it.
type Find = func(id string) (install.Paths, error)

// Options say where engines are and where they may keep things.
type Options struct {
	Find Find
	// Place is where engines run, asked anew at each start; its errors say what to do. nil: the host. See Places.
	Place func() (plan.Place, error)
	// Road is asked for at each launch; its error says why there is no way to the network. nil: engines go by themselves.
	Road func(label string) (Road, error)
	// StateDir is Keva's data folder; each engine keeps its home below it.
	StateDir string
	Version  string // Keva's

	env []string // of a launch
}

// runs is where the run records of all engines lie.
func runs(stateDir string) string { return filepath.Join(stateDir, "run") }

// Reclaim ends what engines of an earlier run left running below stateDir: see proc.Reclaim. It is to be called once at
// the start, when the data folder is locked and before any engine is started.
func Reclaim(stateDir string) []proc.Reclaimed { return proc.Reclaim(runs(stateDir)) }

// entry is one engine.
type entry struct {
	id, label string
	kind      provider.Kind
	pack      plan.Program // where it lies in a userland, relative to its root
	hosts     []string     // where its own sign-in is served: the provider that Keva's gateway does not stand before
	make      func(Options, plan.Place, plan.Program) runtime.Factory
	mapper    func() engines.Mapper
}

var entries = []entry{
	{
		id: "claude", label: "Claude Code", kind: provider.Anthropic, hosts: []string{"api.anthropic.com"},
		pack: plan.Program{Binary: "opt/claude/claude"},
		make: func(o Options, place plan.Place, p plan.Program) runtime.Factory {
			return claude.New(claude.Options{
				Binary: p.Binary, Place: place, StateDir: filepath.Join(o.StateDir, "engines", "claude"), RecordDir: runs(o.StateDir),
				Env: o.env,
			})
		},
		mapper: func() engines.Mapper { return claude.NewMapper("") },
	},
	{
		id: "codex", label: "Codex", kind: provider.Responses, hosts: []string{"chatgpt.com", "api.openai.com"},
		pack: plan.Program{
			Binary: "opt/codex/bin/codex", Path: "opt/codex/codex-path", Beside: []string{"opt/codex/bin/codex-code-mode-host"},
		},
		make: func(o Options, place plan.Place, p plan.Program) runtime.Factory {
			return codex.New(codex.Options{
				Binary: p.Binary, Helpers: p.Path, Place: place, StateDir: filepath.Join(o.StateDir, "engines", "codex"), AppVersion: o.Version,
				RecordDir: runs(o.StateDir), Env: o.env,
			})
		},
		mapper: func() engines.Mapper { return codex.NewMapper() },
	},
}

// Factories returns the engines, the default first. Nothing is looked for before one is started.
func Factories(o Options) []runtime.Factory {
	var list []runtime.Factory
	for _, e := range entries {
		list = append(list, located{e, o})
	}
	return list
}

// Kind is the protocol that an engine speaks to its provider; "" for an engine that this build does not have.
func Kind(id string) provider.Kind {
	for _, e := range entries {
		if e.id == id {
			return e.kind
		}
	}
	return ""
}

// Hosts are where an engine's own sign-in is served; nil for an engine that this build does not have.
func Hosts(id string) []string {
	for _, e := range entries {
		if e.id == id {
			return e.hosts
		}
	}
	return nil
}

// Replay maps a recording of either engine, told from its content, through the product's own mapper. Events come numbered,
// with the times of the recording. No engine is started.
func Replay(r io.Reader) ([]event.Event, error) {
	rec, err := transcript.Read(r)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.id != rec.Engine {
			continue
		}
		m := e.mapper()
		var evs []event.Event
		for _, f := range rec.Frames {
			for _, ev := range m.Map(f) {
				ev.Seq, ev.Session = int64(len(evs)+1), "replay"
				evs = append(evs, ev)
			}
		}
		if rec.Skipped > 0 {
			evs = append(evs, event.Event{Seq: int64(len(evs) + 1), Session: "replay", Body: event.Notice{
				Level: event.LevelWarning, Text: fmt.Sprintf("%d lines of the recording could not be read; it may be torn.", rec.Skipped),
			}})
		}
		return evs, nil
	}
	return nil, &event.Error{
		Class:   event.ClassRequest,
		Message: "This is not a recording of an engine that Keva knows. It takes files of lines {\"t\":…,\"dir\":…,\"line\":…}.",
		Detail:  rec.Engine,
	}
}
