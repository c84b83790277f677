package chat

import (
	"context"
	"path/filepath"
	"time"

	"fyne.io/fyne/v2"

	"keva/agent/session"
	"keva/agent/turn"
	"keva/ui/card"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// Screen is the screen of one session. Its methods belong to the thread of the user interface.
type Screen struct {
	deps   Deps
	view   session.View
	reveal reveal
	pump   *pump
	cards  card.Actions
	loaded bool

	bar      *screen.Bar
	list     *list
	status   *statusBar
	composer *composer
	banners  *fyne.Container
	asks     *asks
	empty    *fyne.Container
	layout   *chatLayout
	root     *fyne.Container

	draft   draft
	trust   trusting
	gone    string // the advice that was shown and dismissed
	stopped bool   // an interrupt is on its way
	cancel  context.CancelFunc
}

// New makes the screen of a session. Nothing is shown before Start.
func New(d Deps) *Screen {
	s := &Screen{deps: d, view: d.Session.View()}
	s.cards = card.Actions{
		Fold: card.Fold{}, Resized: func(key string) { s.list.Touched(key) }, OpenURL: s.openURL,
		ShowDiff: s.showDiff, ShowOutput: d.ShowText, Copy: d.Copy,
	}
	s.pump = newPump(transcript.New(s.view.Meta.Dir), d.Now, d.Do, s.apply)
	s.list = newList(s)
	s.status = newStatusBar()
	s.composer = newComposer(d.EnterSends)
	s.composer.SetText(s.view.Meta.Draft)
	s.composer.onChanged = s.draftChanged
	s.composer.onSend = s.send
	s.composer.onResize = s.relayout
	s.composer.stop.SetTapped(s.interrupt)
	s.composer.mode.SetTapped(s.explainMode)
	s.composer.model.SetTapped(s.details)
	s.composer.pasted.SetTapped(s.pasted)
	s.draft = draft{deps: &s.deps}
	s.banners = screen.Column(0, screen.Insets{})
	s.asks = newAsks(s)
	s.empty = s.newEmpty()

	var lead fyne.CanvasObject
	if d.Back != nil {
		lead = screen.NewIconButton(screen.GlyphMenu, "Sessions", d.Back)
	}
	s.bar = screen.NewBar(lead, "", "", screen.NewIconButton(screen.GlyphMore, "More", s.menu))
	s.bar.Title.Style = screen.TitleStyle
	s.layout = &chatLayout{s: s}
	s.root = &fyne.Container{Layout: s.layout, Objects: []fyne.CanvasObject{
		screen.Fill(theme.Background), s.list, s.empty, s.banners, s.bar, s.status, s.composer, s.asks.scrim, s.asks.holder,
	}}
	s.showHeader()
	s.showStatus(d.Now())
	return s
}

// Object is what goes into the window.
func (s *Screen) Object() fyne.CanvasObject { return s.root }

// Beside tells whether the list of sessions stands beside the screen, so that nothing leads back to it.
func (s *Screen) Beside(on bool) { s.bar.ShowLead(!on) }

// Loaded reports whether the stored events are shown.
func (s *Screen) Loaded() bool { return s.loaded }

// Rows are the rows on the screen, as far as they are drawn.
func (s *Screen) Rows() []transcript.Row {
	rows := make([]transcript.Row, s.reveal.Len())
	for i := range rows {
		rows[i] = s.reveal.Row(i)
	}
	return rows
}

// Asking is the id of the request that is shown, "" for none.
func (s *Screen) Asking() string { return s.asks.id }

// Flush keeps the draft now: the app may be ended at any moment.
func (s *Screen) Flush() { s.draft.flush() }

// Suggest puts a prompt into an empty composer.
func (s *Screen) Suggest(prompt string) {
	if s.composer.Text() == "" {
		s.composer.entry.SetText(prompt)
	}
}

// ID is the id of the session.
func (s *Screen) ID() string { return s.deps.Session.ID() }

// Start shows the session and follows it until Stop.
func (s *Screen) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	updates := s.deps.Session.Subscribe(ctx)
	s.deps.Go(func() { s.pump.run(ctx, updates) })
	s.lookAtTrust()
}

// Stop keeps the draft and follows the session no more. The session itself goes on.
func (s *Screen) Stop() {
	s.draft.flush()
	if s.cancel != nil {
		s.cancel()
	}
}

// FocusComposer gives the keyboard to the composer, where there is a hardware keyboard.
func (s *Screen) FocusComposer() {
	if s.deps.EnterSends && len(s.view.Pending) == 0 {
		if c := s.deps.Window(); c != nil {
			c.Focus(s.composer.entry)
		}
	}
}

