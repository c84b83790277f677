package install

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// reader ends a long copy with its context.
type reader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (r reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}

// unpack writes the files of an npm tarball, without their first folder, into dir, which it creates. Links and special
// files are refused: npm packs none, and a link could lead out of dir.
func unpack(ctx context.Context, tarball, dir string) error {
	f, err := os.Open(tarball)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	zr, err := gzip.NewReader(reader{ctx, f})
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) // nothing below can leave dir, whatever a name says
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // the files were closed one by one
	tr := tar.NewReader(zr)
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := inside(h)
		if err != nil {
			return err
		}
		switch {
		case name == "":
			continue
		case h.Typeflag == tar.TypeDir:
			err = root.MkdirAll(name, 0o755)
		default:
			err = writeFile(root, name, h, tr)
		}
		if err != nil {
			return err
		}
	}
}

// inside is the entry's path below the package, "" for entries that are not files of it.
func inside(h *tar.Header) (string, error) {
	switch h.Typeflag {
	case tar.TypeReg, tar.TypeDir:
	case tar.TypeXGlobalHeader:
		return "", nil
	default:
		return "", fmt.Errorf("the package holds %q, which is neither a file nor a folder", h.Name)
	}
	if path.IsAbs(h.Name) || strings.Contains(h.Name, "\\") {
		return "", fmt.Errorf("the package holds %q, which leads out of it", h.Name)
	}
	for part := range strings.SplitSeq(h.Name, "/") {
		if part == ".." {
			return "", fmt.Errorf("the package holds %q, which leads out of it", h.Name)
		}
	}
	_, name, _ := strings.Cut(path.Clean(h.Name), "/")
	return name, nil
}

func writeFile(root *os.Root, name string, h *tar.Header, r io.Reader) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if h.Mode&0o111 != 0 {
		mode = 0o755
	}
	w, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	// Synced, because later checks trust size and time: after a power cut a hole must not pass for a program.
	return errors.Join(err, w.Sync(), w.Close())
}
