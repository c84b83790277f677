// Package project looks at a project folder from outside: may it be used, and what does it say to agents. It never writes
// there, and it never runs or obeys anything that it finds.
package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"keva/agent/event"
)

// Check reports why dir can't be a project folder, as an *event.Error, or nil.
func Check(dir string) error {
	bad := func(msg string, err error) error {
		e := &event.Error{Class: event.ClassConfig, Message: msg}
		if err != nil {
			e.Detail = err.Error()
		}
		return e
	}
	if dir == "" || !filepath.IsAbs(dir) {
		return bad("Choose a project folder by its full path.", nil)
	}
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return bad(fmt.Sprintf("The project folder %s is gone. Put it back, or begin a new session in another folder.", dir), err)
	case err != nil:
		return bad(fmt.Sprintf("The project folder %s can't be opened. Check its permissions.", dir), err)
	case !st.IsDir():
		return bad(fmt.Sprintf("%s is a file, not a folder. Choose the folder that it is in.", dir), nil)
	}
	if err := unix.Access(dir, unix.R_OK|unix.X_OK); err != nil {
		return bad(fmt.Sprintf("The project folder %s may not be read. Check its permissions.", dir), err)
	}
	return nil
}

// instructionFiles are what projects use to speak to agents, in the order in which they are passed on.
var instructionFiles = []string{"CLAUDE.md", "AGENTS.md"}

// MaxInstructions is how much of them is passed on, in bytes. It must fit into one process argument (128 KiB on Linux).
const MaxInstructions = 64 << 10

// Instructions returns the text of the project's CLAUDE.md and AGENTS.md under a heading each, "" when it has none. The
// engines are started so that they do not read project settings by themselves (a clone could run its hooks); this text is
// passed on instead. Links that lead out of the project, and files that are no text, are left out and said so.
func Instructions(dir string) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, name := range instructionFiles {
		text, err := read(dir, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			fmt.Fprintf(&b, "# %s of the project\n\n(Not read: %v.)\n\n", name, err)
			continue
		}
		if seen[text] {
			continue // one is often a copy of the other, or a link to it
		}
		seen[text] = true
		fmt.Fprintf(&b, "# %s of the project\n\n%s\n\n", name, strings.TrimSpace(text))
	}
	out := b.String()
	if len(out) > MaxInstructions {
		const note = "\n\n(The rest was left out: it is longer than 64 KiB.)\n"
		cut := MaxInstructions - len(note)
		for cut > 0 && !utf8.RuneStart(out[cut]) {
			cut--
		}
		out = out[:cut] + note
	}
	return out
}

func read(dir, name string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0) // a pipe would block for ever
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", fs.ErrNotExist
		}
		return "", errors.New("it can't be opened, or it is a link out of the project")
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !st.Mode().IsRegular() {
		return "", errors.New("it is not a file")
	}
	buf := make([]byte, MaxInstructions+1)
	n := 0
	for n < len(buf) {
		k, err := f.Read(buf[n:])
		n += k
		if err != nil || k == 0 {
			break
		}
	}
	text := buf[:n]
	if !utf8.Valid(trimTorn(text)) || strings.ContainsRune(string(text), 0) {
		return "", errors.New("it is not UTF-8 text")
	}
	return string(trimTorn(text)), nil
}

// trimTorn drops a character that the size limit has cut.
func trimTorn(b []byte) []byte {
	for i := 1; i <= 3 && i <= len(b); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}
