package markdown

import (
	"flag"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/test"

	"keva/ui/theme"
)

// gallery is where pictures are written, to be looked at: go test ./ui/markdown -run Gallery -gallery DIR.
var gallery = flag.String("gallery", "", "write pictures to this folder")

func TestGallery(t *testing.T) {
	if *gallery == "" {
		t.Skip("no -gallery folder")
	}
	app := test.NewTempApp(t)
	for _, mode := range []theme.Mode{theme.Light, theme.Dark} {
		for _, width := range []float32{360, 320} {
			app.Settings().SetTheme(theme.New(theme.Options{Mode: mode}))
			w := New(all, Options{Open: func(string) {}, Copy: func(string) {}, Caret: true})
			h := w.HeightFor(width - 32)
			w.Resize(fyne.NewSize(width-32, h))
			w.Move(fyne.NewPos(16, 16))
			ground := canvas.NewRectangle(theme.Color(theme.Background))
			ground.Resize(fyne.NewSize(width, h+32))
			win := test.NewTempWindow(t, container.NewWithoutLayout(ground, w))
			win.SetPadded(false)
			win.Canvas().(software.WindowlessCanvas).SetScale(2)
			win.Resize(fyne.NewSize(width, h+32))
			f, err := os.Create(filepath.Join(*gallery, fmt.Sprintf("markdown-%s-%.0f.png", mode, width)))
			if err != nil {
				t.Fatal(err)
			}
			if err := png.Encode(f, win.Canvas().Capture()); err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
	}
}
