package theme

import (
	"fyne.io/fyne/v2"
	fynetheme "fyne.io/fyne/v2/theme"
)

// Fonts are the bundled faces. A nil face is drawn with the toolkit's own.
type Fonts struct {
	Regular, SemiBold  fyne.Resource
	Mono, MonoSemiBold fyne.Resource
}

// FontsOf wraps font files; an empty one stays nil.
func FontsOf(regular, semiBold, mono, monoBold []byte) Fonts {
	wrap := func(name string, data []byte) fyne.Resource {
		if len(data) == 0 {
			return nil
		}
		return fyne.NewStaticResource(name, data)
	}
	return Fonts{
		Regular:      wrap("Inter-Regular", regular),
		SemiBold:     wrap("Inter-SemiBold", semiBold),
		Mono:         wrap("JetBrainsMono-Regular", mono),
		MonoSemiBold: wrap("JetBrainsMono-Bold", monoBold),
	}
}

// Font chooses the face. There is no bundled italic: the toolkit's is used, so that emphasis is not lost.
func (t *Theme) Font(style fyne.TextStyle) fyne.Resource {
	f := t.options.Fonts
	var face fyne.Resource
	switch {
	case style.Symbol:
	case style.Monospace && style.Bold && f.MonoSemiBold != nil:
		face = f.MonoSemiBold
	case style.Monospace:
		face = f.Mono
	case style.Italic:
	case style.Bold:
		face = f.SemiBold
	default:
		face = f.Regular
	}
	if face == nil {
		return fynetheme.DefaultTheme().Font(style)
	}
	return face
}
