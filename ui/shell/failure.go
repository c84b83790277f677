package shell

import (
	"fyne.io/fyne/v2"

	"keva/ui/chat"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
)

// ShowFailure is the window of an app that can't start: it says why, until it is closed.
func ShowFailure(app fyne.App, err error) {
	app.Settings().SetTheme(theme.New(theme.Options{}))
	w := app.NewWindow("Keva")
	w.SetPadded(false)
	w.SetContent(failurePage(err, app.Quit))
	w.ShowAndRun()
}

func failurePage(err error, quit func()) fyne.CanvasObject {
	return screen.On(screen.Fill(theme.Background), screen.Column(theme.Space4, screen.Insets{Top: 72, Right: theme.Space6, Left: theme.Space6},
		screen.NewPara("Keva can't start", screen.ScreenStyle), screen.NewPara(chat.Sentence(err), screen.BodyStyle),
		screen.NewPara("Nothing was changed or deleted.", screen.SecondaryStyle), mark.NewBigButton("Close", mark.Secondary, quit)))
}
