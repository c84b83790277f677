// Package theme is the look of the app in values: colours, sizes, faces. Everything that draws asks it, at the time of
// drawing, so that a change of theme reaches every object. It must never hold state of a screen.
package theme

import (
	"image/color"

	"fyne.io/fyne/v2"
	fynetheme "fyne.io/fyne/v2/theme"
)

// Mode says where light or dark comes from.
type Mode string

// The modes.
const (
	System Mode = "system"
	Light  Mode = "light"
	Dark   Mode = "dark"
)

// Options are the user's choices and the bundled faces. The zero value follows the system.
type Options struct {
	Mode          Mode
	Scale         Scale
	Fonts         Fonts
	ReducedMotion bool
}

// Theme is a fyne.Theme. It never changes: a new choice is a new Theme, set with Settings().SetTheme.
type Theme struct{ options Options }

// New makes a theme. Missing faces are those that are bundled.
func New(o Options) *Theme {
	if o.Fonts == (Fonts{}) {
		o.Fonts = bundled()
	}
	return &Theme{o}
}

// Options returns what the theme was made of, to change one choice.
func (t *Theme) Options() Options { return t.options }

// Color is part of fyne.Theme. The variant counts only when the mode follows the system.
func (t *Theme) Color(name fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	if c, ok := lookup(name, t.dark(v)); ok {
		return c
	}
	return fynetheme.DefaultTheme().Color(name, v)
}

func (t *Theme) dark(v fyne.ThemeVariant) bool {
	switch t.options.Mode {
	case Light:
		return false
	case Dark:
		return true
	case System:
	}
	return v == fynetheme.VariantDark
}

// Icon is part of fyne.Theme.
func (t *Theme) Icon(name fyne.ThemeIconName) fyne.Resource {
	return fynetheme.DefaultTheme().Icon(name)
}

// fallback serves widgets that are drawn before the app has set a Theme.
var fallback = New(Options{})

// Current is the theme of the app. Where another theme is set, as in tests of stock widgets, it is the default look. It is
// not the override of a part of the window: overrides, like Bare, ask it.
func Current() *Theme {
	app := fyne.CurrentApp()
	if app == nil {
		return fallback
	}
	if t, ok := app.Settings().Theme().(*Theme); ok {
		return t
	}
	return fallback
}

func variant() fyne.ThemeVariant {
	if app := fyne.CurrentApp(); app != nil {
		return app.Settings().ThemeVariant()
	}
	return fynetheme.VariantLight
}

// Color is the colour of a name now. Ask again in Refresh: it changes with the theme.
func Color(name fyne.ThemeColorName) color.Color { return Current().Color(name, variant()) }

// IsDark reports whether the look is dark now.
func IsDark() bool { return Current().dark(variant()) }

// Size is the size of letters of a text role now.
func Size(role fyne.ThemeSizeName) float32 { return Current().Size(role) }

// LineHeight is the height of a line of a text role now.
func LineHeight(role fyne.ThemeSizeName) float32 { return Current().LineHeight(role) }

// HeightFor is least, or as high as a line of the role needs with 6 dp above and below: rows grow with the text size.
func HeightFor(role fyne.ThemeSizeName, least float32) float32 {
	return max(least, LineHeight(role)+12)
}

// Motion reports whether things may move: neither the user nor the system has asked for less.
func Motion() bool {
	app := fyne.CurrentApp()
	return app != nil && app.Settings().ShowAnimations() && !Current().options.ReducedMotion
}
