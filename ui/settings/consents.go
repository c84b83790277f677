package settings

import (
	"fmt"

	"fyne.io/fyne/v2"

	"keva/agent/trust"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
)

// Consents is the page that lists what projects may do by themselves because the user has agreed to it, and takes it back.
func Consents(s Service, back func()) fyne.CanvasObject {
	bar := screen.NewBar(screen.NewIconButton(screen.GlyphBack, "Back", back), "Allowed projects", "")
	column := screen.Column(0, screen.Insets{Bottom: theme.Space6})
	scroll := screen.Scroll(column)
	var show func(failed error)
	show = func(failed error) {
		var o []fyne.CanvasObject
		if failed != nil {
			o = append(o, screen.Column(0, screen.Pad(theme.Space4), screen.NewPara("It could not be taken back. "+Sentence(failed), screen.ErrorStyle)))
		}
		list := s.Consents()
		if len(list) == 0 {
			o = append(o, screen.Column(0, screen.Pad(theme.Space4),
				screen.NewPara("No project may do anything by itself. When one asks, it is said above its session.", screen.SecondaryStyle)))
		}
		for _, c := range list {
			o = append(o, screen.SettingRow(c.Dir, things(c), mark.NewButton("Take back", mark.Quiet, func() { show(s.Revoke(c.Dir)) })), screen.Separator())
		}
		column.Objects = o
		scroll.Changed()
	}
	show(nil)
	return screen.Page(bar, screen.On(screen.Fill(theme.Background), scroll.Object()))
}

// things says what was agreed to, as far as a line can.
func things(c trust.Consent) string {
	switch n := len(c.Entries); n {
	case 0:
		return "Nothing"
	case 1:
		return c.Entries[0].Text
	default:
		return fmt.Sprintf("%s, and %d more", c.Entries[0].Text, n-1)
	}
}
