package chat

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"keva/ui/screen"
	"keva/ui/theme"
)

// newJump makes the button that goes back to the latest row.
func newJump(l *list) *screen.Tap {
	ground := screen.Panel(theme.Surface, theme.Line, theme.Touch/2)
	inner := screen.Line(theme.Space1, -1, screen.Insets{Top: 0, Right: theme.Space4, Bottom: 0, Left: theme.Space3},
		screen.NewIcon(screen.GlyphDown, theme.Accent, 18), l.label)
	b := screen.NewTap("Jump to latest", container.NewStack(ground, inner), l.ToEnd)
	b.Radius = theme.Touch / 2
	return b
}

func (l *list) layoutJump() {
	size, m := l.scroll.Size(), l.jump.MinSize()
	l.jump.Resize(m)
	l.jump.Move(fyne.NewPos((size.Width-m.Width)/2, size.Height-m.Height-theme.Space2))
}

func (l *list) showJump() {
	if !l.follow.jump(l.below()) {
		if l.jump.Visible() {
			l.jump.Hide()
		}
		return
	}
	text := "Latest"
	if n := l.follow.unseen; n > 0 {
		text = fmt.Sprintf("%d new", n)
	}
	if text != l.label.Text() {
		l.label.SetText(text)
		l.layoutJump()
	}
	if !l.jump.Visible() {
		l.jump.Show()
		l.layoutJump()
	}
}
