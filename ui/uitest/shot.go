package uitest

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
)

// Shoot keeps a picture of a window in testdata/failed, which git ignores, when KEVA_SHOTS is set. Pictures are for people:
// they depend on the fonts of the machine, so nothing compares them.
func Shoot(t testing.TB, w fyne.Window, name string) {
	t.Helper()
	if os.Getenv("KEVA_SHOTS") == "" {
		return
	}
	dir := filepath.Join("testdata", "failed")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, w.Canvas().Capture()); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
