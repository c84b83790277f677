package unpack

import (
	"archive/zip"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"keva/engines/userland/pack"
)

// TestInstallFromAPK: a stored entry is unpacked from where it lies.
func TestInstallFromAPK(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keva.apk")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, data := range map[string][]byte{"classes.dex": []byte("code"), "assets/userland": samplePack(t, "1")} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	src, err := pack.OpenAPK(file, "assets/userland")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := Install(t.Context(), src, t.TempDir(), Options{Arch: arch})
	if err = errors.Join(err, src.Close()); err != nil {
		t.Fatal(detail(err))
	}
	expect(t, tree.Root, tree.Root, sampleEntries("1"))
}
