package theme

import (
	"image/color"
	"math"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

func channel(v uint8) float64 {
	c := float64(v) / 255
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

func luminance(c color.NRGBA) float64 {
	return 0.2126*channel(c.R) + 0.7152*channel(c.G) + 0.0722*channel(c.B)
}

func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func over(top, under color.NRGBA) color.NRGBA {
	mix := func(t, u uint8) uint8 {
		return uint8((int(t)*int(top.A) + int(u)*(255-int(top.A))) / 255)
	}
	return color.NRGBA{mix(top.R, under.R), mix(top.G, under.G), mix(top.B, under.B), 0xff}
}

// WCAG AA: every colour that is ever text has 4.5:1 on every surface that it is ever drawn on, also under the pointer.
func TestContrast(t *testing.T) {
	pairs := map[fyne.ThemeColorName][]fyne.ThemeColorName{
		Ink:      {Background, Surface, AccentSoft, ErrorSoft, WarningSoft, UnknownSoft, AddedBG, RemovedBG, Code},
		Muted:    {Background, Surface, Code, AccentSoft},
		Accent:   {Background, Surface, AccentSoft},
		OnAccent: {Accent, AccentHover},
		OK:       {Background, Surface},
		Error:    {Background, Surface, ErrorSoft},
		Warning:  {Background, Surface, WarningSoft},
		Unknown:  {Background, Surface, UnknownSoft},
	}
	for _, dark := range []bool{false, true} {
		for text, grounds := range pairs {
			for _, ground := range grounds {
				a, _ := lookup(text, dark)
				b, _ := lookup(ground, dark)
				if c := contrast(a, b); c < 4.5 {
					t.Errorf("dark=%v: %s on %s has %.2f:1", dark, text, ground, c)
				}
				if ground == Accent || ground == AccentHover || text == Muted {
					continue
				}
				h, _ := lookup(Hover, dark)
				if c := contrast(a, over(h, b)); c < 4.5 {
					t.Errorf("dark=%v: %s on %s under the pointer has %.2f:1", dark, text, ground, c)
				}
			}
		}
	}
}

// A name that is missing in the table would be drawn transparent: invisible text.
func TestEveryNameHasAColour(t *testing.T) {
	test.NewTempApp(t)
	names := Names()
	for n := range standard {
		names = append(names, n)
	}
	for n := range translucent {
		names = append(names, n)
	}
	for _, n := range names {
		for _, dark := range []bool{false, true} {
			if _, ok := lookup(n, dark); !ok {
				t.Errorf("%s has no colour", n)
			}
		}
	}
	if len(Names()) != len(palette) {
		t.Errorf("%d names, %d colours", len(Names()), len(palette))
	}
}

// The mode of the user wins over the system's; System follows it.
func TestMode(t *testing.T) {
	test.NewTempApp(t)
	light, dark := rgb(0x1C1B1A), rgb(0xECEAE5)
	for _, c := range []struct {
		mode Mode
		sys  fyne.ThemeVariant
		want color.NRGBA
	}{
		{Light, fynetheme.VariantDark, light},
		{Dark, fynetheme.VariantLight, dark},
		{System, fynetheme.VariantLight, light},
		{System, fynetheme.VariantDark, dark},
		{"", fynetheme.VariantDark, dark},
	} {
		if got := New(Options{Mode: c.mode}).Color(fynetheme.ColorNameForeground, c.sys); got != c.want {
			t.Errorf("mode %q on %v: %v, want %v", c.mode, c.sys, got, c.want)
		}
	}
}

// Color reads the theme that is set at the time of the call, so that Refresh after SetTheme draws the new one.
func TestColorFollowsTheApp(t *testing.T) {
	app := test.NewTempApp(t)
	app.Settings().SetTheme(New(Options{Mode: Light}))
	before := Color(Ink)
	app.Settings().SetTheme(New(Options{Mode: Dark, Scale: Huge}))
	if Color(Ink) == before || !IsDark() {
		t.Error("the colour did not change with the theme")
	}
	if Size(Body) != 21 || LineHeight(Body) != 30 || fynetheme.TextSize() != 21 {
		t.Errorf("huge text is %v/%v", Size(Body), LineHeight(Body))
	}
}

// A part of a window with a theme of its own, as a field without a frame, must not fall back to the look of the system.
func TestOverrideKeepsTheLook(t *testing.T) {
	app := test.NewTempApp(t)
	app.Settings().SetTheme(New(Options{Mode: Dark, Scale: Large}))
	e := widget.NewEntry()
	w := test.NewTempWindow(t, container.NewThemeOverride(e, Bare{}))
	w.Resize(fyne.NewSize(200, 60))
	if got := e.Theme().Color(fynetheme.ColorNameForeground, fynetheme.VariantLight); got != Color(Ink) || !IsDark() {
		t.Errorf("the entry writes in %v", got)
	}
	if e.Theme().Size(fynetheme.SizeNameText) != Size(Body) {
		t.Error("the entry has another text size")
	}
}

func TestReducedMotion(t *testing.T) {
	app := test.NewTempApp(t)
	app.Settings().SetTheme(New(Options{ReducedMotion: true}))
	if Motion() {
		t.Error("moves although the user asked for none")
	}
}
