package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"keva/engines/userland/pack"
)

// parts are the parts of a pack, in the order of the archive. What changes most often comes first.
var parts = []string{"base", "node", "claude", "codex"}

// partOf says which part an entry belongs to.
func partOf(p string) string {
	for name, prefixes := range map[string][]string{
		"node":   {nodeModules, "usr/bin/node", "usr/bin/npm", "usr/bin/npx"},
		"claude": {"opt/claude"},
		"codex":  {"opt/codex"},
	} {
		for _, prefix := range prefixes {
			if p == prefix || strings.HasPrefix(p, prefix+"/") {
				return name
			}
		}
	}
	return "base"
}

// entries are the tree in the archive's order: by part, then by path.
func (t tree) entries() []pack.Entry {
	var all []pack.Entry
	for _, p := range t.paths() {
		n := t[p]
		e := pack.Entry{Path: p, Kind: n.kind, Mode: n.mode, Link: n.link, Part: partOf(p), Relocs: n.relocs}
		if n.kind == pack.Regular {
			e.Open = n.open
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b pack.Entry) int { return slices.Index(parts, a.Part) - slices.Index(parts, b.Part) })
	return all
}

// open reads the content as it is packed.
func (n *node) open() (io.ReadCloser, error) {
	if n.edits == nil {
		return io.NopCloser(bytes.NewReader(n.data)), nil
	}
	readers := make([]io.Reader, len(n.edits))
	for i, piece := range n.edits {
		readers[i] = bytes.NewReader(piece)
	}
	return io.NopCloser(io.MultiReader(readers...)), nil
}

// write makes the archive, reads it back, checks the budgets, and only then puts it in place.
func (b *builder) write(ctx context.Context, policy string, licences []pack.Licence) (err error) {
	b.Say("Compressing.")
	if err := os.MkdirAll(filepath.Dir(b.Output), 0o755); err != nil {
		return diskError(b.Output, err)
	}
	part, err := os.CreateTemp(filepath.Dir(b.Output), ".keva-userland-")
	if err != nil {
		return diskError(b.Output, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, part.Close(), os.Remove(part.Name()))
		}
	}()
	if b.frames == "" {
		b.frames = filepath.Join(b.store.dir, "frames", b.target.arch+"-"+string(b.Level))
	}
	frames, err := newFrames(b.frames, b.Level)
	if err != nil {
		return err
	}
	spec := pack.Spec{Arch: b.target.arch, Policy: policy, Licences: sortLicences(licences)}
	for _, name := range parts {
		spec.Parts = append(spec.Parts, pack.Part{Name: name, Version: b.version(name)})
	}
	m, err := pack.Write(ctx, part, spec, b.tree.entries(), pack.Options{
		Compress: frames.compress, Temp: filepath.Dir(b.Output),
	})
	if err != nil {
		return err
	}
	if err := errors.Join(part.Chmod(0o644), part.Sync()); err != nil {
		return diskError(b.Output, err)
	}
	info, err := part.Stat()
	if err != nil {
		return diskError(b.Output, err)
	}
	b.report.fill(m, info.Size(), b.Output, frames)
	if err := b.readBack(part.Name(), m.ID); err != nil {
		return err
	}
	if err := b.report.overBudget(b.target.arch); err != nil && b.Level == Release {
		return err
	}
	if err := part.Close(); err != nil {
		return diskError(b.Output, err)
	}
	if err := os.Rename(part.Name(), b.Output); err != nil {
		return diskError(b.Output, err)
	}
	return frames.prune()
}

// version of a part: of the program, or of what the Debian packages are.
func (b *builder) version(part string) string {
	if v, ok := b.report.versions[part]; ok {
		return v
	}
	for _, p := range b.Lock.Packages {
		if p.Name == "base-files" { // whose version is Debian's, with the point release
			return "debian " + p.Version
		}
	}
	return "debian " + suite
}

func sortLicences(all []pack.Licence) []pack.Licence {
	slices.SortFunc(all, func(a, b pack.Licence) int {
		return strings.Compare(a.Name+"\x00"+a.Version+"\x00"+a.Path, b.Name+"\x00"+b.Version+"\x00"+b.Path)
	})
	return slices.Compact(all)
}

// readBack unpacks the archive to nowhere: what was written is what an unpacker will accept.
func (b *builder) readBack(path, id string) error {
	b.Say("Reading it back.")
	src, err := pack.OpenFile(path)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }() // only read
	r, err := pack.NewReader(src)
	if err != nil {
		return err
	}
	if r.Manifest().ID != id {
		return fmt.Errorf("the pack reads back as %s, not as %s", r.Manifest().ID, id)
	}
	return verify(r)
}
