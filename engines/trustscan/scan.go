// Package trustscan lists what a project would run or allow by itself if its engines obeyed it, for the user to read. It
// knows the engines' files and their formats; it only reads, and must never run, obey or change anything that it finds.
package trustscan

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"keva/agent/trust"
)

// Bounds of a scan. A project that passes them is not looked at further, and can't be agreed to.
const (
	maxTrustFile  = 256 << 10 // bytes of one file
	maxTrustFiles = 500
	maxTrustDepth = 64       // of nested values, and of folders
	maxTrustText  = 16 << 10 // bytes of an entry that is offered: more can't be looked through
	maxTrustList  = 1000     // entries
)

// Scan lists what the project in dir would run or allow by itself if its engines obeyed it, each with the file and line
// that says so, and a hash of all of those files. It only reads. What it can't read, or can't understand, is a problem in
// the report: an engine might read it otherwise.
func Scan(dir string) trust.Report {
	r := trust.Report{Dir: filepath.Clean(dir)}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		r.Dir = real
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		r.Problems = []trust.Problem{{File: ".", Text: "The folder can't be opened."}}
		return r
	}
	defer root.Close()
	s := &scan{root: root, dir: r.Dir, files: map[string][]byte{}}
	s.claude()
	s.codex()
	r.Entries, r.Problems = s.entries, s.problems
	if !r.Empty() {
		r.Hash = s.hash()
	}
	return r
}

// scan is one look at a project.
type scan struct {
	root     *os.Root
	dir      string
	files    map[string][]byte // what was read, by its name from the project
	entries  []trust.Entry
	problems []trust.Problem
}

func (s *scan) problem(file, text string) {
	if !slices.ContainsFunc(s.problems, func(p trust.Problem) bool { return p.File == file && p.Text == text }) {
		s.problems = append(s.problems, trust.Problem{File: file, Text: text})
	}
}

func (s *scan) add(e trust.Entry) {
	if len(s.entries) >= maxTrustList {
		s.problem(e.File, fmt.Sprintf("There are more than %d settings to look at.", maxTrustList))
		return
	}
	if len(e.Text) > maxTrustText && e.Offered() {
		e.Refused = "It is too long to be looked through."
	}
	e.Runs = s.runs(e.Text, e.File)
	s.entries = append(s.entries, e)
}

// read returns a file of the project, nil when there is none or it can't be used. Whatever is read counts for the hash.
func (s *scan) read(name string) []byte {
	if b, ok := s.files[name]; ok {
		return b
	}
	// Not to block on a pipe that somebody put there.
	f, err := s.root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		s.missing(name, err)
		return nil
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		s.problem(name, "It can't be read.")
		return nil
	case !st.Mode().IsRegular():
		s.problem(name, "It is not a file.")
		return nil
	case len(s.files) >= maxTrustFiles:
		s.problem(path.Dir(name), fmt.Sprintf("There are more than %d files to look at.", maxTrustFiles))
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(f, maxTrustFile+1))
	if err != nil {
		s.problem(name, "It can't be read.")
		return nil
	}
	s.files[name] = b
	if len(b) > maxTrustFile {
		s.problem(name, fmt.Sprintf("It is larger than %d KiB.", maxTrustFile>>10))
		return nil
	}
	return b
}

// missing tells why a name can't be opened, unless there is simply nothing.
func (s *scan) missing(name string, err error) {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
		if _, err := s.root.Lstat(name); err == nil {
			s.problem(name, "It is a link that leads nowhere.")
		}
		return
	}
	if errors.Is(err, fs.ErrPermission) {
		s.problem(name, "It may not be read.")
		return
	}
	s.problem(name, "It can't be opened, or it is a link out of the project.")
}

// list names the files below a folder whose names end with suffix, in order.
func (s *scan) list(dir, suffix string) []string {
	var names []string
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		f, err := s.root.OpenFile(dir, os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			s.missing(dir, err)
			return
		}
		entries, err := f.ReadDir(maxTrustFiles + 1)
		f.Close()
		if err != nil && !errors.Is(err, io.EOF) {
			s.problem(dir, "It is not a folder that can be read.")
			return
		}
		if depth > maxTrustDepth || len(entries) > maxTrustFiles || len(names) > maxTrustFiles {
			s.problem(dir, "There is too much in it to look at.")
			return
		}
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			st, err := s.root.Stat(name) // follows links inside of the project
			switch {
			case err != nil:
				s.missing(name, err)
			case st.IsDir():
				walk(name, depth+1)
			case strings.HasSuffix(e.Name(), suffix):
				names = append(names, name)
			}
		}
	}
	walk(dir, 0)
	return names
}

// hash is over all that was read: names and contents, each with its length, so that nothing can pass for something else.
func (s *scan) hash() string {
	names := make([]string, 0, len(s.files))
	for name := range s.files {
		names = append(names, name)
	}
	slices.Sort(names)
	h := sha256.New()
	put := func(b []byte) {
		_ = binary.Write(h, binary.BigEndian, uint64(len(b))) // a hash takes everything
		h.Write(b)
	}
	for _, name := range names {
		put([]byte(name))
		put(s.files[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}
