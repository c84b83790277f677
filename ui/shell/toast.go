package shell

import (
	"time"

	"fyne.io/fyne/v2"

	"keva/ui/screen"
	"keva/ui/theme"
)

// toast is a short message that goes by itself, e.g. "Copied". Messages wait for one another.
type toast struct {
	object *fyne.Container
	wait   []string
}

// reading is how long a message stays: what is long is read longer.
func reading(text string) time.Duration {
	return 2*time.Second + time.Duration(len(text))*50*time.Millisecond
}

// Say shows a short message, after those that are shown already.
func (s *Shell) Say(text string) {
	if n := len(s.toast.wait); n > 0 && s.toast.wait[n-1] == text {
		return
	}
	s.toast.wait = append(s.toast.wait, text)
	if len(s.toast.wait) == 1 {
		s.nextToast()
	}
}

func (s *Shell) nextToast() {
	s.toast.object = nil
	if len(s.toast.wait) > 0 {
		text := s.toast.wait[0]
		para := screen.NewPara(text, screen.BodyStyle)
		para.Align = fyne.TextAlignCenter
		s.toast.object = screen.On(screen.Panel(theme.Surface, theme.Line, theme.Space6),
			screen.Column(0, screen.Insets{Top: theme.Space3, Bottom: theme.Space3, Left: theme.Space4, Right: theme.Space4}, para))
		s.deps.After(reading(text), func() {
			s.toast.wait = s.toast.wait[1:]
			s.nextToast()
		})
	}
	s.root.arrange()
}

func (t *toast) place(size fyne.Size) []fyne.CanvasObject {
	if t.object == nil {
		return nil
	}
	w := min(size.Width-2*theme.Space4, 400)
	h := screen.Height(t.object, w)
	t.object.Move(fyne.NewPos((size.Width-w)/2, size.Height-h-theme.Touch*2-theme.Space4))
	t.object.Resize(fyne.NewSize(w, h))
	return []fyne.CanvasObject{t.object}
}
