package unpack

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"keva/engines/userland/pack"
)

// places are the paths below ROOT.
type places struct{ root string }

func newPlaces(root string) (places, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return places{}, &pack.Error{Reason: pack.ReasonPrefix, Message: fmt.Sprintf("The folder %q for the userland has no absolute path.", root), Cause: err}
	}
	return places{abs}, nil
}

func (p places) versions() string          { return filepath.Join(p.root, "versions") }
func (p places) current() string           { return filepath.Join(p.root, "current") }
func (p places) lock() string              { return filepath.Join(p.root, "lock") }
func (p places) tree(id string) string     { return filepath.Join(p.versions(), id) }
func (p places) state(id string) string    { return p.tree(id) + ".state" }
func (p places) manifest(id string) string { return p.tree(id) + ".manifest" }
func (p places) prefix(id string) string   { return p.tree(id) + ".prefix" }
func (p places) gone(id string) string     { return p.tree(id) + ".gone" }

// validPrefix refuses what the slots of a pack have no room for, or a script's first line can't hold.
func validPrefix(prefix string) error {
	if !filepath.IsAbs(prefix) || filepath.Clean(prefix) != prefix || prefix == "/" || strings.ContainsAny(prefix, " \t\r\n\x00") {
		return &pack.Error{
			Reason: pack.ReasonPrefix,
			Message: fmt.Sprintf("The userland can't be at %q: programs need an absolute path without spaces. Choose another data folder.",
				prefix),
		}
	}
	if len(prefix) > pack.MaxPrefix {
		return &pack.Error{
			Reason: pack.ReasonPrefix,
			Message: fmt.Sprintf("The userland can't be at %s: the path has %d bytes, at most %d are possible. Choose a data folder with a shorter path.",
				prefix, len(prefix), pack.MaxPrefix),
		}
	}
	return nil
}

// validID tells a version's name from anything else that may stand in a file.
func validID(id string) bool {
	b, err := hex.DecodeString(id)
	return err == nil && len(b) == 32 && strings.ToLower(id) == id
}

// Tree is an installed version.
type Tree struct {
	Root     string // absolute path of the tree: PREFIX
	Prefix   string // the path that it is relocated for; another one than Root after it was moved, "" if nobody knows
	Manifest *pack.Manifest
}

// Moved reports whether the tree must be relocated before anything can be run from it: see [Relocate].
func (t Tree) Moved() bool { return t.Prefix != t.Root }

// Current is the version in use below root. It reads the manifest, not the tree: see [Tree.Check]. If nothing is
// installed the reason of the error is [pack.ReasonNone].
func Current(root string) (Tree, error) {
	p, err := newPlaces(root)
	if err != nil {
		return Tree{}, err
	}
	id, err := p.inUse()
	if err != nil {
		return Tree{}, err
	}
	bad := func(err error) (Tree, error) {
		return Tree{}, &pack.Error{
			Reason: pack.ReasonDamaged, Cause: err,
			Message: "The installed userland is incomplete: " + what(err) + ". Install it again; nothing else is lost.",
		}
	}
	if _, err := os.Lstat(p.state(id)); !errors.Is(err, os.ErrNotExist) {
		return bad(errors.Join(errors.New("it is marked as unfinished"), err))
	}
	raw, err := os.ReadFile(p.manifest(id))
	if err != nil {
		return bad(err)
	}
	m, err := pack.Decode(raw)
	if err != nil {
		return bad(err)
	}
	if m.ID != id {
		return bad(fmt.Errorf("its manifest is that of %s", m.ID))
	}
	if info, err := os.Lstat(p.tree(id)); err != nil || !info.IsDir() {
		return bad(errors.Join(errors.New("its folder is missing"), err))
	}
	prefix, err := os.ReadFile(p.prefix(id))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return bad(err)
	}
	return Tree{Root: p.tree(id), Prefix: strings.TrimSuffix(string(prefix), "\n"), Manifest: m}, nil
}

// inUse is the ID that `current` names.
func (p places) inUse() (string, error) {
	b, err := os.ReadFile(p.current())
	if errors.Is(err, os.ErrNotExist) {
		return "", &pack.Error{Reason: pack.ReasonNone, Message: "No userland is installed. Install it first.", Cause: err}
	}
	if err != nil {
		return "", &pack.Error{
			Reason: pack.ReasonRead, Cause: err,
			Message: fmt.Sprintf("%s can't be read, so nobody knows which userland is in use. Check its permissions.", p.current()),
		}
	}
	id := string(bytes.TrimSuffix(b, []byte("\n")))
	if !validID(id) {
		return "", &pack.Error{
			Reason: pack.ReasonDamaged, Detail: fmt.Sprintf("current holds %q", id),
			Message: "The record of the userland in use is damaged. Install the userland again.",
		}
	}
	return id, nil
}

// use makes a whole version the one in use.
func (p places) use(id string) error {
	if err := writeDurable(p.current(), []byte(id+"\n")); err != nil {
		return writeError(p.current(), err)
	}
	return nil
}
