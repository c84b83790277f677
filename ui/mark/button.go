package mark

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"keva/ui/draw"
	"keva/ui/theme"
)

// Kind is what a button is for. A screen has at most one Primary.
type Kind int

// The kinds.
const (
	Primary Kind = iota
	Secondary
	Danger // destructive: red words on the page's ground, never a red button
	Quiet  // a link
	ChipKind
)

// Button is a fully round button with a word. It is pressed by a tap, or by Enter or Space when it has the focus.
type Button struct {
	widget.BaseWidget

	kind     Kind
	text     string
	height   float32
	tone     Tone
	tapped   func()
	disabled bool

	hovered, focused bool
}

// NewButton makes a button as it stands in the composer: 40 dp high, 48 to the finger.
func NewButton(text string, k Kind, tapped func()) *Button {
	b := &Button{kind: k, text: text, height: theme.ButtonHeight, tapped: tapped}
	b.ExtendBaseWidget(b)
	return b
}

// NewBigButton makes a button as it stands in sheets and at the first start: 48 dp high.
func NewBigButton(text string, k Kind, tapped func()) *Button {
	b := NewButton(text, k, tapped)
	b.height = theme.BigButtonHeight
	return b
}

// NewChip makes a chip: 24 dp high, 40 to the finger, since chips stand in a row above other targets.
func NewChip(text string, tapped func()) *Button {
	b := NewButton(text, ChipKind, tapped)
	b.height = theme.ChipHeight
	return b
}

// SetText changes the word.
func (b *Button) SetText(s string) {
	if b.text != s {
		b.text = s
		b.Refresh()
	}
}

// Text is the word.
func (b *Button) Text() string { return b.text }

// SetTone colours a chip.
func (b *Button) SetTone(t Tone) {
	if b.tone != t {
		b.tone = t
		b.Refresh()
	}
}

// SetTapped changes what a tap does.
func (b *Button) SetTapped(f func()) { b.tapped = f }

// Enable lets the button be pressed.
func (b *Button) Enable() { b.setDisabled(false) }

// Disable stops it.
func (b *Button) Disable() { b.setDisabled(true) }

// Disabled reports whether taps are ignored.
func (b *Button) Disabled() bool { return b.disabled }

func (b *Button) setDisabled(d bool) {
	if b.disabled != d {
		b.disabled = d
		b.Refresh()
	}
}

// Tapped is part of fyne.Tappable.
func (b *Button) Tapped(*fyne.PointEvent) {
	if !b.disabled && b.tapped != nil {
		b.tapped()
	}
}

// MouseIn is part of desktop.Hoverable.
func (b *Button) MouseIn(*desktop.MouseEvent) { b.hovered = true; b.Refresh() }

// MouseMoved is part of desktop.Hoverable.
func (b *Button) MouseMoved(*desktop.MouseEvent) {}

// MouseOut is part of desktop.Hoverable.
func (b *Button) MouseOut() { b.hovered = false; b.Refresh() }

// Cursor is part of desktop.Cursorable.
func (b *Button) Cursor() desktop.Cursor {
	if b.disabled {
		return desktop.DefaultCursor
	}
	return desktop.PointerCursor
}

// FocusGained is part of fyne.Focusable.
func (b *Button) FocusGained() { b.focused = true; b.Refresh() }

// FocusLost is part of fyne.Focusable.
func (b *Button) FocusLost() { b.focused = false; b.Refresh() }

// TypedRune is part of fyne.Focusable.
func (b *Button) TypedRune(rune) {}

// TypedKey presses the button by Enter and Space.
func (b *Button) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyReturn, fyne.KeyEnter, fyne.KeySpace:
		b.Tapped(nil)
	default:
		draw.Unhandled(b, e)
	}
}

// AccessibilityLabel is the word.
func (b *Button) AccessibilityLabel() string { return b.text }

// AccessibilityRole makes Button accessible.
func (b *Button) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleButton }

func (b *Button) style() draw.Style {
	s := draw.Style{Role: theme.Body, Color: theme.Ink, Bold: true}
	switch b.kind {
	case Primary:
		s.Color = theme.OnAccent
	case Secondary:
	case Danger:
		s.Color = theme.Error
	case Quiet:
		s.Color = theme.Accent
	case ChipKind:
		s.Role, s.Bold = theme.Secondary, b.tone != Neutral
		s.Color, _ = b.tone.colors()
	}
	if b.disabled {
		s.Color = theme.Muted
	}
	return s
}

func (b *Button) look() pillLook {
	l := pillLook{text: b.text, style: b.style(), height: b.drawn(), focused: b.focused}
	switch b.kind {
	case Primary:
		l.ground = theme.Accent
		if b.disabled {
			l.ground = theme.Code
		} else if b.hovered {
			l.ground = theme.AccentHover
		}
	case Secondary, Danger:
		l.ground, l.line = theme.Surface, theme.Line
	case Quiet:
	case ChipKind:
		_, l.ground = b.tone.colors()
	}
	if b.hovered && !b.disabled && b.kind != Primary {
		l.over = theme.Hover
	}
	return l
}

func (b *Button) drawn() float32 { return max(b.height, b.style().LineHeight()+theme.Space2) }

// MinSize is the word with its margins, and never less than a finger needs.
func (b *Button) MinSize() fyne.Size {
	margin, touch := theme.Space4, theme.Touch
	if b.kind == ChipKind {
		margin, touch = 10, theme.ButtonHeight
	}
	w := draw.Width(b.text, b.style()) + 2*margin
	return fyne.NewSize(max(w, touch), max(b.drawn(), touch))
}

// CreateRenderer is part of fyne.Widget.
func (b *Button) CreateRenderer() fyne.WidgetRenderer { return newPill(b, b.look) }

// SetKind changes what the button is for.
func (b *Button) SetKind(k Kind) {
	if b.kind != k {
		b.kind = k
		b.Refresh()
	}
}
