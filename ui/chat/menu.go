package chat

import (
	"context"
	"fmt"
	"strings"
	"time"

	"keva/agent/event"
	"keva/agent/session"
	"keva/agent/turn"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// menu is behind the three dots of the bar.
func (s *Screen) menu() {
	items := []screen.Item{
		{Label: "Copy transcript", Do: func() { s.deps.Copy(Plain(s.reveal.rows)) }},
		{Label: "Rename…", Do: s.rename},
		{Label: "Session details", Do: s.details},
	}
	if s.view.Capabilities.TaskStop {
		for _, t := range s.view.Live {
			items = append(items, screen.Item{Label: "Stop “" + t.Title + "”", Second: "This task only", Do: func() {
				s.background(func(ctx context.Context) error { return s.deps.Session.StopTask(ctx, t.ID) }, nil)
			}})
		}
	}
	if s.view.Phase == turn.PhaseNeedsYou || s.view.Phase == turn.PhaseRunning { // the composer's Stop is behind the sheet
		items = append(items, screen.Item{Label: "Stop this turn", Second: "What is asked is denied, what runs is stopped.", Do: s.interrupt})
	}
	if s.view.Engine != session.EngineNone {
		items = append(items, screen.Item{
			Label: "Stop the engine", Second: "The session stays. The next message starts it again.",
			Do: func() { s.background(s.deps.Session.StopEngine, nil) },
		})
	}
	if s.deps.Delete != nil {
		items = append(items, screen.Item{Label: "Delete session…", Danger: true, Do: s.deps.Delete})
	}
	screen.ShowMenu(s.deps.Window(), s.bar.Title.Text(), items...)
}

func (s *Screen) rename() {
	field := screen.NewEntry(false)
	field.SetText(s.view.Meta.Title)
	var sheet *screen.Sheet
	done := func() {
		title := strings.TrimSpace(field.Text)
		sheet.Close()
		if title != "" && title != s.view.Meta.Title {
			s.deps.Go(func() {
				s.deps.Session.Rename(title)
				s.pump.wake()
			})
		}
	}
	field.OnSubmitted = func(string) { done() }
	sheet = screen.ShowSheet(s.deps.Window(), nil,
		screen.NewText("Rename session", screen.SheetTitle), screen.Field(field),
		mark.NewBigButton("Rename", mark.Primary, done), mark.NewBigButton("Cancel", mark.Quiet, func() { sheet.Close() }))
	s.deps.Window().Focus(field)
}

// details says what the session runs with.
func (s *Screen) details() {
	m, u := s.view.Meta, s.view.Usage
	model := m.Model
	if model == "" {
		model = "the engine's default"
	}
	if m.Effort != "" {
		model += ", effort " + m.Effort
	}
	items := []screen.Item{
		{Label: "Project", Second: screen.Short(m.Dir, s.deps.Home)},
		{Label: "Engine", Second: s.deps.Engine(m.Engine) + ", " + string(s.view.Engine)},
		{Label: "Model", Second: model},
		{Label: "Provider", Second: m.Provider},
	}
	if u.Input+u.Output > 0 {
		used := fmt.Sprintf("%d tokens in, %d out", u.Input, u.Output)
		if u.ContextWindow > 0 {
			used += fmt.Sprintf(" · context %d of %d", u.ContextUsed, u.ContextWindow)
		}
		items = append(items, screen.Item{Label: "Used", Second: used})
	}
	for _, l := range s.view.Limits {
		items = append(items, screen.Item{Label: "Limit " + strings.ReplaceAll(l.Name, "_", " "), Second: limit(l)})
	}
	if m.EngineSession != "" {
		items = append(items, screen.Item{Label: "Session of the engine", Second: m.EngineSession})
	}
	if s.deps.ModelChosen != nil {
		items = append(items, screen.Item{Label: "Settings for new sessions", Do: s.deps.ModelChosen})
	}
	screen.ShowMenu(s.deps.Window(), "Session details", items...)
}

func limit(l event.Limit) string {
	text := "use not known"
	if l.UsedPercent >= 0 {
		text = fmt.Sprintf("%.0f%% used", l.UsedPercent)
	}
	if l.Reached {
		text = "reached"
	}
	if l.ResetsAt > 0 {
		text += ", resets " + time.Unix(l.ResetsAt, 0).Format("15:04")
	}
	return text
}

// pasted is behind the chip of a long pasted text.
func (s *Screen) pasted() {
	screen.ShowMenu(s.deps.Window(), "Pasted text",
		screen.Item{Label: "Look at it", Second: "It is sent whole, behind what is written.", Do: func() { s.deps.ShowText("Pasted text", s.composer.attached) }},
		screen.Item{Label: "Remove it", Danger: true, Do: s.composer.Detach})
}

// explainMode says what the approval mode means.
func (s *Screen) explainMode() {
	screen.ShowMenu(s.deps.Window(), "Ask for changes",
		screen.Item{Label: "What would change something asks first", Second: "You see the exact command or the exact diff, and allow it once or deny it."},
		screen.Item{Label: "Reading may happen without asking", Second: "Where the engine lets Keva decide, reading files and searching are shown as steps but not asked."},
		screen.Item{Label: "This is no sandbox", Second: "An allowed command can do whatever it says. Read it before you allow it."})
}

// openURL shows the address before anything leaves the app.
func (s *Screen) openURL(url string) {
	var sheet *screen.Sheet
	sheet = screen.ShowSheet(s.deps.Window(), nil,
		screen.NewText("Open in the browser?", screen.SheetTitle),
		screen.On(screen.Panel(theme.Code, "", theme.BlockRadius), screen.Column(0, screen.Pad(theme.Space3), screen.NewPara(url, draw.Mono))),
		mark.NewBigButton("Open", mark.Primary, func() {
			sheet.Close()
			if err := s.deps.OpenURL(url); err != nil {
				s.composer.Fail(Sentence(err))
			}
		}),
		mark.NewBigButton("Copy the address", mark.Secondary, func() {
			sheet.Close()
			s.deps.Copy(url)
		}),
		mark.NewBigButton("Cancel", mark.Quiet, func() { sheet.Close() }))
}

func (s *Screen) showDiff(d *transcript.Diff) {
	s.deps.ShowChanges(d.Path, []event.Change{d.Change})
}
