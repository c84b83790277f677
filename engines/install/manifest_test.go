package install

import (
	"encoding/json"
	"strings"
	"testing"

	"keva/assets"
)

// The engines that this version is made for; the protocol notes hold for these and no others.
func TestDefaultManifest(t *testing.T) {
	m := Default()
	want := map[string]string{"claude": "2.1.197", "codex": "0.171.0"}
	for _, e := range m.Engines {
		if want[e.ID] != e.Version {
			t.Errorf("%s is pinned to %s, want %s", e.ID, e.Version, want[e.ID])
		}
		delete(want, e.ID)
		for _, key := range []string{"linux-x64", "linux-arm64"} {
			if e.Platforms[key].Binary == "" {
				t.Errorf("%s lacks %s", e.ID, key)
			}
		}
	}
	if len(want) != 0 {
		t.Errorf("not pinned: %v", want)
	}
	if s := string(assets.Engines); strings.Contains(s, "://") {
		t.Error("the manifest names a host: where packages come from is npm's configuration")
	}
}

// What a manifest names becomes paths and arguments of programs.
func TestManifestIsChecked(t *testing.T) {
	sum := "sha512-" + strings.Repeat("A", 86) + "=="
	for name, change := range map[string]func(*Engine, *Platform){
		"id with a slash":     func(e *Engine, _ *Platform) { e.ID = "../x" },
		"version with spaces": func(e *Engine, _ *Platform) { e.Version = "1 0" },
		"no name":             func(e *Engine, _ *Platform) { e.Name = "" },
		"a flag as package":   func(e *Engine, _ *Platform) { e.Package.Name = "--global" },
		"a range":             func(_ *Engine, p *Platform) { p.Package.Version = "^1.0.0" },
		"a tag":               func(_ *Engine, p *Platform) { p.Package.Version = "latest" },
		"sha1":                func(_ *Engine, p *Platform) { p.Package.Integrity = "sha1-AAAA" },
		"short sum":           func(_ *Engine, p *Platform) { p.Package.Integrity = "sha512-AAAA" },
		"no binary":           func(_ *Engine, p *Platform) { p.Binary = "" },
		"binary outside":      func(_ *Engine, p *Platform) { p.Binary = "../bin" },
		"absolute companion":  func(_ *Engine, p *Platform) { p.Companions = []string{"/bin/sh"} },
		"empty companion":     func(_ *Engine, p *Platform) { p.Companions = []string{""} },
		"path outside":        func(_ *Engine, p *Platform) { p.Path = "a/../.." },
	} {
		m := manifest(sum)
		e := &m.Engines[0]
		key := machine()[0]
		p := e.Platforms[key]
		change(e, &p)
		e.Platforms[key] = p
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(data); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if _, err := Parse([]byte("{")); err == nil {
		t.Error("broken JSON was accepted")
	}
}
