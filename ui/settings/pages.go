package settings

import (
	"fyne.io/fyne/v2"

	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// Switch is something that only the system can change, with how it stands now.
type Switch struct {
	Label, Says string
	OK          bool
	Open        func() error // shows the system's own page or question
}

// Switches is the page of what the system has to allow. read is asked again at each tap on "Look again", since the system
// does not tell what the user chose there.
func Switches(title string, read func() []Switch, back func(), post, off func(func())) fyne.CanvasObject {
	bar := screen.NewBar(screen.NewIconButton(screen.GlyphBack, "Back", back), title, "")
	column := screen.Column(0, screen.Insets{Bottom: theme.Space6})
	scroll := screen.Scroll(column)
	var show func(list []Switch, failed error)
	look := func(failed error) {
		off(func() {
			list := read()
			post(func() { show(list, failed) })
		})
	}
	show = func(list []Switch, failed error) {
		var o []fyne.CanvasObject
		if failed != nil {
			o = append(o, screen.Column(0, screen.Pad(theme.Space4), screen.NewPara("The system did not open its page. "+Sentence(failed), screen.ErrorStyle)))
		}
		if len(list) == 0 {
			o = append(o, screen.Column(0, screen.Pad(theme.Space4), screen.NewPara("There is nothing that the system has to allow.", screen.SecondaryStyle)))
		}
		for _, s := range list {
			tail := screen.NewIcon(screen.GlyphNext, theme.Muted, 18)
			var end fyne.CanvasObject = tail
			if s.OK {
				end = mark.New(transcript.MarkDone)
			}
			o = append(o, screen.TapRow(s.Label, s.Says, end, func() { off(func() { look(s.Open()) }) }), screen.Separator())
		}
		o = append(o, screen.Column(0, screen.Pad(theme.Space4), mark.NewBigButton("Look again", mark.Quiet, func() { look(nil) })))
		column.Objects = o
		scroll.Changed()
	}
	show(nil, nil)
	look(nil)
	return screen.Page(bar, screen.On(screen.Fill(theme.Background), scroll.Object()))
}

// Licence is a licence text of something that Keva brings along.
type Licence struct {
	Name, Version string
	Text          func() (string, error)
}

// Licences is the page that lists them; open shows one.
func Licences(list []Licence, back func(), open func(title, text string)) fyne.CanvasObject {
	bar := screen.NewBar(screen.NewIconButton(screen.GlyphBack, "Back", back), "Licences", "")
	problem := screen.NewPara("", screen.ErrorStyle)
	problem.Hide()
	o := []fyne.CanvasObject{screen.Column(0, screen.Pad(theme.Space4), screen.NewPara(
		"Keva brings other people's programs along. Each comes under its own licence; the engines belong to their makers.", screen.SecondaryStyle), problem)}
	if len(list) == 0 {
		o = append(o, screen.Column(0, screen.Pad(theme.Space4), screen.NewPara("No Linux tools are installed, so there are none of theirs.", screen.SecondaryStyle)))
	}
	for _, l := range list {
		o = append(o, screen.TapRow(l.Name, l.Version, screen.NewIcon(screen.GlyphNext, theme.Muted, 18), func() {
			text, err := l.Text()
			if err != nil {
				problem.SetText(Sentence(err))
				problem.Show()
				return
			}
			open(l.Name, text)
		}), screen.Separator())
	}
	scroll := screen.Scroll(screen.Column(0, screen.Insets{Bottom: theme.Space6}, o...))
	return screen.Page(bar, screen.On(screen.Fill(theme.Background), scroll.Object()))
}
