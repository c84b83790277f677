package shell

import (
	"time"

	"fyne.io/fyne/v2"

	"keva/ui/screen"
	"keva/ui/theme"
)

// toastFor is how long a short message stays.
const toastFor = 2500 * time.Millisecond

// toast is a short message that goes by itself, e.g. "Copied".
type toast struct {
	object *fyne.Container
	count  int
}

// Say shows a short message.
func (s *Shell) Say(text string) {
	s.toast.count++
	n := s.toast.count
	para := screen.NewPara(text, screen.BodyStyle)
	para.Align = fyne.TextAlignCenter
	s.toast.object = screen.On(screen.Panel(theme.Surface, theme.Line, theme.Space6),
		screen.Column(0, screen.Insets{Top: theme.Space3, Bottom: theme.Space3, Left: theme.Space4, Right: theme.Space4}, para))
	s.root.arrange()
	s.deps.After(toastFor, func() {
		if s.toast.count == n {
			s.toast.object = nil
			s.root.arrange()
		}
	})
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
