// Package apk reads an Android package and says what is wrong with it, before a phone does. It knows the rules of this
// app: which permissions, classes, symbols and sizes are right. It must never change a file, and never call something
// right that it could not read.
package apk

import (
	"archive/zip"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// APK is an open Android package. It is not for use by several goroutines.
type APK struct {
	Path string
	zip  *zip.ReadCloser
	want Expected
}

// Open opens the file at path, to be held against Keva's own rules.
func Open(file string) (*APK, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s can't be read as an APK: %w", file, err)
	}
	return &APK{Path: file, zip: z, want: Keva}, nil
}

// Close closes the file.
func (a *APK) Close() error { return a.zip.Close() }

// Files are the entries, in the file's order.
func (a *APK) Files() []*zip.File { return a.zip.File }

// file finds an entry.
func (a *APK) file(name string) (*zip.File, error) {
	for _, f := range a.zip.File {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("%s is missing", name)
}

func read(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return data, nil
}

// libraries are the native libraries.
func (a *APK) libraries() []*zip.File {
	var list []*zip.File
	for _, f := range a.zip.File {
		if strings.HasPrefix(f.Name, "lib/") {
			list = append(list, f)
		}
	}
	return list
}

// ABI is the architecture that the libraries are for; an APK of ours has one.
func (a *APK) ABI() (string, error) {
	var abis []string
	for _, f := range a.libraries() {
		abis = append(abis, path.Base(path.Dir(f.Name)))
	}
	slices.Sort(abis)
	if abis = slices.Compact(abis); len(abis) != 1 {
		return "", fmt.Errorf("libraries for one architecture are expected, there are %v", abis)
	}
	return abis[0], nil
}

// HasPack reports whether the userland is in it.
func (a *APK) HasPack() bool {
	_, err := a.file(PackEntry)
	return err == nil
}
