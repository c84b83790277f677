package card

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
	"keva/ui/transcript"
)

// gallery is where pictures of all cards are written, to be looked at: go test ./ui/card -run Gallery -gallery DIR.
var gallery = flag.String("gallery", "", "write pictures of the cards to this folder")

// column puts cards under each other, as the transcript does.
func column(width float32, cards []Card) (*fyne.Container, float32) {
	box := container.NewWithoutLayout()
	y := theme.Space3
	for _, c := range cards {
		h := c.HeightFor(width - 2*theme.Space3)
		c.Resize(fyne.NewSize(width-2*theme.Space3, h))
		c.Move(fyne.NewPos(theme.Space3, y))
		box.Add(c)
		y += h + theme.Space2
	}
	return box, y
}

func shoot(t *testing.T, name string, width, height float32, content fyne.CanvasObject) {
	t.Helper()
	ground := canvas.NewRectangle(theme.Color(theme.Background))
	ground.Resize(fyne.NewSize(width, height))
	box := container.NewWithoutLayout(ground, content)
	content.Resize(fyne.NewSize(width, height))
	w := test.NewTempWindow(t, box)
	w.SetPadded(false)
	c := w.Canvas().(software.WindowlessCanvas)
	c.SetScale(2)
	w.Resize(fyne.NewSize(width, height))
	f, err := os.Create(filepath.Join(*gallery, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, c.Capture()); err != nil {
		t.Fatal(err)
	}
}

func TestGallery(t *testing.T) {
	if *gallery == "" {
		t.Skip("no -gallery folder")
	}
	app := test.NewTempApp(t)
	for _, mode := range []theme.Mode{theme.Light, theme.Dark, "huge"} {
		for _, width := range []float32{360, 320} {
			o := theme.Options{Mode: mode}
			if mode == "huge" {
				o = theme.Options{Mode: theme.Light, Scale: theme.Huge}
			}
			app.Settings().SetTheme(theme.New(o))
			rows := sampleRows()
			a := Actions{
				Fold:    Fold{"work/w1": true, "web/web1": true, "approval/ap1": true, "notice/n3": true},
				OpenURL: func(string) {}, ShowDiff: func(*transcript.Diff) {}, ShowOutput: func(string, string) {}, Copy: func(string) {},
			}
			if width == 320 {
				a.Fold = Fold{"step/s4": true, "work/w1": true, "task/a3": true}
			}
			for part, sub := range [][]transcript.Row{rows[:8], rows[8:17], rows[17:]} {
				var cards []Card
				for _, r := range sub {
					cards = append(cards, New(r, now, a))
				}
				box, h := column(width, cards)
				shoot(t, fmt.Sprintf("cards-%s-%.0f-%d", mode, width, part), width, h, box)
			}
		}
	}
}
