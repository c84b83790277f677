package theme

import (
	"image/color"

	"fyne.io/fyne/v2"
	fynetheme "fyne.io/fyne/v2/theme"
)

// Bare is the theme in use without the frame of stock entries, for fields that draw their own: see container.ThemeOverride.
type Bare struct{}

// Color is part of fyne.Theme.
func (Bare) Color(n fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	switch n {
	case fynetheme.ColorNameInputBackground, fynetheme.ColorNameInputBorder:
		return color.Transparent
	}
	return Current().Color(n, v)
}

// Size is part of fyne.Theme.
func (Bare) Size(n fyne.ThemeSizeName) float32 {
	if n == fynetheme.SizeNameInputBorder {
		return 0
	}
	return Current().Size(n)
}

// Font is part of fyne.Theme.
func (Bare) Font(s fyne.TextStyle) fyne.Resource { return Current().Font(s) }

// Icon is part of fyne.Theme.
func (Bare) Icon(n fyne.ThemeIconName) fyne.Resource { return Current().Icon(n) }
