package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"keva/platform/android/apk"
)

// dex assembles our two classes and returns the file. One job at a time: with several, smali numbers the strings in the
// order in which it gets to them.
func (b *build) dex() (string, error) {
	out := filepath.Join(b.work, "classes2.dex")
	return out, tool(b.root, nil, "smali", "assemble", "--jobs", "1", "--api", "28", "-o", out, "platform/android/smali")
}

// assemble writes the APK without signature: what Fyne's tool made, without its signature and assets, with stripped
// libraries, our classes and the userland. Names are sorted and times fixed.
func (b *build) assemble(raw, dex, out string) error {
	in, err := zip.OpenReader(raw)
	if err != nil {
		return err
	}
	defer in.Close()
	parts := map[string]string{"classes2.dex": dex} // name in the APK, file
	for _, f := range in.File {
		if strings.HasPrefix(f.Name, "META-INF/") || strings.HasPrefix(f.Name, "assets/") {
			continue
		}
		file := filepath.Join(b.work, "parts", filepath.FromSlash(f.Name))
		if err := extract(f, file); err != nil {
			return err
		}
		parts[f.Name] = file
		if strings.HasSuffix(f.Name, ".so") {
			if err := tool(b.work, nil, "llvm-strip", file); err != nil {
				return err
			}
		}
	}
	if b.pack != "" {
		parts[apk.PackEntry] = b.pack
	}
	loose := filepath.Join(b.work, "loose.apk")
	if err := write(loose, parts); err != nil {
		return err
	}
	return tool(b.work, nil, "zipalign", "-f", "-p", "4", loose, out)
}

func extract(f *zip.File, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644) //nolint:gosec // a part of the app
}

// always is the time of every entry: what a file is does not depend on when it was made.
var always = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

func write(out string, parts map[string]string) error {
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	w := zip.NewWriter(f)
	names := make([]string, 0, len(parts))
	for name := range parts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := add(w, name, parts[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return f.Close()
}

// stored says what is not compressed: what is so already, and what Android or Keva reads in place.
func stored(name string) bool {
	return name == apk.PackEntry || name == "resources.arsc" || strings.HasSuffix(name, ".png")
}

// add writes an entry with its sizes in front of it, as Android's tools expect.
func add(w *zip.Writer, name, file string) error {
	f, err := os.Open(file) //nolint:gosec // a part of the app
	if err != nil {
		return err
	}
	defer f.Close()
	sum := crc32.NewIEEE()
	size, err := io.Copy(sum, f)
	if err != nil {
		return err
	}
	h := &zip.FileHeader{
		Name: name, Method: zip.Store, CRC32: sum.Sum32(),
		UncompressedSize64: uint64(size), CompressedSize64: uint64(size), //nolint:gosec // a file's size
	}
	h.SetMode(0o644)
	//lint:ignore SA1019 raw entries take the old fields
	h.ModifiedDate = uint16((always.Year()-1980)<<9 | int(always.Month())<<5 | always.Day()) //nolint:gosec // a date
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var body io.Reader = f
	if !stored(name) {
		var packed bytes.Buffer
		z, err := flate.NewWriter(&packed, flate.BestCompression)
		if err != nil {
			return err
		}
		if _, err := io.Copy(z, f); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		h.Method, h.CompressedSize64 = zip.Deflate, uint64(packed.Len()) //nolint:gosec // a length
		body = &packed
	}
	e, err := w.CreateRaw(h)
	if err != nil {
		return err
	}
	_, err = io.Copy(e, body)
	return err
}
