package shell

import (
	"context"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"

	"keva/agent/session"
	"keva/ui/chat"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/sessions"
	"keva/ui/settings"
	"keva/ui/theme"
)

func (s *Shell) demoAction() func() {
	if s.deps.Demo == nil {
		return nil
	}
	return s.startDemo
}

// startDemo makes the sample project and opens a session in it, with the prompt of the tour written and not sent.
func (s *Shell) startDemo() {
	d := s.deps.Demo
	v := settings.Resolve(s.deps.Settings, s.deps.Settings.Values())
	s.deps.Go(func() {
		dir, err := d.Project(context.Background())
		if err != nil {
			s.deps.Post(func() { s.problem("The demo can't start", err) })
			return
		}
		s.create(session.New{Dir: dir, Engine: v.Engine, Provider: d.Provider}, d.Prompt, func(err error) { s.problem("The demo can't start", err) })
	})
}

// resetDemo undoes what was done to the sample project, so that the tour can be taken again.
func (s *Shell) resetDemo() {
	s.deps.Go(func() {
		err := s.deps.Demo.Reset(context.Background())
		s.deps.Post(func() {
			if err != nil {
				s.problem("The demo project was not reset", err)
			} else {
				s.Say("The demo project is as it was.")
			}
		})
	})
}

// create makes a session off the thread of the user interface, and shows it.
func (s *Shell) create(n session.New, suggest string, failed func(error)) {
	o, err := s.deps.Sessions.Create(context.Background(), n)
	s.deps.Post(func() {
		if err != nil {
			failed(err)
			return
		}
		screen.CloseTop(s.win.Canvas())
		c := s.ShowSession(o)
		if suggest != "" {
			c.Suggest(suggest)
		}
	})
}

// newSession asks for the folder. Engine and provider are those of the settings, and can be changed for this session.
func (s *Shell) newSession() {
	v := settings.Resolve(s.deps.Settings, s.deps.Settings.Values())
	failed := screen.NewPara("", screen.ErrorStyle)
	failed.Hide()
	var sheet *screen.Sheet
	begin := func(dir string) {
		if dir = s.expand(dir); dir == "" {
			return
		}
		s.deps.Go(func() {
			s.create(session.New{Dir: dir, Engine: v.Engine, Provider: v.Provider, Model: v.Model, Effort: v.Effort}, "", func(err error) {
				failed.SetText(chat.Sentence(err))
				failed.Show()
				sheet.Changed()
			})
		})
	}
	o := []fyne.CanvasObject{screen.NewText("New session", screen.SheetTitle)}
	if s.deps.Demo != nil {
		o = append(o, screen.ListRow("Demo project", "A scripted model and a sample project. No account needed.", nil, func() {
			sheet.Close()
			s.startDemo()
		}))
		if s.deps.Demo.Reset != nil {
			o = append(o, screen.ListRow("Reset the demo project", "Puts its files back as they were.", nil, func() {
				sheet.Close()
				s.resetDemo()
			}))
		}
	}
	if s.deps.NewProject != nil {
		o = append(o, screen.ListRow("New project", "An empty folder in your projects.", nil, func() {
			sheet.Close()
			s.newProject(v)
		}))
	}
	for _, dir := range sessions.Recent(s.list, 4) {
		o = append(o, screen.ListRow(filepath.Base(dir), screen.Short(dir, s.deps.Home), nil, func() { begin(dir) }))
	}
	field := screen.NewEntry(false)
	field.SetPlaceHolder("Path of a project folder")
	field.OnSubmitted = begin
	o = append(o, screen.Field(field), failed, s.runsWith(v))
	o = append(o, mark.NewBigButton("Browse…", mark.Secondary, func() { s.browse(s.deps.Home, begin) }))
	o = append(o, mark.NewBigButton("Open folder", mark.Primary, func() { begin(field.Text) }))
	sheet = screen.ShowSheet(s.win.Canvas(), nil, o...)
}

// newProject asks for a name, makes the folder and begins a session in it.
func (s *Shell) newProject(v settings.Values) {
	field, failed := screen.NewEntry(false), screen.NewPara("", screen.ErrorStyle)
	field.SetPlaceHolder("Name of the project")
	failed.Hide()
	var sheet *screen.Sheet
	refuse := func(err error) {
		failed.SetText(chat.Sentence(err))
		failed.Show()
		sheet.Changed()
	}
	begin := func() {
		name := field.Text
		s.deps.Go(func() {
			dir, err := s.deps.NewProject(context.Background(), name)
			if err != nil {
				s.deps.Post(func() { refuse(err) })
				return
			}
			s.create(session.New{Dir: dir, Engine: v.Engine, Provider: v.Provider, Model: v.Model, Effort: v.Effort}, "", refuse)
		})
	}
	field.OnSubmitted = func(string) { begin() }
	sheet = screen.ShowSheet(s.win.Canvas(), nil, screen.NewText("New project", screen.SheetTitle),
		screen.Field(field), failed, s.runsWith(v), mark.NewBigButton("Begin", mark.Primary, begin))
}

// runsWith says what the new session will run with.
func (s *Shell) runsWith(v settings.Values) fyne.CanvasObject {
	provider := v.Provider
	for _, p := range s.deps.Settings.Providers(v.Engine) {
		if p.ID == v.Provider {
			provider = p.Label
		}
	}
	line := s.engineLabel(v.Engine) + " · " + provider
	if v.Model != "" {
		line += " · " + v.Model
	}
	return screen.ListRow("Runs with", line, screen.NewIcon(screen.GlyphNext, theme.Muted, 18), func() {
		screen.CloseTop(s.win.Canvas())
		s.showSettings()
	})
}

// expand makes a path of what was typed: ~ is the home folder, and a relative path begins there.
func (s *Shell) expand(dir string) string {
	dir = strings.TrimSpace(dir)
	switch {
	case dir == "":
		return ""
	case dir == "~":
		return s.deps.Home
	case strings.HasPrefix(dir, "~/"):
		return filepath.Join(s.deps.Home, dir[2:])
	case !filepath.IsAbs(dir):
		return filepath.Join(s.deps.Home, dir)
	}
	return filepath.Clean(dir)
}
