package chat

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// statusBar draws a Status above the composer.
type statusBar struct {
	widget.BaseWidget
	mark    *mark.Mark
	text    *screen.Text
	more    *screen.Text // second line, with large letters
	context *screen.Text
	line    fyne.CanvasObject
	now     Status
}

func newStatusBar() *statusBar {
	s := &statusBar{
		mark: mark.New(transcript.MarkWaiting), text: screen.NewShrinking("", screen.SecondaryStyle),
		more: screen.NewShrinking("", screen.SecondaryStyle), context: screen.NewText("", screen.SecondaryStyle), line: screen.Separator(),
	}
	s.ExtendBaseWidget(s)
	return s
}

// Set shows a status; the same again costs nothing.
func (s *statusBar) Set(st Status) {
	if s.now == st {
		return
	}
	s.now = st
	s.mark.Set(st.Mark)
	s.Refresh()
}

// tall reports whether there are two lines: large letters leave no room for the evidence beside the context. It does not
// depend on the text, or the transcript would jump with each sentence.
func tall() bool { return theme.Current().Options().Scale.Factor() > 1.1 }

// CreateRenderer is part of fyne.Widget.
func (s *statusBar) CreateRenderer() fyne.WidgetRenderer { return &statusRenderer{s} }

type statusRenderer struct{ s *statusBar }

func (r *statusRenderer) Layout(size fyne.Size) {
	s := r.s
	s.line.Resize(fyne.NewSize(size.Width, theme.Border))
	w := min(size.Width, theme.ChatMax) - 2*theme.Space4
	x := (size.Width - w) / 2
	side, h := mark.Side(), s.text.MinSize().Height
	left, room := x+side+theme.Space2, w-side-theme.Space2
	y := (size.Height - h) / 2
	s.context.SetText(s.now.Context)
	// The evidence comes first: where both have no room, the context is only a number.
	if tall() || s.context.MinSize().Width+theme.Space2+draw.Width(s.now.Text, s.text.Style) > room {
		short, _, _ := strings.Cut(s.now.Context, " ")
		s.context.SetText(short)
	}
	cw := s.context.MinSize().Width
	if cw > 0 {
		room -= cw + theme.Space2
	}
	first, rest := s.now.Text, ""
	if tall() {
		y = (size.Height - 2*h) / 2
		lines := draw.Wrap(s.now.Text, s.text.Style, room)
		first, rest = lines[0], strings.Join(lines[1:], "")
	}
	s.text.SetText(strings.TrimRight(first, " "))
	s.more.SetText(rest)
	s.mark.Move(fyne.NewPos(x, y+(h-side)/2))
	s.mark.Resize(fyne.NewSquareSize(side))
	s.text.Move(fyne.NewPos(left, y))
	s.text.Resize(fyne.NewSize(max(0, room), h))
	s.more.Move(fyne.NewPos(left, y+h))
	s.more.Resize(fyne.NewSize(max(0, room), h))
	s.context.Move(fyne.NewPos(x+w-cw, y))
	s.context.Resize(fyne.NewSize(cw, h))
}

func (r *statusRenderer) MinSize() fyne.Size {
	h := theme.LineHeight(theme.Secondary)
	if tall() {
		h *= 2
	}
	return fyne.NewSize(160, h+theme.Space3+theme.Border)
}

func (r *statusRenderer) Refresh() {
	r.Layout(r.s.Size())
	r.s.line.Refresh()
}

func (r *statusRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.s.line, r.s.mark, r.s.text, r.s.more, r.s.context}
}
func (r *statusRenderer) Destroy() {}
