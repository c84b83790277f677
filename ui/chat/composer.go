package chat

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
)

// composer is where the user writes: chips, the text, one button. The button sends; while something runs and nothing is
// written it stops.
type composer struct {
	widget.BaseWidget
	entry  *entry
	field  *container.ThemeOverride // entry without a frame
	frame  *screen.Rect
	send   *mark.Button
	stop   *mark.Button
	mode   *mark.Button
	model  *mark.Button
	failed *screen.Para // why the last message was not sent

	running, sending bool
	onChanged        func(string)
	onSend           func(string)
	onResize         func() // the height has changed
	rows             int
}

func newComposer(enterSends bool) *composer {
	c := &composer{rows: 1}
	c.entry = newEntry(enterSends, c.submit)
	c.entry.OnChanged = c.changed
	c.field = screen.Bare(c.entry)
	c.frame = screen.Panel(theme.Surface, theme.Line, theme.ButtonHeight/2)
	c.send = mark.NewButton("Send", mark.Primary, c.submit)
	c.stop = mark.NewButton("Stop", mark.Danger, nil)
	c.mode = mark.NewChip("Ask for changes", nil)
	c.model = mark.NewChip("", nil)
	c.failed = screen.NewPara("", screen.ErrorStyle)
	c.ExtendBaseWidget(c)
	c.show()
	return c
}

// Text is what is written.
func (c *composer) Text() string { return c.entry.Text }

// SetText replaces what is written, without reporting it as typed.
func (c *composer) SetText(s string) {
	report := c.onChanged
	c.onChanged = nil
	c.entry.SetText(s)
	c.onChanged = report
}

// SetRunning tells whether something runs that Stop would stop.
func (c *composer) SetRunning(on bool) {
	if c.running != on {
		c.running = on
		c.show()
	}
}

// SetSending locks the text while it is on its way.
func (c *composer) SetSending(on bool) {
	c.sending = on
	if on {
		c.entry.Disable()
	} else {
		c.entry.Enable()
	}
	c.show()
}

// Fail says why the message was not sent; "" takes it back.
func (c *composer) Fail(sentence string) {
	if c.failed.Text() != sentence {
		c.failed.SetText(sentence)
		c.resized()
	}
}

func (c *composer) changed(s string) {
	if c.onChanged != nil {
		c.onChanged(s)
	}
	c.Fail("")
	c.show()
	c.grow()
}

func (c *composer) submit() {
	text := c.entry.Text
	if c.sending || strings.TrimSpace(text) == "" || c.onSend == nil {
		return
	}
	c.onSend(text)
}

// show puts the right button and placeholder.
func (c *composer) show() {
	empty := strings.TrimSpace(c.entry.Text) == ""
	stop := c.running && empty && !c.sending
	c.stop.Hidden, c.send.Hidden = !stop, stop
	word, placeholder := "Send", "Message…"
	if c.sending {
		word = "Sending"
	}
	if c.running {
		placeholder = "Steer or queue…"
	}
	c.send.SetText(word)
	if empty || c.sending {
		c.send.Disable()
	} else {
		c.send.Enable()
	}
	if c.entry.PlaceHolder != placeholder {
		c.entry.SetPlaceHolder(placeholder)
	}
	c.Refresh()
}

// inner is the room of the entry's text beside its paddings.
const inner = 2*theme.Space2 + 2*theme.Space2

func (c *composer) grow() {
	w := c.Size().Width
	if w < 1 {
		return
	}
	if rows := rowsFor(c.entry.Text, c.fieldWidth(w)-inner); rows != c.rows {
		c.rows = rows
		c.entry.SetMinRowsVisible(rows)
		c.resized()
	}
}

func (c *composer) resized() {
	if c.onResize != nil {
		c.onResize()
	}
	c.Refresh()
}

func (c *composer) button() *mark.Button {
	if c.send.Hidden {
		return c.stop
	}
	return c.send
}

func (c *composer) fieldWidth(width float32) float32 {
	return min(width, theme.ChatMax) - 2*margin - theme.Space2 - c.button().MinSize().Width
}

func (c *composer) fieldHeight() float32 {
	return max(theme.ButtonHeight, c.entry.MinSize().Height+theme.Space2)
}

// HeightFor is the height at a width.
func (c *composer) HeightFor(width float32) float32 {
	h := c.mode.MinSize().Height + c.fieldHeight() + theme.Space3 + theme.Border
	if c.failed.Text() != "" {
		h += c.failed.HeightFor(min(width, theme.ChatMax)-2*margin) + theme.Space2
	}
	return h
}

// CreateRenderer is part of fyne.Widget.
func (c *composer) CreateRenderer() fyne.WidgetRenderer {
	return &composerRenderer{c: c, line: screen.Separator()}
}

type composerRenderer struct {
	c    *composer
	line fyne.CanvasObject
}

func (r *composerRenderer) Layout(size fyne.Size) {
	c := r.c
	w := min(size.Width, theme.ChatMax) - 2*margin
	x, y := (size.Width-w)/2, theme.Border
	put := func(o fyne.CanvasObject, x, y, w, h float32) {
		o.Move(fyne.NewPos(x, y))
		o.Resize(fyne.NewSize(w, h))
	}
	put(r.line, 0, 0, size.Width, theme.Border)
	c.failed.Hidden = c.failed.Text() == ""
	if !c.failed.Hidden {
		h := c.failed.HeightFor(w)
		put(c.failed, x, y+theme.Space2, w, h)
		y += h + theme.Space2
	}
	m, n := c.mode.MinSize(), c.model.MinSize()
	put(c.mode, x, y, m.Width, m.Height)
	put(c.model, x+m.Width+theme.Space2, y, min(n.Width, max(0, w-m.Width-theme.Space2)), m.Height)
	c.model.Hidden = c.model.Text() == ""
	y += m.Height
	h, b := c.fieldHeight(), c.button()
	bw := b.MinSize().Width
	fw := c.fieldWidth(size.Width)
	put(c.frame, x, y, fw, h)
	eh := min(h, c.entry.MinSize().Height)
	put(c.field, x+theme.Space2, y+(h-eh)/2, fw-2*theme.Space2, eh)
	// The button is as low as the last line of the text, and keeps a finger's height around its drawing.
	put(b, x+w-bw, y+h-(theme.ButtonHeight+theme.Touch)/2, bw, theme.Touch)
}

func (r *composerRenderer) MinSize() fyne.Size {
	return fyne.NewSize(240, r.c.HeightFor(max(r.c.Size().Width, 240)))
}

func (r *composerRenderer) Refresh() {
	r.Layout(r.c.Size())
	for _, o := range []fyne.CanvasObject{r.c.frame, r.c.failed, r.line} {
		o.Refresh()
	}
}

func (r *composerRenderer) Objects() []fyne.CanvasObject {
	c := r.c
	return []fyne.CanvasObject{r.line, c.failed, c.mode, c.model, c.frame, c.field, c.send, c.stop}
}
func (r *composerRenderer) Destroy() {}
