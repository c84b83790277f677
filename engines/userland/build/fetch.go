package build

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"keva/agent/event"
)

// debs brings all packages of the lock into the store and returns their paths in the lock's order. What is there is not
// fetched; what arrives is compared with its hash by apt and by us.
func (s *store) debs(ctx context.Context, l Lock, say func(string)) ([]string, error) {
	dir := filepath.Join(s.dir, "debs")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, diskError(dir, err)
	}
	paths := make([]string, len(l.Packages))
	var missing []int
	for i, p := range l.Packages {
		paths[i] = filepath.Join(dir, p.SHA256+".deb")
		if !isFile(paths[i], p) {
			missing = append(missing, i)
			continue
		}
		use(paths[i])
	}
	if len(missing) == 0 {
		return paths, nil
	}
	say(fmt.Sprintf("Fetching %d Debian packages.", len(missing)))
	a, err := newAPT(filepath.Join(s.dir, "apt-"+l.Arch), l.Arch)
	if err != nil {
		return nil, err
	}
	sources, err := a.sources(ctx, false)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp(dir, ".part-")
	if err != nil {
		return nil, diskError(dir, err)
	}
	defer func() { _ = os.RemoveAll(work) }() // what stays is swept away by a later build
	var said error
	for _, site := range sites(sources) {
		if missing, err = s.take(ctx, a, site, l, missing, work, paths); err != nil {
			said = err
		}
		if len(missing) == 0 {
			return paths, nil
		}
		if ctx.Err() != nil {
			return nil, stopped(ctx)
		}
	}
	return nil, goneError(l.Packages[missing[0]], len(missing), said)
}

// sites are the mirrors without repetition, in the machine's order.
func sites(sources []source) []string {
	var all []string
	for _, s := range sources {
		if !slices.Contains(all, s.site) {
			all = append(all, s.site)
		}
	}
	return all
}

// take fetches from one site what it has, and returns what is still missing and what apt said about it.
func (s *store) take(ctx context.Context, a apt, site string, l Lock, missing []int, work string, paths []string) ([]int, error) {
	args := []string{"download-file"}
	var asked []int
	for _, i := range missing {
		p := l.Packages[i]
		// Security fixes lie on a mirror of their own; both orders end well, this one asks for nothing in vain.
		if strings.HasPrefix(p.Path, "pool/updates/") != strings.Contains(site, "security") && len(missing) > 1 {
			continue
		}
		asked = append(asked, i)
		args = append(args, site+"/"+quote(p.Path), filepath.Join(work, p.SHA256), "SHA256:"+p.SHA256)
	}
	if len(asked) == 0 {
		return missing, nil
	}
	_, aptErr := a.run(ctx, "/usr/lib/apt/apt-helper", args...)
	var left []int
	for _, i := range missing {
		p := l.Packages[i]
		got := filepath.Join(work, p.SHA256)
		if !slices.Contains(asked, i) || !isFile(got, p) {
			left = append(left, i)
			continue
		}
		if err := os.Chmod(got, 0o644); err != nil {
			return nil, diskError(got, err)
		}
		if err := os.Rename(got, paths[i]); err != nil {
			return nil, diskError(got, err)
		}
	}
	return left, aptErr
}

// quote writes a "+" as apt does: some mirrors read it as a space.
func quote(path string) string { return strings.NewReplacer("+", "%2b", "%", "%25").Replace(path) }

func goneError(p Package, n int, said error) error {
	var own *event.Error
	if errors.As(said, &own) {
		return own
	}
	e := &event.Error{Class: event.ClassConfig}
	e.Message = fmt.Sprintf("%d of the pinned Debian packages could not be fetched, the first is %s %s. ", n, p.Name, p.Version)
	if said != nil {
		e.Detail = said.Error()
	}
	if strings.Contains(e.Detail, "404") || said == nil {
		e.Message += "The package sources no longer have this version: run `make pack-lock`, look at what changed, then try again."
	} else {
		e.Class = event.ClassNetwork
		e.Message += "Check the network and apt's settings, then try again; if the version is gone, run `make pack-lock`."
	}
	return e
}

// isFile says whether path is the package.
func isFile(path string, p Package) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read
	h := sha256.New()
	n, err := io.Copy(h, f)
	return err == nil && n == p.Size && sum(h) == p.SHA256
}

// debTar is the tree of a package.
func (s *store) debTar(ctx context.Context, p Package, path string) ([]byte, error) {
	return s.archive(ctx, p.SHA256+".deb.tar", func(w io.Writer) error { return fsysTar(ctx, path, w) })
}

// fsysTar unpacks a .deb with the program that defines the format.
func fsysTar(ctx context.Context, path string, w io.Writer) error {
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", path)
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &errs
	if err := cmd.Run(); err != nil {
		return &event.Error{
			Class:   event.ClassEngine,
			Message: "The Debian package " + filepath.Base(path) + " could not be unpacked. Run `./setup.sh pack`, then `make pack` again.",
			Detail:  fmt.Sprintf("dpkg-deb: %v: %s", err, tail(errs.String())),
		}
	}
	return nil
}
