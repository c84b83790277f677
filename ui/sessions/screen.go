package sessions

import (
	"fmt"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"keva/agent/session"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
)

// Actions are what the user can ask for. All are called on the thread of the user interface.
type Actions struct {
	Open     func(id string)
	Menu     func(m session.Meta) // long press
	New      func()
	Settings func()
	Demo     func() // nil when there is no demo
	Retry    func() // reads the list again
}

// page is how many sessions are shown before "Show older".
const page = 60

// Screen is the list. Its methods belong to the thread of the user interface.
type Screen struct {
	actions Actions
	home    string
	now     func() time.Time

	list     []session.Meta
	failure  error
	loaded   bool
	selected string
	query    string
	limit    int
	banner   fyne.CanvasObject
	hidden   bool
	stale    bool // the rows are not those of the list

	root   *fyne.Container
	column *fyne.Container
	scroll *screen.Scroller
	search *screen.Entry
	field  *fyne.Container
	add    *mark.Button
}

// New makes the screen, empty until Set.
func New(a Actions, home string, now func() time.Time) *Screen {
	s := &Screen{actions: a, home: home, now: now, limit: page}
	bar := screen.NewBar(nil, "Sessions", "",
		screen.NewIconButton(screen.GlyphSearch, "Search", s.toggleSearch),
		screen.NewIconButton(screen.GlyphGear, "Settings", a.Settings))
	s.search = screen.NewEntry(false)
	s.search.SetPlaceHolder("Title, folder or state")
	s.search.OnChanged = func(q string) {
		s.query, s.limit = q, page
		s.rebuild()
	}
	s.field = screen.Column(0, screen.Insets{Top: theme.Space2, Right: theme.Space4, Bottom: theme.Space1, Left: theme.Space4}, screen.Field(s.search))
	s.field.Hide()
	s.column = screen.Column(0, screen.Insets{Bottom: theme.Touch + 2*theme.Space4})
	s.scroll = screen.Scroll(s.column)
	s.add = mark.NewButton("+ New session", mark.Primary, a.New)
	body := container.NewBorder(s.field, nil, nil, nil, s.scroll.Object())
	s.root = screen.Page(bar, container.NewStack(screen.Fill(theme.Background), body, corner(s.add)))
	s.rebuild()
	return s
}

// Object is what goes into the window.
func (s *Screen) Object() fyne.CanvasObject { return s.root }

// Set shows the sessions, or why they can't be read. It may be called often: a running session changes its line.
func (s *Screen) Set(list []session.Meta, err error) {
	same := s.loaded && s.failure == nil && err == nil && slices.Equal(s.list, list)
	s.list, s.failure, s.loaded = list, err, true
	if !same {
		s.rebuild()
	}
}

// SetShown tells whether the screen can be seen: a list that is hidden is put together when it comes back.
func (s *Screen) SetShown(on bool) {
	s.hidden = !on
	if on && s.stale {
		s.rebuild()
	}
}

// Select marks the session that is open beside the list; "" for none.
func (s *Screen) Select(id string) {
	if s.selected != id {
		s.selected = id
		s.rebuild()
	}
}

// SetBanner puts something above the list, nil for nothing.
func (s *Screen) SetBanner(o fyne.CanvasObject) {
	if s.banner == nil && o == nil {
		return
	}
	s.banner = o
	s.rebuild()
}

// Back closes the search, and reports whether it was open.
func (s *Screen) Back() bool {
	if !s.field.Visible() {
		return false
	}
	s.toggleSearch()
	return true
}

func (s *Screen) toggleSearch() {
	c := fyne.CurrentApp().Driver().CanvasForObject(s.root)
	if s.field.Visible() {
		s.field.Hide()
		s.search.SetText("")
		if c != nil {
			c.Unfocus()
		}
	} else {
		s.field.Show()
		if c != nil {
			c.Focus(s.search)
		}
	}
	s.root.Refresh()
}

func (s *Screen) rebuild() {
	if s.stale = s.hidden; s.hidden {
		return
	}
	var o []fyne.CanvasObject
	if s.banner != nil {
		o = append(o, s.banner)
	}
	groups := groupsOf(s.list, s.query, s.home)
	switch {
	case s.failure != nil:
		o = append(o, s.state("The sessions could not be read.", s.failure.Error(), mark.NewBigButton("Try again", mark.Secondary, s.actions.Retry)))
	case !s.loaded:
		o = append(o, s.state("", "Reading the sessions…", nil))
	case len(s.list) == 0:
		var demo fyne.CanvasObject
		if s.actions.Demo != nil {
			demo = mark.NewBigButton("Start the demo", mark.Secondary, s.actions.Demo)
		}
		o = append(o, s.state("No sessions yet", "A session is a conversation with an engine about one project folder.", demo))
	case len(groups) == 0:
		o = append(o, s.state("Nothing found", fmt.Sprintf("No title, folder or state holds “%s”.", s.query), nil))
	default:
		o = append(o, s.rows(groups)...)
	}
	s.column.Objects = o
	s.scroll.Changed()
}

func (s *Screen) rows(groups []group) []fyne.CanvasObject {
	var o []fyne.CanvasObject
	now, left, more := s.now(), s.limit, 0
	for _, g := range groups {
		if left <= 0 {
			more += len(g.list)
			continue
		}
		o = append(o, screen.Section(g.title))
		for _, m := range g.list {
			if left <= 0 {
				more++
				continue
			}
			left--
			o = append(o, newRow(m, now, m.ID == s.selected, func() { s.actions.Open(m.ID) }, func() { s.actions.Menu(m) }))
		}
	}
	if more > 0 {
		older := mark.NewButton(fmt.Sprintf("Show %d older", more), mark.Quiet, func() {
			s.limit += 5 * page
			s.rebuild()
		})
		o = append(o, screen.Column(0, screen.Pad(theme.Space4), older))
	}
	return o
}

// state is what stands in the place of rows.
func (s *Screen) state(title, text string, action fyne.CanvasObject) fyne.CanvasObject {
	var o []fyne.CanvasObject
	if title != "" {
		o = append(o, screen.NewPara(title, screen.TitleStyle))
	}
	o = append(o, screen.NewPara(text, screen.LineStyle))
	if action != nil {
		o = append(o, screen.Column(0, screen.Insets{Top: theme.Space3}, action))
	}
	return screen.Column(theme.Space2, screen.Insets{Top: 72, Right: theme.Space6, Left: theme.Space6}, o...)
}

// corner puts o into the lower right corner.
func corner(o fyne.CanvasObject) *fyne.Container {
	return &fyne.Container{Layout: cornerLayout{}, Objects: []fyne.CanvasObject{o}}
}

type cornerLayout struct{}

func (cornerLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	m := o[0].MinSize()
	o[0].Resize(m)
	o[0].Move(fyne.NewPos(size.Width-m.Width-theme.Space4, size.Height-m.Height-theme.Space4))
}
func (cornerLayout) MinSize(o []fyne.CanvasObject) fyne.Size { return o[0].MinSize() }
