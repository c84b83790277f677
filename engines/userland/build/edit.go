package build

import (
	"bytes"
	"debug/elf"
	"fmt"
	"path"
	"slices"
	"sort"

	"keva/engines/userland/elfedit"
	"keva/engines/userland/pack"
	"keva/engines/userland/shim"
)

// edited is the content of a file in pieces: mostly of the original, which may be a mapped archive, with the few changed
// bytes between. So an engine of 300 MB is not held in memory twice.
type edited [][]byte

// pieces describes changed as a variation of original.
func pieces(original, changed []byte) edited {
	const grain = 4096
	var all edited
	same := 0 // bytes of original that are not written yet
	n := min(len(original), len(changed))
	for at := 0; at < n; at += grain {
		end := min(at+grain, n)
		if bytes.Equal(original[at:end], changed[at:end]) {
			continue
		}
		all = append(all, original[same:at], slices.Clone(changed[at:end]))
		same = end
	}
	return append(all, original[same:n], slices.Clone(changed[n:]))
}

// whole are the bytes of a node as they are packed.
func (n *node) whole() []byte {
	if n.edits == nil {
		return n.data
	}
	return slices.Concat(n.edits...)
}

// neutralise takes the calls out of glibc that the policy refuses. Which file had how many is returned.
func (t tree) neutralise(tg target, policy elfedit.Policy) (map[string]int, error) {
	done := map[string]int{}
	for _, name := range []string{tg.loader, "libc.so.6"} {
		p, n := t.find(tg.libraries() + "/" + name)
		if n == nil {
			return nil, fmt.Errorf("%s is missing in %s", name, tg.libraries())
		}
		out, report, err := elfedit.NopAll(n.data, policy)
		if err != nil {
			return nil, err
		}
		n.data, done[p] = out, len(report.Patched)
		if done[p] == 0 {
			return nil, fmt.Errorf("no call of %s was neutralised: it would die on a phone; the policies or the scanner are wrong", p)
		}
	}
	return done, nil
}

// prepare makes every program and script start from where the tree will be installed.
func (t tree) prepare(tg target) (programs, scripts int, err error) {
	exists := func(p string) bool {
		_, n := t.find(p)
		return n != nil && n.kind == pack.Regular
	}
	for _, p := range t.paths() {
		n := t[p]
		if n.kind != pack.Regular || n.relocs != nil || n.ours {
			continue
		}
		if n.mode&0o111 != 0 {
			r, err := elfedit.Shebang(n.data, exists)
			if err != nil {
				return 0, 0, fmt.Errorf("%s: %w", p, err)
			}
			if r != nil {
				n.relocs = []pack.Reloc{*r}
				scripts++
				continue
			}
		}
		options, err := shim.Options(tg.arch, p)
		if err != nil {
			return 0, 0, err
		}
		out, relocs, err := elfedit.Prepare(n.data, options)
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", p, err)
		}
		if relocs != nil {
			n.edits, n.relocs = pieces(n.data, out), relocs
			programs++
		}
	}
	return programs, scripts, nil
}

// needs checks that every program and library finds the libraries that it names, in the folders that the loader searches.
func (t tree) needs(tg target) error {
	var missing []string
	for _, p := range t.paths() {
		n := t[p]
		if n.kind != pack.Regular || !bytes.HasPrefix(n.data, []byte(elf.ELFMAG)) {
			continue
		}
		f, err := elf.NewFile(bytes.NewReader(n.data))
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if want := tg.machine(); f.Machine != want {
			return fmt.Errorf("%s is for %v, not for %v", p, f.Machine, want)
		}
		libraries, err := f.ImportedLibraries()
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		for _, l := range libraries {
			_, in := t.find(tg.libraries() + "/" + l)
			_, beside := t.find(path.Dir(p) + "/" + l)
			if in == nil && beside == nil {
				missing = append(missing, p+" needs "+l)
			}
		}
	}
	if len(missing) > 0 {
		sort.Strings(missing)
		return fmt.Errorf("libraries are missing: %d, the first: %q", len(missing), missing[:min(len(missing), 12)])
	}
	return nil
}

func (tg target) machine() elf.Machine {
	if tg.arch == "arm64" {
		return elf.EM_AARCH64
	}
	return elf.EM_X86_64
}
