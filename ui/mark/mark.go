// Package mark is the small drawn things of the app: state marks, tags, chips, buttons, surfaces. State is told by shape
// and word, and only then by colour. It must never decide what state something is in.
package mark

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"keva/ui/theme"
	"keva/ui/transcript"
)

// State is what a mark shows.
type State = transcript.Mark

// Risk marks what the user should look at twice. The other states are those of rows.
const Risk State = "risk"

// States lists all states.
func States() []State {
	return []State{
		transcript.MarkWaiting, transcript.MarkRunning, transcript.MarkDone, transcript.MarkFailed,
		transcript.MarkInterrupted, transcript.MarkUnknown, Risk,
	}
}

// Word is the state in words, for screen readers and tags.
func Word(s State) string {
	switch s {
	case transcript.MarkWaiting:
		return "waiting"
	case transcript.MarkRunning:
		return "running"
	case transcript.MarkDone:
		return "done"
	case transcript.MarkFailed:
		return "failed"
	case transcript.MarkInterrupted:
		return "interrupted"
	case transcript.MarkUnknown:
		return "unknown"
	case Risk:
		return "risk"
	}
	return "unknown"
}

// Color is the token of a state. A word that is not known is unknown, never done.
func Color(s State) fyne.ThemeColorName {
	switch s {
	case transcript.MarkWaiting, transcript.MarkInterrupted:
		return theme.Muted
	case transcript.MarkRunning:
		return theme.Accent
	case transcript.MarkDone:
		return theme.OK
	case transcript.MarkFailed:
		return theme.Error
	case transcript.MarkUnknown:
		return theme.Unknown
	case Risk:
		return theme.Warning
	}
	return theme.Unknown
}

// Side is the side of a mark: 14 dp, and more with larger text.
func Side() float32 { return theme.MarkSize * theme.Current().Options().Scale.Factor() }

// Mark draws a state in a square.
type Mark struct {
	widget.BaseWidget
	state State
	turn  float32 // degrees that the ring has turned
}

// New makes a mark.
func New(s State) *Mark {
	m := &Mark{state: s}
	m.ExtendBaseWidget(m)
	return m
}

// Set changes the state.
func (m *Mark) Set(s State) {
	if m.state != s {
		m.state = s
		m.Refresh()
	}
}

// State is the state that is drawn.
func (m *Mark) State() State { return m.state }

// Word is the state in words.
func (m *Mark) Word() string { return Word(m.state) }

// AccessibilityLabel is the state in words.
func (m *Mark) AccessibilityLabel() string { return m.Word() }

// AccessibilityRole makes Mark accessible.
func (m *Mark) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleText }

// MinSize is the square of the mark.
func (m *Mark) MinSize() fyne.Size { return fyne.NewSquareSize(Side()) }

// CreateRenderer is part of fyne.Widget.
func (m *Mark) CreateRenderer() fyne.WidgetRenderer {
	r := &markRenderer{m: m}
	r.build()
	return r
}

type markRenderer struct {
	m       *Mark
	objects []fyne.CanvasObject
	ring    *canvas.Arc
}

func (r *markRenderer) build() {
	d := pen{side: min(r.m.Size().Width, r.m.Size().Height), color: theme.Color(Color(r.m.state))}
	if d.side <= 0 {
		d.side = Side()
	}
	r.ring = nil
	switch r.m.state {
	case transcript.MarkDone:
		d.path(1.8, 2.5, 7.5, 5.5, 10.5, 11.5, 3.5)
	case transcript.MarkFailed:
		d.path(1.8, 3, 3, 11, 11)
		d.path(1.8, 11, 3, 3, 11)
	case transcript.MarkRunning:
		r.ring = d.arc(7, 7, 5, 1.8, r.m.turn, r.m.turn+270)
	case transcript.MarkInterrupted:
		d.square(3, 3, 8, 1.5)
	case transcript.MarkWaiting:
		d.circle(7, 7, 4.4, 1.6)
	case Risk:
		d.triangle()
	case transcript.MarkUnknown:
		fallthrough
	default: // a word that is not known is unknown, too
		d.arc(7, 4.7, 2.6, 1.6, -90, 180)
		d.path(1.6, 7, 7.3, 7, 8.6)
		d.dot(7, 11.3, 1)
	}
	r.objects = d.objects
}

func (r *markRenderer) Layout(fyne.Size)   { r.build() }
func (r *markRenderer) MinSize() fyne.Size { return r.m.MinSize() }
func (r *markRenderer) Destroy()           { turning.remove(r) }

func (r *markRenderer) Refresh() {
	r.build()
	canvas.Refresh(r.m)
}

// Objects is called by each painting of a window that shows the mark, so it is here that a running one asks to be turned.
func (r *markRenderer) Objects() []fyne.CanvasObject {
	if r.ring != nil && r.m.Visible() {
		turning.seen(r)
	}
	return r.objects
}
