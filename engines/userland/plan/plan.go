// Package plan says how an engine is launched, as data: which program, with which arguments, in which environment and
// folder. It also says why a launch can't work, before and after it was tried. One code path serves engines of the host and
// those of the userland; only the Place differs.
//
// It must never know which engines exist, never pass on a variable that nobody named, and never put anything between Keva
// and the engine: launched through a loader or a shell, an engine takes that for itself (/proc/self/exe) and its own tools
// break.
package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"keva/agent/event"
	"keva/engines/proc"
)

// SessionEnv marks the engine and all that it starts as belonging to one of Keva's sessions. proc.MarkerEnv, which is unique
// to a process, is added when it starts.
const SessionEnv = "KEVA_SESSION"

// Request is what an adapter wants to launch.
type Request struct {
	Place   Place
	Program Program
	Args    []string // without argv[0]
	Dir     string   // working folder: the project; absolute
	Session string   // Keva's session id, "" = none
	Home    string   // HOME of the engine, when that is not the user's
	Temp    string   // TMPDIR where the place has none of its own
	// Own is the engine's own variables, NAME=value. They win over the place's.
	Own []string
	// Secret is the same for what must not be shown or logged.
	Secret []string
	// Extra is what the composition adds: proxies, certificates. It wins over everything.
	Extra []string
}

// Plan is a launch that was thought through and not yet done.
type Plan struct {
	Path string   // the engine's own program, absolute
	Args []string // without argv[0]
	Env  []string // the whole environment, sorted by name; each name once
	Dir  string
	// Marker is the variable, NAME=value, by which descendants are told from strangers; "" = none.
	Marker string

	secret []string // names
}

// New makes the plan. An error is a *Problem.
func New(r Request) (Plan, error) {
	r.Place = r.Place.orHost()
	switch {
	case r.Program.Binary == "":
		return Plan{}, r.Place.problem(NotInstalled, or(r.Program.Label, "The engine"), "no program is named")
	case !filepath.IsAbs(r.Program.Binary):
		return Plan{}, r.Place.problem(ProgramMissing, r.Program.Binary, "not an absolute path")
	}
	p := Plan{Path: r.Program.Binary, Args: slices.Clone(r.Args), Dir: r.Dir}
	if r.Session != "" {
		p.Marker = SessionEnv + "=" + r.Session
	}
	for _, kv := range r.Secret {
		name, _, _ := strings.Cut(kv, "=")
		p.secret = append(p.secret, name)
	}
	env, err := environment(r, p.Marker)
	if err != nil {
		return Plan{}, err
	}
	p.Env = env
	return p, nil
}

// Spec is the plan as engines/proc runs it. The caller adds its readers and its record.
func (p Plan) Spec() proc.Spec {
	return proc.Spec{Path: p.Path, Args: p.Args, Env: p.Env, Dir: p.Dir}
}

// Get is a variable's value, "" when the plan has none of that name.
func (p Plan) Get(name string) string {
	for _, kv := range p.Env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// String is the plan for people and logs: secrets are left out.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cd %s\n", p.Dir)
	for _, kv := range p.Env {
		if name, _, _ := strings.Cut(kv, "="); slices.Contains(p.secret, name) {
			kv = name + "=…"
		}
		fmt.Fprintln(&b, kv)
	}
	fmt.Fprintf(&b, "%s %q\n", p.Path, p.Args)
	return b.String()
}

// broken is for what only a fault of Keva's own can bring about.
func broken(detail string) error {
	return &event.Error{
		Class: event.ClassEngine, Message: "The engine's start was prepared wrongly. Report this with the detail.", Detail: detail,
	}
}
