package screen

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"keva/ui/draw"
	"keva/ui/theme"
)

// Entry is a stock entry of one line that leaves Escape and the back button to the screen.
type Entry struct{ widget.Entry }

// NewEntry makes an entry; a secret is drawn as dots.
func NewEntry(secret bool) *Entry {
	e := &Entry{}
	e.Password = secret
	e.ExtendBaseWidget(e)
	return e
}

// TypedKey is part of fyne.Focusable.
func (e *Entry) TypedKey(k *fyne.KeyEvent) {
	if draw.GoesBack(k) {
		draw.Unhandled(e, k)
		return
	}
	e.Entry.TypedKey(k)
}

// Field gives a stock entry of one line a frame of the app's, as high as a touch target.
func Field(entry fyne.CanvasObject) *fyne.Container {
	return &fyne.Container{Layout: fieldLayout{}, Objects: []fyne.CanvasObject{
		Panel(theme.Surface, theme.Line, theme.CardRadius), Bare(entry),
	}}
}

// Bare draws an entry without a frame of its own.
func Bare(entry fyne.CanvasObject) *container.ThemeOverride {
	return container.NewThemeOverride(entry, bare{})
}

type fieldLayout struct{}

func (fieldLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Resize(size)
	h := min(size.Height, o[1].MinSize().Height)
	o[1].Move(fyne.NewPos(theme.Space1, (size.Height-h)/2))
	o[1].Resize(fyne.NewSize(size.Width-2*theme.Space1, h))
}

func (fieldLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	m := o[1].MinSize()
	return fyne.NewSize(m.Width+2*theme.Space1, max(theme.Touch, m.Height+theme.Space2))
}

// bare is the theme in use without the frame of stock entries.
type bare struct{}

func (bare) Color(n fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	switch n {
	case fynetheme.ColorNameInputBackground, fynetheme.ColorNameInputBorder:
		return color.Transparent
	}
	return theme.Current().Color(n, v)
}

func (bare) Size(n fyne.ThemeSizeName) float32 {
	if n == fynetheme.SizeNameInputBorder {
		return 0
	}
	return theme.Current().Size(n)
}
func (bare) Font(s fyne.TextStyle) fyne.Resource     { return theme.Current().Font(s) }
func (bare) Icon(n fyne.ThemeIconName) fyne.Resource { return theme.Current().Icon(n) }
