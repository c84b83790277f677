package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// sealName is the file beside the package that says what was verified.
const sealName = ".keva-seal.json"

// sealed is what was installed, and how its programs looked right after the tarball was verified.
type sealed struct {
	Package  string             `json:"package"`
	Tarball  string             `json:"tarball"` // its integrity
	Programs map[string]program `json:"programs"`
}

type program struct {
	Size   int64     `json:"size"`
	Time   time.Time `json:"time"`
	SHA256 string    `json:"sha256"`
}

// seal records the programs of a package that was just unpacked into dir.
func seal(dir string, p Platform) error {
	s := sealed{Package: p.Package.spec(), Tarball: p.Package.Integrity, Programs: map[string]program{}}
	for _, name := range p.programs() {
		full := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Stat(full)
		if err != nil {
			return fmt.Errorf("the package lacks a program: %w", err)
		}
		if err := executable(full, info); err != nil {
			return err
		}
		sum, err := hash(full)
		if err != nil {
			return err
		}
		s.Programs[name] = program{info.Size(), info.ModTime(), sum}
	}
	return s.write(dir)
}

func (s sealed) write(dir string) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	part, err := os.CreateTemp(dir, sealName)
	if err != nil {
		return err
	}
	_, err = part.Write(data)
	if err = errors.Join(err, part.Sync(), part.Close()); err == nil {
		err = os.Rename(part.Name(), filepath.Join(dir, sealName))
	}
	if err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return nil
}

// check reports whether the package in dir is p and whole. It is quick as long as no program was touched: size and time
// are compared, and only a program that differs in time is hashed. The error is an os.ErrNotExist when nothing is there.
func check(dir string, p Platform) error {
	data, err := os.ReadFile(filepath.Join(dir, sealName))
	if err != nil {
		return err
	}
	var s sealed
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("%s: %w", sealName, err)
	}
	if s.Package != p.Package.spec() || s.Tarball != p.Package.Integrity {
		return fmt.Errorf("it is %s (%s), not %s (%s)", s.Package, s.Tarball, p.Package.spec(), p.Package.Integrity)
	}
	touched := false
	for _, name := range p.programs() {
		was, ok := s.Programs[name]
		if !ok {
			return fmt.Errorf("%s was not verified", name)
		}
		full := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Stat(full)
		if err != nil {
			return fmt.Errorf("%s is gone: %v", name, err) // not %w: the package is there
		}
		if err := executable(full, info); err != nil {
			return err
		}
		if info.Size() != was.Size {
			return fmt.Errorf("%s has %d bytes, not %d", name, info.Size(), was.Size)
		}
		if info.ModTime().Equal(was.Time) {
			continue
		}
		sum, err := hash(full)
		if err != nil {
			return err
		}
		if sum != was.SHA256 {
			return fmt.Errorf("%s was changed: sha256 %s, not %s", name, sum, was.SHA256)
		}
		was.Time, touched = info.ModTime(), true
		s.Programs[name] = was
	}
	if touched {
		// A cache that was copied or restored. Failing to note it costs the next check its speed, nothing else.
		_ = s.write(dir)
	}
	return nil
}

func executable(path string, info os.FileInfo) error {
	if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("%s is not an executable file", path)
	}
	return nil
}

func hash(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
