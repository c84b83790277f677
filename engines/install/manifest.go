// Package install brings the pinned engines onto this machine: fetched by the npm client, verified against the manifest,
// unpacked into a cache outside the repository. It must never run an engine, never take an unverified file, and never
// know where packages come from: that is the npm client's own configuration.
package install

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"keva/agent/event"
	"keva/assets"
)

// Manifest lists the pinned engines.
type Manifest struct {
	Engines []Engine `json:"engines"`
}

// Engine is one pinned engine.
type Engine struct {
	ID      string `json:"id"`   // the key of its runtime.Factory
	Name    string `json:"name"` // for people
	Version string `json:"version"`
	// Package is what a person would install. It only starts the platform's package, so it is pinned, but not fetched.
	Package Package `json:"package"`
	// Platforms are keyed like npm's packages: "linux-x64", "linux-arm64", "linux-x64-musl", "darwin-arm64".
	Platforms map[string]Platform `json:"platforms"`
}

// Label is name and version.
func (e Engine) Label() string { return e.Name + " " + e.Version }

// Package is an npm package.
type Package struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	Integrity string `json:"integrity"` // "sha512-" and base64, of the tarball
}

func (p Package) spec() string { return p.Name + "@" + p.Version }

// Platform is what one kind of machine needs. Paths are relative to the package, with slashes.
type Platform struct {
	Package    Package  `json:"package"`
	Megabytes  int      `json:"megabytes"` // free space that fetching and unpacking takes, about; 0 = not known
	Binary     string   `json:"binary"`
	Companions []string `json:"companions,omitempty"` // programs that the engine starts and that must be there
	Path       string   `json:"path,omitempty"`       // a folder for the engine's PATH
}

// programs are the files without which the engine does not work.
func (p Platform) programs() []string { return append([]string{p.Binary}, p.Companions...) }

// Default is the manifest that this build of Keva carries.
func Default() Manifest {
	m, err := Parse(assets.Engines)
	if err != nil {
		panic("assets/engines.json: " + err.Error()) // TestDefaultManifest reads the same bytes
	}
	return m
}

var plain = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)

// Parse reads and checks a manifest: what it names becomes paths and arguments.
func Parse(data []byte) (Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return Manifest{}, err
	}
	for _, e := range m.Engines {
		if !plain.MatchString(e.ID) || !plain.MatchString(e.Version) || e.Name == "" {
			return Manifest{}, fmt.Errorf("engine %q, version %q: not a plain name", e.ID, e.Version)
		}
		if err := e.Package.check(); err != nil {
			return Manifest{}, fmt.Errorf("%s: %w", e.ID, err)
		}
		for key, p := range e.Platforms {
			if err := p.Package.check(); err != nil {
				return Manifest{}, fmt.Errorf("%s on %s: %w", e.ID, key, err)
			}
			for _, f := range append(p.programs(), p.Path) {
				if f != p.Path && f == "" || f != "" && (!filepath.IsLocal(f) || path.Clean(f) != f) {
					return Manifest{}, fmt.Errorf("%s on %s: %q is not a path inside the package", e.ID, key, f)
				}
			}
		}
	}
	return m, nil
}

var (
	packageName    = regexp.MustCompile(`^(@[a-z0-9-]+/)?[a-z0-9][a-z0-9._-]*$`)
	packageVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)
)

func (p Package) check() error {
	sum, ok := strings.CutPrefix(p.Integrity, "sha512-")
	raw, err := base64.StdEncoding.DecodeString(sum)
	if !packageName.MatchString(p.Name) || !packageVersion.MatchString(p.Version) || !ok || err != nil || len(raw) != 64 {
		return fmt.Errorf("package %q, version %q, integrity %q: not an exact pin", p.Name, p.Version, p.Integrity)
	}
	return nil
}

// pick finds the engine and what it needs on this machine.
func (m Manifest) pick(id string, platforms []string) (Engine, Platform, error) {
	for _, e := range m.Engines {
		if e.ID != id {
			continue
		}
		for _, key := range platforms {
			if p, ok := e.Platforms[key]; ok {
				return e, p, nil
			}
		}
		return Engine{}, Platform{}, &event.Error{
			Class:   event.ClassConfig,
			Message: fmt.Sprintf("%s does not exist for this kind of machine (%s). Use the other engine, or another machine.", e.Label(), platforms[0]),
			Detail:  fmt.Sprintf("tried %s", strings.Join(platforms, ", ")),
		}
	}
	return Engine{}, Platform{}, &event.Error{
		Class:   event.ClassConfig,
		Message: fmt.Sprintf("There is no engine %q. Choose another one in the settings.", id),
	}
}
