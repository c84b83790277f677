package unpack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"keva/engines/userland/pack"
)

// storage is what a file system can do.
type storage struct {
	modes    bool // permissions are kept
	links    bool // symbolic links can be made
	programs bool // programs may be started from it
	cases    bool // names that differ only in case are two names
}

// suitable refuses a file system that can't hold the tree, before anything is written to it.
func suitable(dir string, m *pack.Manifest, probe func(string) (storage, error)) error {
	can, err := probe(dir)
	if err != nil {
		return writeError(dir, err)
	}
	missing := ""
	switch {
	case !can.modes:
		missing = "it does not keep permissions"
	case !can.links:
		missing = "it has no symbolic links"
	case !can.programs:
		missing = "it does not let programs be started (noexec)"
	case !can.cases:
		if a, b, clash := m.CaseClash(); clash {
			missing = fmt.Sprintf("it takes %q and %q for the same name", a, b)
		}
	}
	if missing == "" {
		return nil
	}
	return &pack.Error{
		Reason: pack.ReasonStorage, Detail: missing,
		Message: fmt.Sprintf("The userland can't be stored at %s: %s. Use the app's internal storage, not a memory card or shared storage.", dir, missing),
	}
}

// probe finds out by trying, in a folder of its own that it removes.
func probe(dir string) (can storage, err error) {
	tmp, err := os.MkdirTemp(dir, "probe-*")
	if err != nil {
		return storage{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	file := filepath.Join(tmp, "case")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return storage{}, err
	}
	can.modes = true
	for _, mode := range []os.FileMode{0o755, 0o640} {
		if err := os.Chmod(file, mode); err != nil {
			can.modes = false
			break
		}
		info, err := os.Lstat(file)
		if err != nil {
			return storage{}, err
		}
		can.modes = can.modes && info.Mode().Perm() == mode
	}
	link := filepath.Join(tmp, "link")
	if os.Symlink("case", link) == nil {
		target, err := os.Readlink(link)
		can.links = err == nil && target == "case"
	}
	_, err = os.Lstat(filepath.Join(tmp, "CASE"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return storage{}, err
	}
	can.cases = err != nil
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return storage{}, os.NewSyscallError("statfs", err)
	}
	can.programs = st.Flags&unix.ST_NOEXEC == 0
	return can, nil
}

// free is the room that a user has on the file system of dir, in bytes.
func free(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, os.NewSyscallError("statfs", err)
	}
	return int64(st.Bavail) * st.Bsize, nil
}

// spare is what an installation leaves free: a device without any room is of no use to anyone.
const spare = 32 << 20

// enoughRoom is asked before the first byte is written: running full in the middle costs minutes and says less.
func (o Options) enoughRoom(t Tree, state []verdict) error {
	const unit = 4096 // what file systems count in
	need := int64(0)
	for _, v := range state {
		f := &t.Manifest.Files[v.file]
		if !v.redo {
			continue
		}
		need += unit + (f.Installed(len(t.Root))-v.from+unit-1)/unit*unit
	}
	if need == 0 {
		return nil
	}
	has, err := o.Free(t.Root)
	if err != nil || has >= need+spare {
		return nil // not known: writing will tell
	}
	return &pack.Error{
		Reason: pack.ReasonNoSpace, Detail: fmt.Sprintf("%d bytes needed, %d to spare, %d free at %s", need, int64(spare), has, t.Root),
		Message: fmt.Sprintf("There is not enough room for the userland: %d MB are needed, %d MB are free. Free %d MB and try again.",
			megabytes(need+spare), has/1e6, megabytes(need+spare-has)),
	}
}

// megabytes rounds up.
func megabytes(n int64) int64 { return (n + 1e6 - 1) / 1e6 }
