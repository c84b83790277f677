package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/BurntSushi/toml"
)

// version is the one in FyneApp.toml, "1.2.3".
func version(path string) (string, error) {
	var meta struct{ Details struct{ Version string } }
	if _, err := toml.DecodeFile(path, &meta); err != nil {
		return "", err
	}
	if _, err := code(meta.Details.Version); err != nil {
		return "", err
	}
	return meta.Details.Version, nil
}

// code is the number by which Android tells a newer version: 1.2.3 is 10203.
func code(version string) (int, error) {
	var major, minor, patch int
	if n, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); n != 3 || minor > 99 || patch > 99 || major < 0 || minor < 0 || patch < 0 {
		return 0, fmt.Errorf("version %q: three numbers are needed, the last two below 100 (%w)", version, errors.Join(err))
	}
	return major*10000 + minor*100 + patch, nil
}

// left are the folders that an app is not made of.
var left = map[string]bool{".git": true, ".ci": true, "build": true, "docs": true, "test": true}

// copyTree copies the source to dir and puts beside it what Fyne's tool expects beside main.go: manifest and icons. The
// tool counts up a number in FyneApp.toml and would take the assets folder for files of the app, so it gets a copy.
func (b *build) copyTree(dir string) error {
	err := filepath.WalkDir(b.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(b.root, path)
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && (left[rel] || name == "testdata"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, rel), 0o755)
		case strings.HasSuffix(name, "_test.go") || !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // an editor's passing file
		}
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, rel), data, 0o644) //nolint:gosec // source
	})
	if err != nil {
		return err
	}
	app := filepath.Join(b.root, "platform", "android", "app")
	for from, to := range map[string]string{"icon-foreground.png": "Icon-foreground.png", "icon-background.png": "Icon-background.png"} {
		data, err := os.ReadFile(filepath.Join(app, from))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, to), data, 0o644); err != nil { //nolint:gosec // a picture
			return err
		}
	}
	t, err := template.ParseFiles(filepath.Join(app, "AndroidManifest.xml"))
	if err != nil {
		return err
	}
	number, err := code(b.version)
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, "AndroidManifest.xml"))
	if err != nil {
		return err
	}
	return errors.Join(t.Execute(f, struct {
		Code    int
		Version string
	}{number, b.version}), f.Close())
}
