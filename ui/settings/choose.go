package settings

import (
	"context"
	"strings"

	"keva/agent/event"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
)

func (s *Screen) chooseEngine() {
	var items []screen.Item
	for _, e := range s.deps.Service.Engines() {
		items = append(items, screen.Item{Label: e.Label, Chosen: e.ID == s.engine().ID, Do: func() {
			s.save(func(v *Values) {
				if v.Engine != e.ID { // the names of models differ from engine to engine
					v.Engine, v.Model, v.Effort = e.ID, "", ""
				}
			})
		}})
	}
	screen.ShowMenu(s.deps.Window(), "Engine", items...)
}

func (s *Screen) chooseProvider() {
	var items []screen.Item
	for _, p := range s.deps.Service.Providers(s.engine().ID) {
		second := p.Note
		if p.Custom { // two may have the same name
			second = host(p.Address)
		}
		items = append(items, screen.Item{Label: p.Label, Second: second, Chosen: p.ID == s.provider().ID, Do: func() {
			s.save(func(v *Values) {
				if v.Provider != p.ID {
					v.Provider, v.Model = p.ID, ""
				}
			})
		}})
	}
	if o, ok := s.deps.Service.(Owner); ok {
		items = append(items, screen.Item{Label: "Another one, of your own…", Second: "A server that you name", Do: func() { s.addOwn(o) }})
	}
	screen.ShowMenu(s.deps.Window(), "Provider", items...)
}

func (s *Screen) chooseEffort() {
	var items []screen.Item
	for _, e := range []string{"", "low", "medium", "high"} {
		items = append(items, screen.Item{Label: or(e, "The engine's default"), Chosen: e == s.values.Effort, Do: func() {
			s.save(func(v *Values) { v.Effort = e })
		}})
	}
	screen.ShowMenu(s.deps.Window(), "Effort", items...)
}

func (s *Screen) chooseMode() {
	var items []screen.Item
	for _, m := range []theme.Mode{theme.System, theme.Light, theme.Dark} {
		items = append(items, screen.Item{Label: modeWord(m), Chosen: modeWord(m) == modeWord(s.values.Mode), Do: func() {
			s.save(func(v *Values) { v.Mode = m })
		}})
	}
	screen.ShowMenu(s.deps.Window(), "Theme", items...)
}

func modeWord(m theme.Mode) string {
	switch m {
	case theme.Light:
		return "Light"
	case theme.Dark:
		return "Dark"
	case theme.System:
	}
	return "As the system"
}

func (s *Screen) chooseScale() {
	var items []screen.Item
	for _, f := range theme.Scales() {
		items = append(items, screen.Item{Label: scaleWord(f), Chosen: scaleWord(f) == scaleWord(s.values.Scale), Do: func() {
			s.save(func(v *Values) { v.Scale = f })
		}})
	}
	screen.ShowMenu(s.deps.Window(), "Text size", items...)
}

func scaleWord(f theme.Scale) string {
	switch f {
	case theme.Small:
		return "Small"
	case theme.Large:
		return "Large"
	case theme.Huge:
		return "Huge"
	case theme.Normal:
	}
	return "Normal"
}

func (s *Screen) enterModel() {
	s.enter("Model", "As the provider names it. Empty is the engine's default.", s.values.Model, false, func(text string) error {
		s.save(func(v *Values) { v.Model = text })
		return nil
	})
}

// enterKey takes a key. It goes to the keyring and is not kept here.
func (s *Screen) enterKey() {
	p := s.provider()
	keep := func(do func(context.Context) error) {
		s.deps.Go(func() {
			err := do(context.Background())
			s.deps.Post(func() {
				if err == nil {
					s.askKey()
				} else if s.key.provider == p.ID {
					s.key = keyState{provider: p.ID, known: true, err: err}
				}
				s.rebuild()
			})
		})
	}
	if s.key.known && s.key.has {
		screen.ShowMenu(s.deps.Window(), "API key of "+p.Label,
			screen.Item{Label: "Replace…", Do: func() { s.typeKey(p, keep) }},
			screen.Item{Label: "Forget the key", Danger: true, Do: func() {
				keep(func(ctx context.Context) error { return s.deps.Service.ForgetKey(ctx, p.ID) })
			}})
		return
	}
	s.typeKey(p, keep)
}

func (s *Screen) typeKey(p Provider, keep func(func(context.Context) error)) {
	s.enter("API key of "+p.Label, "It is kept in the system's keyring, never in a file, and shown nowhere again.", "", true, func(key string) error {
		if key == "" {
			return &event.Error{Class: event.ClassConfig, Message: "Nothing was entered."}
		}
		keep(func(ctx context.Context) error { return s.deps.Service.SaveKey(ctx, p.ID, key) })
		return nil
	})
}

// enter asks for one line in a sheet. The sheet stays open with the reason while done refuses.
func (s *Screen) enter(title, help, value string, secret bool, done func(string) error) {
	field := screen.NewEntry(secret)
	field.SetText(value)
	failed := screen.NewPara("", screen.ErrorStyle)
	failed.Hide()
	var sheet *screen.Sheet
	submit := func() {
		if err := done(strings.TrimSpace(field.Text)); err != nil {
			failed.SetText(Sentence(err))
			failed.Show()
			sheet.Changed()
			return
		}
		sheet.Close()
	}
	field.OnSubmitted = func(string) { submit() }
	sheet = screen.ShowSheet(s.deps.Window(), nil,
		screen.NewPara(title, screen.SheetTitle), screen.NewPara(help, screen.SecondaryStyle), screen.Field(field), failed,
		mark.NewBigButton("Save", mark.Primary, submit), mark.NewBigButton("Cancel", mark.Quiet, func() { sheet.Close() }))
	s.deps.Window().Focus(field)
}
