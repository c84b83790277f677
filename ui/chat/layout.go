package chat

import (
	"fyne.io/fyne/v2"

	"keva/ui/screen"
	"keva/ui/theme"
)

// leastAsks is the height that what the engine asks may take even over the bar, in dp: with less, it can't be read.
const leastAsks float32 = 320

// chatLayout puts the parts of the screen: bar, banners, list, and below either status line and composer or what the
// engine asks.
type chatLayout struct {
	s       *Screen
	banners []string // keys of those that are shown
}

func (l *chatLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	s := l.s
	put := func(o fyne.CanvasObject, x, y, w, h float32) {
		o.Move(fyne.NewPos(x, y))
		o.Resize(fyne.NewSize(w, max(0, h)))
	}
	put(o[0], 0, 0, size.Width, size.Height)
	bar := s.bar.MinSize().Height
	put(s.bar, 0, 0, size.Width, bar)
	top := bar
	if h := screen.Height(s.banners, size.Width); len(s.banners.Objects) > 0 {
		put(s.banners, 0, top, size.Width, h)
		top += h
	}
	composer := s.composer.HeightFor(size.Width)
	status := s.status.MinSize().Height
	put(s.composer, 0, size.Height-composer, size.Width, composer)
	bottom := size.Height - composer
	short := bottom-status < top // with a keyboard over a small window: what is written must be seen, and the bar stays whole
	if !short {
		bottom -= status
	}
	put(s.status, 0, bottom, size.Width, status)
	if s.asks.open() {
		w := min(size.Width, theme.ChatMax)
		h := s.asks.heightFor(w, max(size.Height-bar-theme.Touch, min(size.Height, leastAsks)))
		bottom = size.Height - h
		put(s.asks.holder, (size.Width-w)/2, bottom, w, h)
		put(s.asks.scrim, 0, 0, size.Width, size.Height)
	}
	s.asks.scrim.Hidden = !s.asks.open()
	s.asks.holder.Hidden = !s.asks.open()
	s.composer.Hidden, s.status.Hidden = s.asks.open(), s.asks.open() || short
	w := min(size.Width, theme.ChatMax)
	put(s.empty, (size.Width-w)/2, top, w, screen.Height(s.empty, w))
	put(s.list, 0, top, size.Width, bottom-top)
}

func (l *chatLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(280, 320)
}
