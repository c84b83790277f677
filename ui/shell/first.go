package shell

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	fresh "keva/agent/onboarding"
	"keva/ui/chat"
	"keva/ui/diffview"
	"keva/ui/doctor"
	"keva/ui/mark"
	"keva/ui/onboarding"
	"keva/ui/screen"
	"keva/ui/settings"
	"keva/ui/signin"
	"keva/ui/theme"
)

// newFirst makes the screen of the first start.
func (s *Shell) newFirst() *onboarding.Screen {
	service := s.deps.Onboarding
	if service == nil {
		service = plain{s}
	}
	return onboarding.New(onboarding.Deps{
		Service: service, SignIn: s.firstSignIn, Demo: s.demoAction(), Open: s.newSession, Settings: s.showSettings,
		Changed: func() { s.root.arrange() }, Post: s.deps.Post, Go: s.deps.Go,
	})
}

// firstSignIn is the sign-in of the first start. Without one, the settings are where a key is entered.
func (s *Shell) firstSignIn(e fresh.Agent, back, done func()) fyne.CanvasObject {
	if s.deps.SignIn == nil {
		s.showSettings()
		return nil
	}
	s.leaveSignIn()
	s.asking = s.signIn(e, func() { s.leaveSignIn(); back() }, func() { s.leaveSignIn(); done() })
	return s.asking.Object()
}

// leaveSignIn ends the page of the sign-in of the first start, in whatever way it was left. What is under way goes on.
func (s *Shell) leaveSignIn() {
	if s.asking != nil {
		s.asking.Stop()
		s.asking = nil
	}
}

// signIn makes the page of the sign-in of an engine. Who shows it stops it.
func (s *Shell) signIn(e fresh.Agent, back, done func()) *signin.Screen {
	extras := []signin.Extra{{Label: "Own address", Note: "A server of yours, entered in the settings.", Do: s.showSettings}}
	var unlock func(context.Context, string) error
	if s.deps.KeyFile != nil {
		unlock = s.deps.KeyFile.Unlock
	}
	return signin.New(signin.Deps{
		Unlock:  unlock,
		Service: s.deps.SignIn, Engine: e.ID, Label: e.Label, Title: "Set up " + e.Label, Extras: extras,
		Back: back, Done: done,
		OpenURL: s.deps.OpenURL, Copy: s.copy, Post: s.deps.Post, Go: s.deps.Go,
	})
}

// showSignIn opens the sign-in of an engine over the screen that is there.
func (s *Shell) showSignIn(e settings.Engine) {
	p := s.signIn(fresh.Agent(e), func() { s.pop() }, func() { s.pop() })
	s.push(page{object: p.Object(), closed: p.Stop, back: p.LeaveForm})
}

// unlockKeys asks for the passphrase of the file of keys.
func (s *Shell) unlockKeys() {
	phrase, failed := screen.NewEntry(true), screen.NewPara("", screen.ErrorStyle)
	failed.Hide()
	var sheet *screen.Sheet
	open := func() {
		text := phrase.Text
		s.deps.Go(func() {
			err := s.deps.KeyFile.Unlock(context.Background(), text)
			s.deps.Post(func() {
				if err == nil {
					sheet.Close()
					s.Say("The keys are open until Keva closes.")
					return
				}
				failed.SetText(chat.Sentence(err))
				failed.Show()
				sheet.Changed()
			})
		})
	}
	phrase.OnSubmitted = func(string) { open() }
	sheet = screen.ShowSheet(s.win.Canvas(), nil, screen.NewText("Passphrase of the key file", screen.SheetTitle),
		screen.NewPara("It is asked for once in each run, and kept nowhere.", screen.SecondaryStyle),
		screen.Field(phrase), failed, mark.NewBigButton("Open", mark.Primary, open))
}

// showDoctor opens the doctor.
func (s *Shell) showDoctor() {
	d := doctor.New(doctor.Deps{
		Service: s.deps.Doctor, Back: func() { s.pop() }, Post: s.deps.Post, Go: s.deps.Go,
		Review: func(text string, save func() (string, error)) { s.review(text, save) },
	})
	s.push(page{object: d.Object(), closed: func() {
		d.Stop()
		s.start.Look() // it may have found tools that have to be mended
	}})
}

// links are the rows of the settings that lead elsewhere.
func (s *Shell) links() (list []settings.Link) {
	if s.deps.SignIn != nil {
		for _, e := range s.deps.Settings.Engines() {
			list = append(list, settings.Link{Section: "Accounts", Label: "Sign in to " + e.Label, Second: "Subscription, key or another way", Open: func() { s.showSignIn(e) }})
		}
	}
	if k := s.deps.KeyFile; k != nil && k.Exists() {
		second := "Open until Keva closes"
		if k.Locked() {
			second = "Locked. Keys in it can't be used before you give its passphrase"
		}
		list = append(list, settings.Link{Section: "Accounts", Label: "Key file", Second: second, Open: s.unlockKeys})
	}
	for _, p := range s.deps.Pages {
		list = append(list, settings.Link{Section: p.Section, Label: p.Label, Second: p.Second, Open: func() {
			s.push(page{object: p.Make(func() { s.pop() })})
		}})
	}
	if s.deps.Doctor != nil {
		list = append(list, settings.Link{Section: "When something is wrong", Label: "Doctor", Second: "What works, what does not, and a report to share", Open: s.showDoctor})
	}
	return list
}

// plain is the first start of a computer whose engines need no tools of ours.
type plain struct{ s *Shell }

func (p plain) Facts(ctx context.Context) fresh.Facts {
	list, err := p.s.deps.Sessions.Sessions(ctx)
	f := fresh.Facts{Tools: fresh.ToolsNotNeeded, Sessions: len(list)}
	if err != nil { // the list says so
		f.Sessions = 1
	}
	return f
}

func (plain) Unpack(context.Context, func(fresh.Progress)) error { return nil }

func (p plain) Agents() []fresh.Agent {
	var list []fresh.Agent
	for _, e := range p.s.deps.Settings.Engines() {
		list = append(list, fresh.Agent(e))
	}
	return list
}

func (p plain) Choose(engine string) error {
	v := p.s.deps.Settings.Values()
	v.Engine = engine
	return p.s.deps.Settings.Save(settings.Resolve(p.s.deps.Settings, v))
}

// review shows a report before it goes anywhere.
func (s *Shell) review(text string, save func() (string, error)) {
	bar := screen.NewBar(screen.NewIconButton(screen.GlyphBack, "Back", func() { s.pop() }), "Report", "This is all that is shared",
		screen.NewIconButton(screen.GlyphCopy, "Copy all", func() { s.copy(text) }))
	keep := mark.NewBigButton("Save as a file", mark.Primary, func() {
		s.deps.Go(func() {
			name, err := save()
			s.deps.Post(func() {
				if err != nil {
					s.problem("The report was not saved", err)
				} else {
					s.Say("Saved as " + screen.Tail(name, s.deps.Home))
				}
			})
		})
	})
	actions := []fyne.CanvasObject{keep}
	if share := s.deps.Share; share != nil {
		actions = append(actions, mark.NewBigButton("Share…", mark.Secondary, func() {
			s.deps.Go(func() {
				if err := share("Keva report", text); err != nil {
					s.deps.Post(func() { s.problem("The report was not shared", err) })
				}
			})
		}))
	}
	low := screen.On(screen.Fill(theme.Surface), screen.Column(theme.Space2, screen.Pad(theme.Space4), actions...))
	s.push(page{side: true, object: screen.Page(bar, container.NewBorder(nil, low, nil, nil, diffview.NewView(diffview.OfText(text))))})
}
