package shell

import (
	"context"

	"keva/agent/event"
	"keva/agent/session"
	"keva/ui/chat"
	"keva/ui/diffview"
	"keva/ui/mark"
	"keva/ui/screen"
)

// Open shows a session.
func (s *Shell) Open(id string) {
	if s.chat != nil && s.chat.ID() == id && len(s.stack) == 1 {
		return
	}
	s.deps.Go(func() {
		o, err := s.deps.Sessions.Open(context.Background(), id)
		s.deps.Post(func() {
			if err != nil {
				s.problem("The session can't be opened", err)
				s.reload()
				return
			}
			s.ShowSession(o)
		})
	})
}

// ShowSession shows a session that is open already.
func (s *Shell) ShowSession(o chat.Session) *chat.Screen {
	s.closeChat()
	s.stack = nil
	c := chat.New(chat.Deps{
		Session: o, Now: s.deps.Clock, Do: s.deps.Do, Post: s.deps.Post, Go: s.deps.Go, After: s.deps.After,
		Window: s.win.Canvas, Engine: s.engineLabel, Home: s.deps.Home, EnterSends: *s.deps.HardwareKeyboard,
		Back: func() { s.pop() }, ShowChanges: s.showChanges, ShowText: s.showText, OpenURL: s.deps.OpenURL,
		Copy: s.copy, Delete: func() { s.deleteSession(o.View().Meta) }, RetryStore: s.deps.RetryStore,
		ModelChosen: s.showSettings, Agree: s.deps.Agree, AgreedBefore: s.deps.AgreedBefore,
	})
	s.chat = c
	s.push(page{object: c.Object(), closed: s.closeChat})
	c.Start()
	c.FocusComposer()
	return c
}

// Chat is the screen of the session that is open, nil for none.
func (s *Shell) Chat() *chat.Screen { return s.chat }

func (s *Shell) closeChat() {
	if c := s.chat; c != nil {
		s.chat = nil
		c.Stop()
	}
}

func (s *Shell) showChanges(title string, changes []event.Change) {
	name := func(path string) string { return screen.Short(path, s.deps.Home) }
	s.push(page{side: true, object: diffview.New(title, diffview.Counts(changes), diffview.OfChanges(changes, name),
		func() { s.pop() }, func() { s.copy(diffview.Unified(changes)) })})
}

// ShowText shows a long text that can be copied.
func (s *Shell) ShowText(title, text string) { s.showText(title, text) }

func (s *Shell) showText(title, text string) {
	s.push(page{side: true, object: diffview.New(title, "", diffview.OfText(text), func() { s.pop() }, func() { s.copy(text) })})
}

func (s *Shell) copy(text string) {
	s.app.Clipboard().SetContent(text)
	s.Say("Copied")
}

// sessionMenu is behind a long press on a session.
func (s *Shell) sessionMenu(m session.Meta) {
	screen.ShowMenu(s.win.Canvas(), title(m),
		screen.Item{Label: "Open", Do: func() { s.Open(m.ID) }},
		screen.Item{Label: "Delete session…", Danger: true, Do: func() { s.deleteSession(m) }})
}

func title(m session.Meta) string {
	if m.Title == "" {
		return "New session"
	}
	return m.Title
}

// deleteSession asks, since a transcript does not come back.
func (s *Shell) deleteSession(m session.Meta) {
	var sheet *screen.Sheet
	text := "“" + title(m) + "” and its transcript are removed from this device. The files of the project stay as they are."
	if m.Badge == session.BadgeRunning || m.Badge == session.BadgeNeedsYou {
		text += " What runs is stopped."
	}
	sheet = screen.ShowSheet(s.win.Canvas(), nil,
		screen.NewText("Delete this session?", screen.SheetTitle), screen.NewPara(text, screen.LineStyle),
		mark.NewBigButton("Keep", mark.Secondary, func() { sheet.Close() }),
		screen.Column(0, screen.Insets{Top: 8}, mark.NewBigButton("Delete", mark.Danger, func() {
			sheet.Close()
			s.deps.Go(func() {
				err := s.deps.Sessions.Delete(context.Background(), m.ID)
				s.deps.Post(func() {
					if err != nil {
						s.problem("The session was not deleted", err)
					} else if s.chat != nil && s.chat.ID() == m.ID {
						s.closeChat()
						s.stack = nil
						s.root.arrange()
					}
					s.reload()
				})
			})
		})))
}

// problem says what went wrong, until it is read.
func (s *Shell) problem(what string, err error) {
	var sheet *screen.Sheet
	sheet = screen.ShowSheet(s.win.Canvas(), nil,
		screen.NewPara(what, screen.SheetTitle), screen.NewPara(chat.Sentence(err), screen.BodyStyle),
		mark.NewBigButton("Close", mark.Secondary, func() { sheet.Close() }))
}
