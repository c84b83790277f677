package settings

import (
	"strings"

	"fyne.io/fyne/v2"

	"keva/agent/budget"
	"keva/ui/screen"
	"keva/ui/theme"
)

// Limits is the page that lists every timeout and limit of the system, from the one table that they are enforced from: a
// run that was cut short can be looked up here.
func Limits(back func()) fyne.CanvasObject {
	bar := screen.NewBar(screen.NewIconButton(screen.GlyphBack, "Back", back), "Timeouts and limits", "")
	var o []fyne.CanvasObject
	for _, b := range budget.All() {
		o = append(o, screen.SettingRow(strings.ToUpper(b.Name[:1])+b.Name[1:]+": "+b.Value(), b.Meaning, nil), screen.Separator())
	}
	scroll := screen.Scroll(screen.Column(0, screen.Insets{Bottom: theme.Space6}, o...))
	return screen.Page(bar, screen.On(screen.Fill(theme.Background), scroll.Object()))
}
