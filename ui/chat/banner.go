package chat

import (
	"fyne.io/fyne/v2"

	"keva/agent/event"
	"keva/agent/turn"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
)

// showBanners shows what is wrong around the session, until it is right again or was dismissed.
func (s *Screen) showBanners() {
	var keys []string
	var o []fyne.CanvasObject
	if err := s.view.Storage; err != nil {
		keys = append(keys, "storage "+err.Error())
		o = append(o, StorageBanner(err, s.retryStore))
	}
	if advice := s.engineGone(); advice != "" && advice != s.gone {
		keys = append(keys, "engine "+advice)
		o = append(o, Banner(advice, mark.Failed, "Dismiss", func() {
			s.gone = advice
			s.showBanners()
		}))
	}
	if text := s.trustBanner(); text != "" {
		keys = append(keys, "trust "+s.trust.report.Hash)
		o = append(o, Banner(text, mark.Attention, "Look", s.askTrust))
	}
	if same(keys, s.layout.banners) {
		return
	}
	s.layout.banners = keys
	s.banners.Objects = o
	s.relayout()
}

func same(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// engineGone is what to say of an engine that went by itself, "" if none did.
func (s *Screen) engineGone() string {
	x := s.view.Exit
	if x == nil || s.view.Phase == turn.PhaseRunning {
		return ""
	}
	switch x.Class {
	case event.ExitClean, event.ExitStopped:
		return ""
	case event.ExitCode, event.ExitKilled, event.ExitCrashed, event.ExitBlocked, event.ExitNotFound, event.ExitNoLoader,
		event.ExitNotAllowed, event.ExitUnknown:
	}
	if x.Advice != "" {
		return x.Advice
	}
	return "The engine ended by itself. Send a message to start it again."
}

func (s *Screen) retryStore() {
	if s.deps.RetryStore != nil {
		s.background(s.deps.RetryStore, nil)
	}
}

// StorageBanner says that nothing is kept on the disk, with a way to try again.
func StorageBanner(err error, retry func()) fyne.CanvasObject {
	return Banner("Not kept on disk: what happens now is lost when Keva closes. "+Sentence(err), mark.Attention, "Retry", retry)
}

// Banner is a sentence over the whole width, with one action.
func Banner(text string, tone mark.Tone, action string, do func()) fyne.CanvasObject {
	ground, ink := theme.WarningSoft, theme.Warning
	if tone == mark.Failed {
		ground, ink = theme.ErrorSoft, theme.Error
	}
	row := screen.Line(theme.Space2, 0, screen.Insets{Left: theme.Space4, Right: theme.Space2, Top: theme.Space1, Bottom: theme.Space1},
		screen.NewPara(text, draw.Style{Role: theme.Label, Color: ink}), mark.NewButton(action, mark.Quiet, do))
	return screen.On(screen.Fill(ground), row)
}
