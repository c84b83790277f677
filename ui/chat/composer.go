package chat

import (
	"fmt"
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
	pasted *mark.Button // stands for attached
	failed *screen.Para // why the last message was not sent

	attached string // text that is too long for an entry

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
	c.pasted = mark.NewChip("", nil)
	c.failed = screen.NewPara("", screen.ErrorStyle)
	c.entry.paste = c.attach
	c.ExtendBaseWidget(c)
	c.show()
	return c
}

// maxTyped is how much text the entry takes, in bytes. A stock entry breaks all of its lines anew at each key: at 50 kB
// that is half a second on a desktop (measured).
const maxTyped = 8 << 10

// Text is what is written, with what was pasted.
func (c *composer) Text() string {
	if c.attached == "" || c.entry.Text == "" {
		return c.entry.Text + c.attached
	}
	return c.entry.Text + "\n\n" + c.attached
}

// SetText replaces what is written, without reporting it as typed.
func (c *composer) SetText(s string) {
	report := c.onChanged
	c.onChanged = nil
	c.attached = ""
	if len(s) > maxTyped {
		c.attached, s = s, ""
	}
	c.entry.SetText(s)
	c.onChanged = report
	c.show()
}

// attach keeps a pasted text beside the entry when it is too long for it, and reports whether it did.
func (c *composer) attach(s string) bool {
	if len(c.entry.Text)+len(s) <= maxTyped {
		return false
	}
	if c.attached != "" {
		s = c.attached + "\n\n" + s
	}
	c.attached = s
	c.changed(c.entry.Text)
	return true
}

// Detach drops the pasted text.
func (c *composer) Detach() {
	c.attached = ""
	c.changed(c.entry.Text)
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
	if len(s) > maxTyped { // by a way that attach does not see, e.g. the menu of the entry
		c.attached = c.Text()
		c.entry.SetText("")
		return
	}
	if c.onChanged != nil {
		c.onChanged(c.Text())
	}
	c.Fail("")
	c.show()
	c.grow()
}

func (c *composer) submit() {
	text := c.Text()
	if c.sending || strings.TrimSpace(text) == "" || c.onSend == nil {
		return
	}
	c.onSend(text)
}

// show puts the right button and placeholder.
func (c *composer) show() {
	empty := strings.TrimSpace(c.Text()) == ""
	c.pasted.Hidden = c.attached == ""
	if c.attached != "" {
		c.pasted.SetText(fmt.Sprintf("Pasted text · %d kB", (len(c.attached)+1023)/1024))
	}
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
	c.model.Hidden = c.model.Text() == ""
	left := x
	for _, chip := range []*mark.Button{c.mode, c.pasted, c.model} {
		if m := chip.MinSize(); !chip.Hidden {
			put(chip, left, y, min(m.Width, max(0, x+w-left)), m.Height)
			left += m.Width + theme.Space2
		}
	}
	y += c.mode.MinSize().Height
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
	return []fyne.CanvasObject{r.line, c.failed, c.mode, c.pasted, c.model, c.frame, c.field, c.send, c.stop}
}
func (r *composerRenderer) Destroy() {}
