package mark

import (
	"flag"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"keva/ui/theme"
)

// gallery is where pictures are written, to be looked at: go test ./ui/mark -run Gallery -gallery DIR.
var gallery = flag.String("gallery", "", "write pictures to this folder")

func TestGallery(t *testing.T) {
	if *gallery == "" {
		t.Skip("no -gallery folder")
	}
	app := test.NewTempApp(t)
	for _, mode := range []theme.Mode{theme.Light, theme.Dark} {
		app.Settings().SetTheme(theme.New(theme.Options{Mode: mode}))
		box := container.NewWithoutLayout()
		put := func(o fyne.CanvasObject, x, y float32) float32 {
			o.Move(fyne.NewPos(x, y))
			o.Resize(o.MinSize())
			box.Add(o)
			return x + o.MinSize().Width + 12
		}
		x, big := float32(12), float32(12)
		for _, s := range States() {
			x = put(New(s), x, 12)
			m := New(s)
			box.Add(m)
			m.Move(fyne.NewPos(big, 40))
			m.Resize(fyne.NewSquareSize(42))
			big += 50
		}
		x = 12
		for _, s := range States() {
			x = put(NewTag(Word(s), ToneOf(s)), x, 96)
		}
		x = put(NewChip("Ask for changes", nil), 12, 120)
		x = put(NewChip("opus · high", nil), x, 120)
		chip := NewChip("Trust this session", nil)
		chip.SetTone(Attention)
		put(chip, x, 120)
		for i, make := range []func(string, Kind, func()) *Button{NewButton, NewBigButton} {
			y := 168 + float32(i)*56
			x = put(make("Stop", Danger, nil), 12, y)
			x = put(make("Deny…", Secondary, nil), x, y)
			x = put(make("Allow once", Primary, nil), x, y)
			put(make("Always…", Quiet, nil), x, y)
		}
		off, focused := NewBigButton("Allow once", Primary, nil), NewBigButton("Deny…", Secondary, nil)
		off.Disable()
		focused.FocusGained()
		put(focused, put(off, 12, 284), 284)
		f, err := os.Create(filepath.Join(*gallery, "marks-"+string(mode)+".png"))
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, picture(t, box, 400, 344)); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
}
