package build

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"

	"keva/agent/event"
	"keva/engines/install"
)

// Pins are the npm packages besides the engines: by name and npm's name of the platform.
type Pins map[string]map[string]install.Package

// ParsePins reads the pins.
func ParsePins(data []byte) (Pins, error) {
	var p Pins
	err := json.Unmarshal(data, &p)
	return p, err
}

// npmTar is the tree of an npm package, fetched if it is not in the store. Its tarball is verified before anything reads it.
func (s *store) npmTar(ctx context.Context, p install.Package, say func(string)) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Integrity, "sha512-"))
	if err != nil || len(raw) != 64 {
		return nil, &event.Error{Class: event.ClassConfig, Message: fmt.Sprintf("%s has no sha512 in its pin.", p.Name), Detail: p.Integrity}
	}
	return s.archive(ctx, hex.EncodeToString(raw)+".npm.tar", func(w io.Writer) (err error) {
		say("Fetching " + p.Name + " " + p.Version + ".")
		work, err := os.MkdirTemp(filepath.Join(s.dir, "tars"), ".npm-")
		if err != nil {
			return diskError(s.dir, err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
		tarball, err := install.Tarball(ctx, p, work)
		if err != nil {
			return forPack(err)
		}
		f, err := os.Open(tarball)
		if err != nil {
			return diskError(tarball, err)
		}
		defer func() { _ = f.Close() }() // only read
		z, err := gzip.NewReader(f)
		if err == nil {
			_, err = io.Copy(w, z)
		}
		if err != nil {
			return diskError(tarball, err)
		}
		return nil
	})
}

// forPack names the right command in an error of the installer.
func forPack(err error) error {
	var e *event.Error
	if !errors.As(err, &e) {
		return err
	}
	fixed := *e
	fixed.Message = strings.ReplaceAll(e.Message, "`make engines`", "`make pack`")
	return &fixed
}
