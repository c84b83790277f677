package build

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Package is one pinned Debian package.
type Package struct {
	Name    string
	Version string
	Arch    string // the target's, or "all"
	Size    int64  // bytes of the .deb
	SHA256  string // hex, of the .deb
	Path    string // below a mirror's address, like "pool/main/g/git/git_2.39.5_arm64.deb"
}

// Lock pins the Debian packages of one architecture. It names no mirror: that is the machine's configuration.
type Lock struct {
	Arch     string // "arm64" or "amd64"
	Packages []Package
}

const lockFormat = 1

var (
	debName    = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+$`)
	debVersion = regexp.MustCompile(`^[0-9][0-9A-Za-z.+~:-]*$`)
	debPath    = regexp.MustCompile(`^pool/[0-9A-Za-z.+~_%/-]+\.deb$`)
	hex256     = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// maxDeb bounds what a lock may ask to download, in bytes.
const maxDeb = 200_000_000

// check refuses what would be dangerous as a path or an argument.
func (p Package) check(arch string) error {
	switch {
	case !debName.MatchString(p.Name):
		return fmt.Errorf("%q is not a package name", p.Name)
	case !debVersion.MatchString(p.Version):
		return fmt.Errorf("%s: %q is not a version", p.Name, p.Version)
	case p.Arch != arch && p.Arch != "all":
		return fmt.Errorf("%s: it is for %q, not for %q", p.Name, p.Arch, arch)
	case p.Size <= 0 || p.Size > maxDeb:
		return fmt.Errorf("%s: %d bytes is not the size of a package", p.Name, p.Size)
	case !hex256.MatchString(p.SHA256):
		return fmt.Errorf("%s: %q is not a sha256", p.Name, p.SHA256)
	case !debPath.MatchString(p.Path) || path.Clean(p.Path) != p.Path || !strings.HasPrefix(path.Base(p.Path), p.Name+"_"):
		return fmt.Errorf("%s: %q is not the path of its package", p.Name, p.Path)
	}
	return nil
}

// WriteLock writes l, sorted, one package a line. The last line counts the packages, so that a torn file is noticed.
func WriteLock(w io.Writer, l Lock) error {
	packages := slices.Clone(l.Packages)
	slices.SortFunc(packages, func(a, b Package) int { return strings.Compare(a.Name, b.Name) })
	var b strings.Builder
	fmt.Fprintf(&b, "# The Debian packages of the userland: name version architecture size sha256 path. `make pack-lock` writes this file.\n")
	fmt.Fprintf(&b, "userland-lock %d %s\n", lockFormat, l.Arch)
	for _, p := range packages {
		fmt.Fprintf(&b, "%s %s %s %d %s %s\n", p.Name, p.Version, p.Arch, p.Size, p.SHA256, p.Path)
	}
	fmt.Fprintf(&b, "end %d\n", len(packages))
	if _, err := ParseLock(strings.NewReader(b.String())); err != nil {
		return err // never write what could not be read
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// ParseLock reads and checks a lock.
func ParseLock(r io.Reader) (Lock, error) {
	var l Lock
	version, ended := 0, false
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, " ")
		var err error
		switch {
		case ended:
			err = fmt.Errorf("something follows the end: %q", line)
		case version == 0:
			version, l.Arch, err = header(fields)
		case fields[0] == "end":
			ended = true
			if len(fields) != 2 || fields[1] != strconv.Itoa(len(l.Packages)) {
				err = fmt.Errorf("%q, but there are %d packages", line, len(l.Packages))
			}
		default:
			err = l.add(fields)
		}
		if err != nil {
			return Lock{}, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return Lock{}, err
	}
	if !ended {
		return Lock{}, fmt.Errorf("the file is cut off: the line that counts the packages is missing")
	}
	return l, nil
}

func header(fields []string) (version int, arch string, err error) {
	if len(fields) != 3 || fields[0] != "userland-lock" {
		return 0, "", fmt.Errorf("%q does not begin a lock file", strings.Join(fields, " "))
	}
	if fields[1] != strconv.Itoa(lockFormat) {
		return 0, "", fmt.Errorf("format %q; this Keva reads %d", fields[1], lockFormat)
	}
	if _, err := targetOf(fields[2]); err != nil {
		return 0, "", err
	}
	return lockFormat, fields[2], nil
}

func (l *Lock) add(fields []string) error {
	if len(fields) != 6 {
		return fmt.Errorf("%d fields, not 6", len(fields))
	}
	size, err := strconv.ParseInt(fields[3], 10, 64)
	if err != nil {
		return err
	}
	p := Package{Name: fields[0], Version: fields[1], Arch: fields[2], Size: size, SHA256: fields[4], Path: fields[5]}
	if err := p.check(l.Arch); err != nil {
		return err
	}
	if n := len(l.Packages); n > 0 && l.Packages[n-1].Name >= p.Name {
		return fmt.Errorf("%s follows %s: the packages are not sorted, or one is there twice", p.Name, l.Packages[n-1].Name)
	}
	l.Packages = append(l.Packages, p)
	return nil
}
