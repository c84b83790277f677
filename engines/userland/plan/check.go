package plan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"keva/agent/budget"
	"keva/agent/slot"
	"keva/engines/proc"
	"keva/engines/userland/pack"
)

// maxRoot is the longest path of a tree, in bytes: its programs hold it in places of a fixed size.
const maxRoot = pack.MaxPrefix

// Options say how much Check does.
type Options struct {
	// Lease allows it to start the engine for its version: nobody does that without one (I-13). Without a valid lease only
	// the shell is tried.
	Lease *slot.Lease
	// RecordDir is where the engine is noted while it runs: see proc.RecordSpec.
	RecordDir string
	// Full compares the place's files with what was packed. It takes seconds.
	Full bool
}

// Check looks at every precondition of launching program in place, and then tries: the shell, and the engine's version. It
// returns what does not hold, the cause before its effects; nil means that a launch will work, as far as can be seen. It
// makes the folders that the place writes to. It takes as long as the programs do, up to budget.VersionCheck for each.
func Check(ctx context.Context, place Place, program Program, o Options) []Problem {
	return check(ctx, machine{}, budget.VersionCheck.Time, place.orHost(), program, o)
}

func check(ctx context.Context, m facts, limit time.Duration, place Place, program Program, o Options) []Problem {
	t := trial{limit, o.RecordDir}
	found := Static(place, program)
	found = append(found, resources(m, place)...)
	if blocked(found) != nil {
		return found // a trial could only find the same once more
	}
	if o.Full && place.Verify != nil {
		if err := place.Verify(ctx); err != nil {
			p := place.problem(HashMismatch, place.Root, err.Error())
			if ctx.Err() != nil { // nobody compared them to the end
				p.Weight, p.Message, p.Remedy = Unknown, "Whether the pack's files are whole was not found out.", "Try again."
			}
			found = append(found, *p)
		}
	}
	if sh := place.shell(program.path(place.Path)); sh != "" {
		if p := t.run(ctx, place, Program{ID: "shell", Binary: sh}, "-c", ":"); p != nil {
			return append(found, *p)
		}
	}
	if o.Lease.Valid() {
		if p := t.run(ctx, place, program, "--version"); p != nil {
			found = append(found, *p)
		}
	}
	return found
}

// Static looks at the files and folders only. It takes less than a millisecond, and starts nothing: adapters' starts do it
// each time.
func Static(place Place, program Program) []Problem {
	s := scan{place: place.orHost(), program: program}
	if s.place.Kind == KindPack && !s.tree() {
		return s.found
	}
	if program.Binary == "" {
		s.add(NotInstalled, or(program.Label, "The engine"), "")
		return s.found
	}
	if s.runnable(ProgramMissing, program.Binary) {
		s.interpreter(program.Binary)
	}
	for _, path := range program.Beside {
		s.runnable(CompanionMissing, path)
	}
	if sh := s.place.shell(program.path(s.place.Path)); sh == "" {
		s.add(ShellMissing, "", "PATH is "+s.place.Path)
		s.found[len(s.found)-1].Weight = Warns // talking works, and the adapter says it in the session
	} else if s.runnable(ShellMissing, sh) {
		s.interpreter(sh)
	}
	s.folders()
	return s.found
}

// Blocked is the first problem that no launch survives, as an error; nil for none.
func Blocked(list []Problem) error {
	if p := blocked(list); p != nil {
		return p
	}
	return nil
}

func blocked(list []Problem) *Problem {
	for i, p := range list {
		if p.Weight == Blocks {
			return &list[i]
		}
	}
	return nil
}

// scan collects what is wrong with the files.
type scan struct {
	place   Place
	program Program
	found   []Problem
}

func (s *scan) add(r Reason, subject, detail string) {
	s.found = append(s.found, *s.place.problem(r, subject, detail))
}

// tree looks at what every program of a userland needs. It reports whether there is a tree at all.
func (s *scan) tree() bool {
	root := s.place.Root
	if info, err := os.Stat(root); root == "" || err != nil || !info.IsDir() {
		s.add(NotInstalled, "The pack", fmt.Sprintf("looked in %q: %v", root, err))
		return false
	}
	if len(root) > maxRoot {
		s.add(PrefixTooLong, root, fmt.Sprintf("%d bytes, %d are possible", len(root), maxRoot))
	}
	lib := filepath.Join(root, libLink)
	found, err := filepath.Glob(filepath.Join(escape(lib), linkers))
	if len(found) == 0 || err != nil {
		s.add(LinkerMissing, filepath.Join(lib, linkers), "")
	}
	for _, path := range append(found, filepath.Join(lib, stub)) {
		s.runnable(LinkerMissing, path)
	}
	s.there(PreloadMissing, filepath.Join(lib, preload))
	s.there(CertificatesMissing, filepath.Join(root, filepath.FromSlash(caBundle)))
	return true
}

// there reports whether there is a file at path.
func (s *scan) there(missing Reason, path string) bool {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.add(missing, path, err.Error())
	case err != nil: // it may be there
		p := s.place.problem(missing, path, err.Error())
		p.Message, p.Remedy = path+" can't be looked at.", "Check the permissions of its folder."
		s.found = append(s.found, *p)
	case !info.Mode().IsRegular():
		s.add(missing, path, "it is "+info.Mode().Type().String())
	default:
		return true
	}
	return false
}

// runnable reports whether the kernel could begin to run what is at path.
func (s *scan) runnable(missing Reason, path string) bool {
	if !s.there(missing, path) {
		return false
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o111 == 0 {
		s.add(NotExecutable, path, "")
		return false
	}
	if other := proc.ForeignMachine(path); other != "" {
		s.add(WrongArch, path, other+", this is "+runtime.GOARCH)
		return false
	}
	return true
}

// interpreter looks at what the kernel will start in the program's place.
func (s *scan) interpreter(path string) {
	name := proc.Interpreter(path)
	if s.place.Kind == KindPack && !inside(name, s.place.Root) {
		s.add(NotRelocated, path, fmt.Sprintf("its interpreter is %q, the tree %q", name, s.place.Root))
		return
	}
	if name == "" {
		return // linked statically
	}
	if _, err := os.Stat(name); err != nil {
		s.add(InterpreterMissing, path, err.Error())
	}
}

// folders tries to write where the programs will.
func (s *scan) folders() {
	if err := s.place.Prepare(); err != nil {
		if p := (*Problem)(nil); errors.As(err, &p) {
			s.found = append(s.found, *p)
		}
		return
	}
	if s.place.Kind == KindPack { // on the host it is the user's, and no engine's
		s.writable(HomeUnwritable, s.place.Home)
	}
	s.writable(TempUnwritable, or(s.place.Temp, os.TempDir()))
}

func (s *scan) writable(r Reason, dir string) {
	f, err := os.CreateTemp(dir, ".keva-*")
	if err == nil {
		_, err = f.WriteString("x") // a full disk takes names, but no bytes
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		s.add(r, dir, err.Error())
	}
}

func inside(path, root string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsAbs(path) && filepath.IsLocal(rel)
}

// escape takes a path literally in a pattern.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
