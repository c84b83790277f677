package signin

import (
	"context"
	"errors"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"keva/agent/event"
	"keva/agent/signin"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// page is what the state asks for.
func (s *Screen) page() []fyne.CanvasObject {
	v := s.deps.Service.View()
	if v.Method.Engine != s.deps.Engine && over(v.State) { // how another engine's ended is said on its page
		return s.choose("")
	}
	switch st := v.State.(type) {
	case signin.Opening:
		return s.waiting("Starting…", "This takes a few seconds.")
	case signin.Checking:
		return s.waiting("Checking…", "The provider is asked.")
	case signin.WaitingForBrowser:
		o := []fyne.CanvasObject{
			s.steps("Sign in on the page that opens. It comes back here by itself, on this device only."), address(st.Address),
			inset(primary("Open the page", func() { s.open(st.Address) }), secondary("Copy the address", func() { s.deps.Copy(st.Address) })),
		}
		if st.TakesCode {
			o = append(o, s.code("If the page shows a code, paste it here."))
		}
		return append(o, s.end(st.Until)...)
	case signin.WaitingForCode:
		return append([]fyne.CanvasObject{
			s.steps("Sign in on this page, on any device. It shows a code in the end: paste it here."), address(st.Address),
			inset(primary("Open the page", func() { s.open(st.Address) }), secondary("Copy the address", func() { s.deps.Copy(st.Address) })),
			s.code("Code from the page"),
		}, s.end(st.Until)...)
	case signin.WaitingForDevice:
		return append([]fyne.CanvasObject{
			s.steps("Open this page on any device, sign in, and write this code there. Then wait here."),
			inset(screen.On(screen.Panel(theme.Code, "", theme.CardRadius), screen.Column(0, screen.Pad(theme.Space4),
				screen.NewPara(st.UserCode, draw.Style{Role: theme.Display, Color: theme.Ink, Bold: true})))),
			address(st.Address),
			inset(primary("Open the page", func() { s.open(st.Address) }), secondary("Copy the code", func() { s.deps.Copy(st.UserCode) })),
		}, s.end(st.Until)...)
	case signin.Done:
		return s.done(v.Method, st)
	case signin.Failed:
		if s.key != nil { // the form says it
			return s.form()
		}
		return s.over("It did not work", st.Reason.Message, theme.Error, v.Method)
	case signin.Unknown:
		return []fyne.CanvasObject{
			inset(mark.NewTag("Unknown", mark.Unclear), screen.NewPara(st.Text, screen.BodyStyle), s.problem()),
			inset(primary("Look how it ended", func() { s.off(s.deps.Service.Settle) }), secondary("Start over", s.dismiss)),
		}
	case signin.Cancelled:
		return s.choose("It was stopped. Nobody was signed in by it.")
	case signin.None, nil:
	}
	return s.choose("")
}

// over reports whether a sign-in has ended, as far as that is known.
func over(st signin.State) bool {
	switch st.(type) {
	case signin.Done, signin.Failed, signin.Cancelled:
		return true
	}
	return false
}

// choose lists the ways.
func (s *Screen) choose(before string) []fyne.CanvasObject {
	if s.key != nil {
		return s.form()
	}
	o := []fyne.CanvasObject{inset(screen.NewPara(before, screen.SecondaryStyle), s.problem())}
	if before == "" && s.failed == nil {
		o = nil
	}
	rows := screen.Column(0, screen.Insets{})
	row := func(label, note string, do func()) {
		rows.Objects = append(rows.Objects, screen.TapRow(label, note, screen.NewIcon(screen.GlyphNext, theme.Muted, 18), do), screen.Separator())
	}
	for _, m := range s.deps.Service.Methods(s.deps.Engine) {
		row(m.Label, m.Note, func() { s.begin(m) })
	}
	for _, e := range s.deps.Extras {
		row(e.Label, e.Note, e.Do)
	}
	return append(o, rows)
}

// form takes a key. It stays with what was typed while the key is refused.
func (s *Screen) form() []fyne.CanvasObject {
	m := *s.key
	field := screen.NewEntry(true)
	field.SetText(s.said)
	keepAfter := func(before func(context.Context) error, choice string) {
		s.said = field.Text
		key := strings.TrimSpace(field.Text)
		s.off(func(ctx context.Context) error {
			err := before(ctx)
			if err == nil {
				err = s.deps.Service.SubmitKey(ctx, m.ID, key, choice)
			} else { // the choice of another place stays
				err = &signin.KeepError{Reason: reasonOf(err)}
			}
			s.deps.Post(func() {
				if err == nil {
					s.key, s.said = nil, ""
				}
			})
			return err
		})
	}
	keep := func(choice string) { keepAfter(func(context.Context) error { return nil }, choice) }
	field.OnSubmitted = func(string) { keep("") }
	o := []fyne.CanvasObject{
		inset(screen.NewPara(m.Label, screen.TitleStyle), screen.NewPara(m.Note, screen.SecondaryStyle), screen.Field(field), s.problem(),
			primary("Use this key", func() { keep("") })),
	}
	var unkept *signin.KeepError
	if errors.As(s.failed, &unkept) { // the key may be right: only its place is missing, and the user may choose another
		o = append(o, inset(secondary("Keep it until Keva closes", func() { keep("memory") })))
		if unlock := s.deps.Unlock; unlock != nil {
			phrase := screen.NewEntry(true)
			o = append(o, inset(screen.NewPara("Or in a file that a passphrase locks. Keva asks for it at each start; without it the keys are lost.", screen.SecondaryStyle),
				screen.Field(phrase), secondary("Keep it in a locked file", func() {
					keepAfter(func(ctx context.Context) error { return unlock(ctx, phrase.Text) }, "file")
				})))
		}
	}
	return o
}

// reasonOf is err as the form shows it.
func reasonOf(err error) *event.Error {
	var e *event.Error
	if errors.As(err, &e) {
		return e
	}
	return &event.Error{Class: event.ClassOther, Message: err.Error()}
}

// code takes what a page showed.
func (s *Screen) code(label string) fyne.CanvasObject {
	field := screen.NewEntry(false)
	field.SetText(s.said)
	use := func() {
		s.said = field.Text
		err := s.deps.Service.SubmitCode(field.Text)
		if err == nil {
			s.said = ""
		}
		s.try(err)
	}
	field.OnSubmitted = func(string) { use() }
	return inset(screen.NewPara(label, screen.SecondaryStyle), screen.Field(field), secondary("Use the code", use))
}

func (s *Screen) steps(text string) fyne.CanvasObject {
	return inset(screen.NewPara(text, screen.BodyStyle), s.problem())
}

// address shows the exact address, to be compared with what the browser shows.
func address(a string) fyne.CanvasObject {
	return inset(screen.On(screen.Panel(theme.Code, "", theme.CardRadius), screen.Column(0, screen.Pad(theme.Space3),
		screen.NewPara(a, draw.Mono))))
}

// end says until when, and stops it.
func (s *Screen) end(until time.Time) []fyne.CanvasObject {
	words := "Keva waits, also while another app is in front."
	if !until.IsZero() {
		words = "The provider waits until " + until.Local().Format("15:04") + ". " + words
	}
	return []fyne.CanvasObject{inset(screen.NewPara(words, screen.SecondaryStyle), quiet("Stop signing in", s.stop))}
}

func (s *Screen) waiting(title, second string) []fyne.CanvasObject {
	return []fyne.CanvasObject{screen.SettingRow(title, second, mark.New(transcript.MarkRunning)), inset(s.problem(), quiet("Stop", s.stop))}
}

func (s *Screen) over(title, text string, colour fyne.ThemeColorName, m signin.Method) []fyne.CanvasObject {
	return []fyne.CanvasObject{
		inset(screen.NewPara(title, screen.TitleStyle), screen.NewPara(text, draw.Style{Role: theme.Body, Color: colour}), s.problem()),
		inset(primary("Try again", func() { s.begin(m) }), secondary("Another way", s.dismiss)),
	}
}

// done says who is signed in, and what could not be made sure.
func (s *Screen) done(m signin.Method, d signin.Done) []fyne.CanvasObject {
	words := "Signed in"
	switch {
	case m.Kind == signin.KindKey:
		words = "The key is kept"
	case d.Account.Name != "":
		words += " as " + d.Account.Name
	}
	if d.Account.Plan != "" {
		words += " · " + d.Account.Plan
	}
	second := s.deps.Label + " uses it from now on."
	o := []fyne.CanvasObject{screen.SettingRow(words, second, mark.New(transcript.MarkDone))}
	if d.Unchecked != nil {
		o = append(o, inset(screen.NewPara(d.Unchecked.Message, draw.Style{Role: theme.Label, Color: theme.Warning})))
	}
	if m.Keeper == signin.KeeperEngine {
		o = append(o, inset(screen.NewPara("The sign-in lies in the engine's own folder, because only the engine can renew it. Commands that it runs could read it there.", screen.SecondaryStyle)))
	}
	return append(o, inset(s.problem(), primary("Continue", func() {
		s.dismiss()
		s.deps.Done()
	})))
}

// problem is the error of the last tap, hidden while there is none.
func (s *Screen) problem() fyne.CanvasObject {
	p := screen.NewPara("", screen.ErrorStyle)
	if s.failed == nil {
		p.Hide()
		return p
	}
	var e *event.Error
	words := s.failed.Error()
	if errors.As(s.failed, &e) {
		words = e.Message
	}
	p.SetText(words)
	return p
}
