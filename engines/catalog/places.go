package catalog

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"keva/agent/event"
	"keva/engines/userland/pack"
	"keva/engines/userland/plan"
	"keva/engines/userland/unpack"
)

// Places are where engines can run on this machine. On Android there is the pack only: the system has nothing that they
// could run on.
type Places struct {
	// Data is Keva's data folder; the userland is installed below it.
	Data string
	// Chosen is the user's choice, asked anew at each start; nil or "" is the host. It does not matter on Android.
	Chosen func() plan.Kind
	// Find is that of Options, for what the host has.
	Find Find

	system string // runtime.GOOS; tests say another one
}

// UserlandDir is where packs are installed: the root that engines/userland/unpack takes.
func UserlandDir(data string) string { return filepath.Join(data, "userland") }

// ParsePlace reads the word that a flag or a setting holds.
func ParsePlace(word string) (plan.Kind, error) {
	switch k := plan.Kind(word); k {
	case plan.KindHost, plan.KindPack:
		return k, nil
	}
	return "", &event.Error{
		Class: event.ClassConfig, Message: fmt.Sprintf("Engines can't come from %q. Choose host (this computer) or pack.", word),
	}
}

// Kinds are the places to choose from, the default first.
func (p Places) Kinds() []plan.Kind {
	if p.android() {
		return []plan.Kind{plan.KindPack}
	}
	return []plan.Kind{plan.KindHost, plan.KindPack}
}

func (p Places) android() bool {
	system := p.system
	if system == "" {
		system = runtime.GOOS
	}
	return system == "android"
}

// Kind is the place that engines run in now.
func (p Places) Kind() plan.Kind {
	if p.Chosen != nil && p.Chosen() == plan.KindPack || p.android() {
		return plan.KindPack
	}
	return plan.KindHost
}

// Place is for Options.Place. An error is a *plan.Problem: no pack is installed, or it is damaged.
func (p Places) Place() (plan.Place, error) {
	if p.Kind() == plan.KindHost {
		return plan.Host(), nil
	}
	place, _, err := p.pack()
	return place, err
}

// pack is the userland that is installed.
func (p Places) pack() (plan.Place, unpack.Tree, error) {
	t, err := unpack.Current(UserlandDir(p.Data))
	if err != nil {
		if e := (*pack.Error)(nil); errors.As(err, &e) && e.Reason == pack.ReasonNone {
			err = plan.NoPack(err)
		} else {
			err = plan.Because(plan.HashMismatch, err) // it says which file, and what to do
		}
		return plan.Place{Kind: plan.KindPack}, t, err
	}
	place := plan.Pack(t.Root, p.Data)
	place.Verify = func(ctx context.Context) error { return verify(ctx, t) }
	return place, t, nil
}

// verify compares every file with what was packed.
func verify(ctx context.Context, t unpack.Tree) error {
	report, err := t.Check(ctx, unpack.Full)
	if err != nil || report.OK() {
		return err
	}
	var list []string
	for i, p := range report.Problems {
		if i == 20 {
			list = append(list, fmt.Sprintf("and %d more", len(report.Problems)-i))
			break
		}
		list = append(list, p.String())
	}
	return errors.New(strings.Join(list, "\n"))
}

// State is what is known of a place, for people.
type State struct {
	Kind  plan.Kind
	Label string
	Says  string // a sentence or two: what is there, and what to do when that is nothing
	Ready bool   // every engine is there
}

// States tells of every place. It reads a few files.
func (p Places) States() []State {
	var list []State
	for _, k := range p.Kinds() {
		switch k {
		case plan.KindHost:
			list = append(list, p.host())
		case plan.KindPack:
			list = append(list, p.packed())
		}
	}
	return list
}

func (p Places) host() State {
	s := State{Kind: plan.KindHost, Label: "This computer", Ready: true}
	var there, missing []string
	for _, e := range entries {
		found, err := p.Find(e.id)
		if err != nil {
			s.Ready = false
			missing = append(missing, sentence(err))
			continue
		}
		there = append(there, e.label+" "+found.Version)
	}
	if len(there) > 0 {
		missing = append([]string{"Installed: " + strings.Join(there, ", ") + "."}, missing...)
	}
	s.Says = strings.Join(missing, " ")
	return s
}

func (p Places) packed() State {
	s := State{Kind: plan.KindPack, Label: "The pack"}
	_, t, err := p.pack()
	if err != nil {
		s.Says = sentence(err)
		return s
	}
	var parts []string
	var size int64
	for _, part := range t.Manifest.Parts {
		size += part.Size
		if part.Version != "" {
			parts = append(parts, part.Name+" "+part.Version)
		}
	}
	s.Ready = true
	s.Says = fmt.Sprintf("Installed: %s; %d MB. Version %.8s.", strings.Join(parts, ", "), size/1e6, t.Manifest.ID)
	return s
}

// sentence is an error for people.
func sentence(err error) string {
	if e := (*event.Error)(nil); errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}
