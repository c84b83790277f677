package settings

import (
	"context"

	"fyne.io/fyne/v2"

	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// Place is where engines can come from.
type Place struct {
	ID, Label string
	Says      string // what is there, or what to do when nothing is
	Ready     bool   // every engine is there
}

// Placer is implemented by a Service that knows where engines come from. Values.Userland is a Place's ID.
type Placer interface {
	// Places lists where engines can come from, the default first; a phone has one only. It may block.
	Places(ctx context.Context) []Place
}

// askPlaces looks at what is installed.
func (s *Screen) askPlaces() {
	p, ok := s.deps.Service.(Placer)
	if !ok {
		return
	}
	s.deps.Go(func() {
		list := p.Places(context.Background())
		s.deps.Post(func() {
			s.places, s.placesKnown = list, true
			s.rebuild()
		})
	})
}

// place is the chosen one. A device that has chosen none, or one that is gone, has the first.
func (s *Screen) place() Place {
	for _, p := range s.places {
		if p.ID == s.values.Userland {
			return p
		}
	}
	if len(s.places) > 0 {
		return s.places[0]
	}
	return Place{Label: "Nowhere", Says: "There is no place that engines could come from."}
}

// placeRow is the row of the place; false where nobody knows of any.
func (s *Screen) placeRow() (label, second string, tail fyne.CanvasObject, do func(), shown bool) {
	label = "Engines from"
	if _, ok := s.deps.Service.(Placer); !ok {
		return "", "", nil, nil, false
	}
	if !s.placesKnown {
		return label, "Looking…", mark.New(transcript.MarkRunning), nil, true
	}
	p := s.place()
	tail = screen.NewIcon(screen.GlyphNext, theme.Muted, 18)
	if !p.Ready {
		tail = mark.New(transcript.MarkFailed)
	}
	if len(s.places) > 1 {
		do = s.choosePlace
	}
	return label, join(p.Label, p.Says), tail, do, true
}

func (s *Screen) choosePlace() {
	var items []screen.Item
	for _, p := range s.places {
		items = append(items, screen.Item{Label: p.Label, Second: p.Says, Chosen: p.ID == s.place().ID, Do: func() {
			s.check = checkState{} // it was of the other one
			s.save(func(v *Values) { v.Userland = p.ID })
		}})
	}
	screen.ShowMenu(s.deps.Window(), "Engines from", items...)
}
