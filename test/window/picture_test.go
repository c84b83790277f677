package window

import (
	"image"
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"

	"keva/ui/theme"
)

// shots is where the pictures lie for people to look at; git ignores it.
const shots = "shots"

// picture is what the window showed.
type picture struct {
	image.Image
	data []byte // PNG
}

func (p picture) keep(t *testing.T, name string) {
	t.Helper()
	if err := os.MkdirAll(shots, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(shots, name+".png"), p.data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// colours counts the different ones, up to 1,000.
func (p picture) colours() int {
	seen := map[color.RGBA]bool{}
	b := p.Bounds()
	for y := b.Min.Y; y < b.Max.Y && len(seen) < 1000; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			seen[rgba(p.At(x, y))] = true
		}
	}
	return len(seen)
}

// is reports whether a point has a colour of the theme.
func (p picture) is(x, y int, want color.Color) bool { return rgba(p.At(x, y)) == rgba(want) }

// has reports whether a colour is drawn between two heights.
func (p picture) has(want color.Color, from, to int) bool {
	b := p.Bounds()
	for y := from; y < to; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if p.is(x, y, want) {
				return true
			}
		}
	}
	return false
}

// pill finds the lowest button that is filled with a colour: there is one primary action on a screen, and it is filled with
// the accent only while it can be pressed.
func (p picture) pill(fill color.Color) (image.Point, bool) {
	const least = 90 // px: letters and marks are narrower
	b := p.Bounds()
	for y := b.Max.Y - 1; y >= b.Min.Y; y-- {
		run := 0
		for x := b.Min.X; x < b.Max.X; x++ {
			if !p.is(x, y, fill) {
				run = 0
				continue
			}
			if run++; run == least {
				return image.Pt(x-least/2, y-6), true // its last line is straight: the middle of it is inside
			}
		}
	}
	return image.Point{}, false
}

// differ reports whether two pictures differ above a height.
func (p picture) differ(o picture, above int) bool {
	b := p.Bounds()
	for y := b.Min.Y; y < above; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if !p.is(x, y, o.At(x, y)) {
				return true
			}
		}
	}
	return false
}

func rgba(c color.Color) color.RGBA { return color.RGBAModel.Convert(c).(color.RGBA) }

// look is a theme by the names of its colours.
type look struct{ mode theme.Mode }

func (l look) color(name fyne.ThemeColorName) color.Color {
	return theme.New(theme.Options{Mode: l.mode}).Color(name, 0)
}
