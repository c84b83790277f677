package chat

import (
	"fmt"

	"keva/agent/session"
	"keva/agent/trust"
	"keva/agent/turn"
	"keva/ui/card"
	"keva/ui/screen"
)

// trusting is what the project would run or allow by itself, as it was when the screen was opened or last agreed to.
type trusting struct {
	report  trust.Report
	on      bool   // the user has agreed to exactly this
	keptOff string // hash of the report that the user has put aside here
}

// lookAtTrust reads the project, off the thread of the user interface.
func (s *Screen) lookAtTrust() {
	if s.deps.Agree == nil {
		return
	}
	s.deps.Go(func() {
		granted, report := s.deps.Session.Trust()
		s.deps.Post(func() {
			s.trust.report, s.trust.on = report, len(granted) > 0
			s.showBanners()
		})
	})
}

// restart ends an engine that has nothing under way: what was agreed to is on from its next start.
func (s *Screen) restart() {
	if p := s.view.Phase; s.view.Engine != session.EngineRunning || p != turn.PhaseSettled && p != turn.PhaseEmpty {
		return
	}
	s.background(s.deps.Session.StopEngine, nil)
}

// trustBanner says that the project asks for something, "" when it does not, or when that is settled.
func (s *Screen) trustBanner() string {
	r := s.trust.report
	n := len(r.Offered())
	if n == 0 || s.trust.on || s.trust.keptOff == r.Hash {
		return ""
	}
	things := "a thing"
	if n > 1 {
		things = fmt.Sprintf("%d things", n)
	}
	return "This project asks to run or allow " + things + " by itself. None of it is on."
}

// askTrust shows all of it, to the letter, and asks.
func (s *Screen) askTrust() {
	c := s.deps.Window()
	if c == nil {
		return
	}
	var sheet *screen.Sheet
	var ask *card.Trust
	problem := screen.NewPara("", screen.ErrorStyle)
	problem.Hide()
	report := s.trust.report
	ask = card.NewTrust(card.TrustOptions{
		Home: s.deps.Home, Engine: s.deps.Engine, After: s.deps.After, MaxHeight: c.Size().Height * 0.8,
		Resized: func() {
			if sheet != nil {
				sheet.Changed()
			}
		},
		KeepOff: func() {
			s.trust.keptOff = report.Hash
			sheet.Close()
			s.showBanners()
		},
		Allow: func(consent trust.Consent) {
			if err := s.deps.Agree(consent); err != nil {
				problem.SetText("It could not be kept, so it stays off. " + err.Error())
				problem.Show()
				sheet.Changed()
				return
			}
			sheet.Close()
			s.restart()
			s.lookAtTrust()
		},
	})
	ask.Ask(report, s.deps.AgreedBefore != nil && s.deps.AgreedBefore(report.Dir))
	sheet = screen.ShowSheet(c, nil, ask, problem)
	ask.FocusFirst(c)
}
