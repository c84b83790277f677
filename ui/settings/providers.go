package settings

import (
	"context"
	"strconv"

	"fyne.io/fyne/v2"

	"keva/agent/provider"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
)

// Owner is implemented by a Service that keeps providers of the user's own. Methods that take a context may block; errors
// are for people.
type Owner interface {
	OwnProviders() []provider.Provider
	// KindOf is the protocol that an engine needs.
	KindOf(engine string) provider.Kind
	// PutProvider adds a provider that has no id yet, and gives it one; or replaces the one of its id.
	PutProvider(ctx context.Context, p provider.Provider) (provider.Provider, error)
	// RemoveProvider also deletes the key. While that fails nothing is removed, unless leaveKey.
	RemoveProvider(ctx context.Context, id string, leaveKey bool) error
	SessionsWith(ctx context.Context, id string) (int, error)
	// CheckProvider finds out whether the address speaks what it is said to.
	CheckProvider(ctx context.Context, id string) error
}

// ownRow is the row of the user's own providers; false where the service keeps none.
func (s *Screen) ownRow() (label, second string, do func(), shown bool) {
	o, ok := s.deps.Service.(Owner)
	if !ok {
		return "", "", nil, false
	}
	second = "None yet. A server of yours, or another company's."
	switch list := o.OwnProviders(); len(list) {
	case 0:
	case 1:
		second = list[0].Name
	default:
		second = list[0].Name + ", and " + strconv.Itoa(len(list)-1) + " more"
	}
	return "Your own providers", second, func() { s.showOwn(o) }, true
}

// showOwn opens the list of them.
func (s *Screen) showOwn(o Owner) {
	s.deps.Show(func(back func()) fyne.CanvasObject {
		bar := screen.NewBar(screen.NewIconButton(screen.GlyphBack, "Back", back), "Your own providers", "")
		column := screen.Column(0, screen.Insets{Bottom: theme.Space6})
		scroll := screen.Scroll(column)
		var show func()
		show = func() {
			list := o.OwnProviders()
			var rows []fyne.CanvasObject
			if len(list) == 0 {
				rows = append(rows, screen.Column(0, screen.Pad(theme.Space4), screen.NewPara(
					"None yet. Any server works that speaks Anthropic Messages or OpenAI Responses: one on this device, your company's, or another company's.", screen.SecondaryStyle)))
			}
			for _, p := range list {
				rows = append(rows, screen.TapRow(p.Name, host(p.Base(p.Kinds[0]))+"\n"+kindsLabel(p.Kinds), screen.NewIcon(screen.GlyphNext, theme.Muted, 18), func() {
					s.editOwn(o, p, func(provider.Provider) { show() })
				}), screen.Separator())
			}
			rows = append(rows, screen.Column(0, screen.Pad(theme.Space4), mark.NewBigButton("Add a provider", mark.Primary, func() {
				s.editOwn(o, newOwn(o, s.engine().ID), func(provider.Provider) { show() })
			})))
			column.Objects = rows
			scroll.Changed()
		}
		show()
		return screen.Page(bar, screen.On(screen.Fill(theme.Background), scroll.Object()))
	})
}

// addOwn lets the user describe a provider and uses it for new sessions, if the engine can.
func (s *Screen) addOwn(o Owner) {
	engine := s.engine().ID
	s.editOwn(o, newOwn(o, engine), func(kept provider.Provider) {
		if s.engine().ID != engine || kept.ID == "" || s.values.Provider == kept.ID {
			return
		}
		for _, p := range s.deps.Service.Providers(engine) {
			if p.ID == kept.ID {
				s.save(func(v *Values) { v.Provider, v.Model = p.ID, "" })
			}
		}
	})
}

// newOwn is where the form of a new one begins: with what the engine in use needs.
func newOwn(o Owner, engine string) provider.Provider {
	return provider.Provider{Kinds: []provider.Kind{o.KindOf(engine)}}
}

// ownAddress opens the form of the chosen provider; nil where there is none.
func (s *Screen) ownAddress(id string) func() {
	o, ok := s.deps.Service.(Owner)
	if !ok {
		return nil
	}
	return func() {
		if p, ok := provider.Find(o.OwnProviders(), id); ok {
			s.editOwn(o, p, func(provider.Provider) {})
		}
	}
}

// ownChanged shows what a change of a provider did to the choices: engines that can't use it any more are back at the demo.
func (s *Screen) ownChanged() {
	if s.failed == nil { // else the choices of this run are not those that are kept
		s.values = s.deps.Service.Values()
	}
	s.values = Resolve(s.deps.Service, s.values)
	s.askKey()
	s.rebuild()
}
