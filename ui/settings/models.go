package settings

import (
	"context"

	"fyne.io/fyne/v2"

	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// Model is a model to choose from.
type Model struct{ ID, Label string }

// ModelList is what is known of a provider's models.
type ModelList struct {
	Models  []Model
	Says    string // how old the list is
	Problem string // why the last attempt to renew it failed, "" when it did not; the models are then those of before
}

// Modeler is implemented by a Service that knows models. Both methods may block.
type Modeler interface {
	// Known asks nobody; Refresh asks the provider.
	KnownModels(ctx context.Context, engine, provider string) ModelList
	RefreshModels(ctx context.Context, engine, provider string) ModelList
}

// chooseModel opens the page of models, or asks for a name where no list can be had.
func (s *Screen) chooseModel() {
	m, ok := s.deps.Service.(Modeler)
	if !ok {
		s.enterModel()
		return
	}
	e, p := s.engine(), s.provider()
	s.deps.Show(func(back func()) fyne.CanvasObject {
		column := screen.Column(0, screen.Insets{Bottom: theme.Space6})
		scroll := screen.Scroll(column)
		bar := screen.NewBar(screen.NewIconButton(screen.GlyphBack, "Back", back), "Model", p.Label)
		choose := func(id string) {
			s.save(func(v *Values) { v.Model = id })
			back()
		}
		var show func(list ModelList, busy bool)
		ask := func(how func(context.Context, string, string) ModelList) {
			s.deps.Go(func() {
				list := how(context.Background(), e.ID, p.ID)
				s.deps.Post(func() { show(list, false) })
			})
		}
		show = func(list ModelList, busy bool) {
			var o []fyne.CanvasObject
			row := func(label, second, id string) {
				var tail fyne.CanvasObject
				if s.values.Model == id {
					tail = mark.New(transcript.MarkDone)
				}
				o = append(o, screen.TapRow(label, second, tail, func() { choose(id) }), screen.Separator())
			}
			row("The engine's default", "", "")
			for _, model := range list.Models {
				if model.ID != "" {
					row(model.Label, idUnless(model), model.ID)
				}
			}
			if list.Problem != "" {
				o = append(o, screen.Column(0, screen.Pad(theme.Space4), screen.NewPara(list.Problem, draw.Style{Role: theme.Label, Color: theme.Error})))
			}
			if busy {
				o = append(o, screen.SettingRow("Asking the provider…", "", mark.New(transcript.MarkRunning)))
			} else {
				o = append(o, screen.TapRow("Ask the provider", list.Says, screen.NewIcon(screen.GlyphNext, theme.Muted, 18), func() {
					show(list, true)
					ask(m.RefreshModels)
				}), screen.Separator())
			}
			o = append(o, screen.TapRow("Another model…", "As the provider names it", screen.NewIcon(screen.GlyphNext, theme.Muted, 18), func() {
				back()
				s.enterModel()
			}))
			column.Objects = o
			scroll.Changed()
		}
		show(ModelList{}, false)
		ask(m.KnownModels)
		return screen.Page(bar, screen.On(screen.Fill(theme.Background), scroll.Object()))
	})
}

// idUnless is the second line of a model: its id, when that is not its name.
func idUnless(m Model) string {
	if m.ID == m.Label {
		return ""
	}
	return m.ID
}