// apply is one tick of the screen.
func (s *Screen) apply(b batch) time.Duration {
	now := s.deps.Now()
	s.view = s.deps.Session.View()
	s.reveal.Reduce(!theme.Motion())
	changes := s.reveal.Take(b.changes, b.history || b.ended)
	if !b.history && !b.ended {
		changes = append(changes, s.reveal.Tick()...)
	}
	s.loaded = s.loaded || b.history
	s.list.Apply(changes)
	if len(changes) == 0 && len(s.view.Open)+len(s.view.Live) > 0 {
		s.list.Refreshed() // durations of what runs
	}
	if b.history {
		s.list.ToEnd()
	}
	if none := s.loaded && s.reveal.Len() == 0; none != s.empty.Visible() {
		s.empty.Hidden = !none
		s.relayout()
	}
	s.showHeader()
	s.showStatus(now)
	s.showBanners()
	s.asks.show(s.view.Pending)
	switch {
	case !s.reveal.Idle():
		return tick
	case s.busy():
		return second
	}
	return 0
}

// busy reports whether time itself changes what is shown.
func (s *Screen) busy() bool {
	switch s.view.Engine {
	case session.EngineStarting, session.EngineStopping:
		return true
	case session.EngineNone, session.EngineRunning:
	}
	return s.composer.sending || s.view.Phase == turn.PhaseRunning || s.view.Phase == turn.PhaseAnswered ||
		s.view.Phase == turn.PhaseNeedsYou && len(s.view.Live)+len(s.view.Open) > 0
}

func (s *Screen) showHeader() {
	m := s.view.Meta
	title := m.Title
	if title == "" {
		title = "New session"
	}
	second := s.deps.Engine(m.Engine)
	if m.Model != "" {
		second += " · " + m.Model
	}
	if tall() { // the name of the project is what must be left
		second = filepath.Base(m.Dir) + " · " + second
	} else {
		second += " · " + screen.Tail(m.Dir, s.deps.Home)
	}
	if s.bar.Title.Text() != title || s.bar.Second.Text() != second {
		s.bar.Title.SetText(title)
		s.bar.Second.SetText(second)
		s.bar.Refresh()
	}
	chip := m.Model
	if chip == "" {
		chip = "default model"
	}
	if m.Effort != "" {
		chip += " · " + m.Effort
	}
	if s.composer.model.Text() != chip {
		s.composer.model.SetText(chip)
		s.composer.Refresh()
	}
}

func (s *Screen) showStatus(now time.Time) {
	s.status.Set(StatusLine(s.view, now))
	running := s.view.Phase == turn.PhaseRunning || s.view.Phase == turn.PhaseNeedsYou || s.view.Phase == turn.PhaseAnswered
	if !running {
		s.stopped = false
	}
	s.composer.SetRunning(running && !s.stopped)
}

// newEmpty is what stands in the place of a transcript that has no rows.
func (s *Screen) newEmpty() *fyne.Container {
	m := s.view.Meta
	c := screen.Column(theme.Space2, screen.Insets{Top: theme.Space8, Right: theme.Space6, Left: theme.Space6},
		screen.NewPara("What should be done in "+filepath.Base(m.Dir)+"?", screen.SheetTitle),
		screen.NewPara(s.deps.Engine(m.Engine)+" reads the project and works on what you write below. Each step is shown here, and what would change something asks you first.", screen.LineStyle))
	c.Hide()
	return c
}

func (s *Screen) relayout() { s.root.Refresh() }

// Len, Row, View and Estimate make Screen the source of its list.

// Len is the number of rows on the screen.
func (s *Screen) Len() int { return s.reveal.Len() }

// Row is a row as it is on the screen.
func (s *Screen) Row(i int) transcript.Row { return s.reveal.Row(i) }

// View makes or updates the card of a row.
func (s *Screen) View(row transcript.Row, old rowView) rowView {
	if c, ok := old.(card.Card); ok {
		c.Set(row, s.deps.Now())
		return c
	}
	return card.New(row, s.deps.Now(), s.cards)
}

// Estimate guesses the height of a row from its kind and the length of its text.
func (s *Screen) Estimate(row transcript.Row, width float32) float32 {
	line := theme.LineHeight(theme.Body)
	switch r := row.(type) {
	case *transcript.User:
		return estimateText(r.Text, width*0.8, line) + theme.Space4
	case *transcript.Text:
		return estimateText(r.Text, width, line) + theme.Space1
	case *transcript.Diff:
		return theme.HeaderHeight + float32(min(r.Change.Added+r.Change.Removed+2, 12))*theme.LineHeight(theme.Mono)
	case *transcript.Plan:
		return theme.HeaderHeight + float32(len(r.Steps))*theme.RowHeight
	case *transcript.Tasks:
		return theme.HeaderHeight + float32(len(r.Nodes))*theme.RowHeight
	case *transcript.End:
		return theme.LineHeight(theme.Secondary) + theme.Space2
	case *transcript.Reasoning, *transcript.Work, *transcript.Web, *transcript.Approval, *transcript.Question, *transcript.Notice:
	}
	return theme.HeaderHeight
}

func estimateText(s string, width, line float32) float32 {
	perLine := max(1, int(width/7))
	return float32(len(s)/perLine+1) * line
}
