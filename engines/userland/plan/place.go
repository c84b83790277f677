package plan

import (
	"context"
	"os/exec"
	"path/filepath"
)

// Kind is where engines and all that they start come from.
type Kind string

// The kinds of places.
const (
	KindHost Kind = "host" // programs of this machine
	KindPack Kind = "pack" // an unpacked userland
)

// Place is an engine's surroundings. Adapters pass it on and never look inside. The zero Place is the host as this process
// sees it.
type Place struct {
	Kind Kind
	Root string   // of the userland's tree, absolute; "" on the host
	Data string   // the folder whose free space counts, "" = not known
	Home string   // the user's home, which approved commands get
	Temp string   // for temporary files; "" = each engine has its own
	Path string   // PATH
	Sh   string   // the shell; "" = looked for on PATH
	Lang string   // LANG
	Env  []string // further variables that belong to the place
	// Verify compares the place's programs with what was packed; nil where nothing can be compared. It may take seconds.
	Verify func(context.Context) error
}

// Program is an installed engine. Paths are absolute.
type Program struct {
	ID     string
	Label  string // for people
	Binary string
	Path   string   // a folder for the front of the engine's PATH, "" for none
	Beside []string // programs that the engine starts and does not work without
}

// In is a program whose paths are relative to root, at its place.
func (p Program) In(root string) Program {
	at := func(path string) string { return filepath.Join(root, filepath.FromSlash(path)) }
	p.Binary = at(p.Binary)
	if p.Path != "" {
		p.Path = at(p.Path)
	}
	beside := make([]string, len(p.Beside))
	for i, path := range p.Beside {
		beside[i] = at(path)
	}
	p.Beside = beside
	return p
}

func (p Program) path(path string) string {
	if p.Path == "" {
		return path
	}
	return list(p.Path, path)
}

func (p Place) orHost() Place {
	if p.Kind == "" {
		return Host()
	}
	return p
}

// HomeDir is the user's home, which approved commands get.
func (p Place) HomeDir() string { return p.orHost().Home }

// Language is the place's LANG.
func (p Place) Language() string { return p.orHost().Lang }

// Shell is the shell of an engine that runs in no project; "" when there is none.
func (p Place) Shell() string { p = p.orHost(); return p.shell(p.Path) }

// usual are where every desktop has a shell, whatever PATH is. Tests name others.
var usual = []string{"/bin", "/usr/bin"}

// shell finds a shell that the engines accept: its path must contain bash or zsh, or Claude's Bash tool fails.
func (p Place) shell(path string) string {
	if p.Sh != "" {
		return p.Sh
	}
	dirs := append(filepath.SplitList(path), usual...)
	for _, name := range []string{"bash", "zsh"} {
		for _, dir := range dirs {
			sh, err := exec.LookPath(filepath.Join(dir, name))
			if err == nil && filepath.IsAbs(sh) {
				return sh
			}
		}
	}
	return ""
}

// Reinstall is what the user does to get damaged or missing programs of this place again.
func (p Place) Reinstall() string {
	if p.orHost().Kind == KindPack {
		return "Repair the pack. " + newPack
	}
	return "Run `make engines` to install it again."
}
