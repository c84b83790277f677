package unpack

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"

	"keva/engines/userland/pack"
)

// Fault is what is wrong with an entry of a tree.
type Fault string

// The faults.
const (
	Missing    Fault = "missing"
	WrongKind  Fault = "kind"       // a folder where a file should be, and so on
	WrongMode  Fault = "mode"       // other permissions
	Changed    Fault = "changed"    // another size, content or link target
	Misplaced  Fault = "prefix"     // relocated for another path: see [Relocate]
	Unreadable Fault = "unreadable" // the disk or its permissions don't let it be read
)

// Problem is one thing that is wrong.
type Problem struct {
	Path   string // "": the whole tree
	Fault  Fault
	Detail string
}

// String names the file and what is wrong with it.
func (p Problem) String() string {
	name := p.Path
	if name == "" {
		name = "the whole tree"
	}
	return fmt.Sprintf("%s: %s (%s)", name, p.Fault, p.Detail)
}

// Report is what a check found.
type Report struct {
	Problems []Problem // in the manifest's order; none: the tree is as it was installed
	// Extra are paths that the pack does not have, of Full checks only, and at most maxExtra of them; Extras is how
	// many there are. They are no fault: users install into the tree with npm and pip. Nothing here deletes them.
	Extra  []string
	Extras int
}

// OK reports whether there is no problem.
func (r Report) OK() bool { return len(r.Problems) == 0 }

const maxExtra = 200

// Check compares the tree with its manifest and changes nothing. Use Quick or Full. What can't be read is a problem;
// the error is for a check that could not be made at all, or was stopped.
func (t Tree) Check(ctx context.Context, depth Depth) (Report, error) {
	wrong, err := scan(ctx, t, depth, min(4, runtime.GOMAXPROCS(0)), nil)
	if err != nil {
		return Report{}, checkError(ctx, t, err)
	}
	rep := Report{Problems: problems(wrong)}
	if t.Moved() {
		rep.Problems = append([]Problem{{Fault: Misplaced, Detail: fmt.Sprintf("the tree is at %s and set up for %q", t.Root, t.Prefix)}}, rep.Problems...)
	}
	if depth == Full {
		if err := t.extras(ctx, &rep); err != nil {
			return Report{}, checkError(ctx, t, err)
		}
	}
	return rep, nil
}

func checkError(ctx context.Context, t Tree, err error) error {
	if ctx.Err() != nil {
		return &pack.Error{Reason: pack.ReasonStopped, Cause: ctx.Err(), Message: "Checking the userland was stopped."}
	}
	return &pack.Error{
		Reason: pack.ReasonRead, Cause: err,
		Message: fmt.Sprintf("The userland at %s can't be checked (%s). Check the permissions of that folder.", t.Root, what(err)),
	}
}

func problems(wrong []verdict) []Problem {
	var list []Problem
	for _, v := range wrong {
		list = append(list, v.problems...)
	}
	return list
}

// extras finds what the pack does not have. A folder counts with all that is in it.
func (t Tree) extras(ctx context.Context, rep *Report) error {
	known := make(map[string]bool, len(t.Manifest.Files))
	for i := range t.Manifest.Files {
		known[t.Manifest.Files[i].Path] = true
	}
	return filepath.WalkDir(t.Root, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, relErr := filepath.Rel(t.Root, path)
		if relErr != nil {
			return relErr
		}
		rel = filepath.ToSlash(rel)
		if rel == "." || known[rel] {
			return err
		}
		if rep.Extras++; len(rep.Extra) < maxExtra {
			rep.Extra = append(rep.Extra, rel)
		}
		if d != nil && d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}
