package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/slot"
	"keva/engines/install"
	"keva/engines/userland/pack"
	"keva/engines/userland/pack/packtest"
	"keva/engines/userland/plan"
	"keva/engines/userland/unpack"

	keva "keva/agent/runtime"
)

var never Find = func(string) (install.Paths, error) { return install.Paths{}, errors.New("looked for on the host") }

// installed is a data folder with a small userland in it, which names the engines and has little else.
func installed(t *testing.T) (Places, unpack.Tree) {
	t.Helper()
	entries := []pack.Entry{packtest.Folder("usr"), packtest.Folder("opt"), packtest.Text("usr/word", 0o644, "word")}
	for _, part := range []struct{ name, file string }{{"claude", "claude"}, {"codex", "bin/codex"}} {
		dir := "opt/" + part.name
		list := []pack.Entry{packtest.Folder(dir)}
		if folder, _, deep := strings.Cut(part.file, "/"); deep {
			list = append(list, packtest.Folder(dir+"/"+folder))
		}
		entries = append(entries, packtest.In(part.name, append(list, packtest.Text(dir+"/"+part.file, 0o755, strings.Repeat(part.name, 1e6)))...)...)
	}
	var file strings.Builder
	spec := pack.Spec{Arch: runtime.GOARCH, Policy: "test", Parts: []pack.Part{{Name: "base"}, {Name: "claude", Version: "9.1"}, {Name: "codex", Version: "8.2"}}}
	if _, err := pack.Write(t.Context(), &file, spec, entries, pack.Options{Temp: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	tree, err := unpack.Install(t.Context(), strings.NewReader(file.String()), UserlandDir(data), unpack.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return Places{Data: data, Chosen: func() plan.Kind { return plan.KindPack }, Find: never}, tree
}

// A phone has the pack and is not asked; a desktop has both, and begins with its own engines.
func TestKinds(t *testing.T) {
	for _, c := range []struct {
		system string
		chosen plan.Kind
		want   plan.Kind
		kinds  int
	}{
		{"linux", "", plan.KindHost, 2},
		{"linux", plan.KindHost, plan.KindHost, 2},
		{"linux", plan.KindPack, plan.KindPack, 2},
		{"linux", "of the future", plan.KindHost, 2},
		{"android", "", plan.KindPack, 1},
		{"android", plan.KindHost, plan.KindPack, 1},
	} {
		p := Places{system: c.system, Chosen: func() plan.Kind { return c.chosen }}
		if p.Kind() != c.want || len(p.Kinds()) != c.kinds || !slices.Contains(p.Kinds(), p.Kind()) {
			t.Errorf("%+v: %s of %v", c, p.Kind(), p.Kinds())
		}
	}
	if k := (Places{system: "linux"}).Kind(); k != plan.KindHost {
		t.Error(k)
	}
	for word, good := range map[string]bool{"host": true, "pack": true, "": false, "Pack": false, "both": false} {
		if k, err := ParsePlace(word); (err == nil) != good || good && string(k) != word {
			t.Errorf("%q: %q %v", word, k, err)
		}
	}
}

// The pack is chosen and not there, or not whole: nothing of the host is taken in its place, and a start says which it is.
func TestNoPack(t *testing.T) {
	p, tree := installed(t)
	none := Places{Data: t.TempDir(), Chosen: p.Chosen, Find: never}
	damaged := p
	if err := os.Remove(tree.Root + ".manifest"); err != nil {
		t.Fatal(err)
	}
	lease, err := new(slot.Slot).Acquire(t.Context(), slot.Holder{Who: "test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		places Places
		want   plan.Reason
		says   string
	}{{none, plan.NotInstalled, "make pack"}, {damaged, plan.HashMismatch, "incomplete"}} {
		o := Options{Find: never, Place: c.places.Place, StateDir: c.places.Data}
		for _, f := range Factories(o) {
			_, start := f.Start(t.Context(), lease, keva.Start{Dir: t.TempDir()}, func(event.Event) {})
			_, check := f.Check(t.Context(), lease)
			_, _, look := Problems(t.Context(), o, f.ID(), plan.Options{Lease: lease})
			for what, err := range map[string]error{"start": start, "check": check, "look": look} {
				var e *event.Error
				if plan.ReasonOf(err) != c.want || !errors.As(err, &e) || !strings.Contains(e.Message, c.says) {
					t.Errorf("%s of %s: %v %+v, want %s", what, f.ID(), err, e, c.want)
				}
			}
		}
		for _, s := range c.places.States() {
			if s.Ready || s.Says == "" || s.Kind == plan.KindPack && !strings.Contains(s.Says, c.says) {
				t.Errorf("%+v", s)
			}
		}
	}
}

// An installed pack is told of with versions and size, and its programs are those that a launch looks at.
func TestPack(t *testing.T) {
	p, tree := installed(t)
	states := p.States()
	if s := states[len(states)-1]; !s.Ready || s.Says != "Installed: claude 9.1, codex 8.2; 11 MB. Version "+tree.Manifest.ID[:8]+"." {
		t.Errorf("%+v", s)
	}
	o := Options{Find: never, Place: p.Place, StateDir: p.Data}
	for id, want := range map[string]string{"claude": "opt/claude/claude", "codex": "opt/codex/bin/codex"} {
		found, kind, err := Problems(t.Context(), o, id, plan.Options{})
		if err != nil || kind != plan.KindPack || len(found) == 0 {
			t.Fatalf("%s %+v %v", kind, found, err)
		}
		i := slices.IndexFunc(found, func(x plan.Problem) bool { return x.Reason == plan.NotRelocated }) // it is text
		if i < 0 || found[i].Subject != filepath.Join(tree.Root, want) {
			t.Errorf("%+v", found)
		}
	}
	place, err := p.Place()
	if err != nil {
		t.Fatal(err)
	}
	if err := place.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(tree.Root, "usr/word"), []byte("ward"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := place.Verify(t.Context()); err == nil || !strings.Contains(err.Error(), "usr/word") {
		t.Error(err)
	}
	if _, _, err := Problems(t.Context(), o, "gone", plan.Options{}); err == nil {
		t.Error("there is an engine that is not there")
	}
}

// What the host has is told by engine: one that is missing does not hide the other.
func TestHost(t *testing.T) {
	p := Places{Data: t.TempDir(), Find: func(id string) (install.Paths, error) {
		if id == "codex" {
			return install.Paths{}, &event.Error{Class: event.ClassEngine, Message: "Codex is not installed. Run `make engines`."}
		}
		return install.Paths{Version: "2.1"}, nil
	}}
	s := p.States()[0]
	if s.Ready || s.Says != "Installed: Claude Code 2.1. Codex is not installed. Run `make engines`." {
		t.Errorf("%+v", s)
	}
	place, err := p.Place()
	if err != nil || place.Kind != plan.KindHost {
		t.Errorf("%+v %v", place, err)
	}
}
