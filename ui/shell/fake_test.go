package shell

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/agent/session"
	"keva/agent/trust"
	"keva/ui/chat"
	"keva/ui/settings"
	"keva/ui/uitest"
)

// fakes is a session service over scripted sessions.
type fakes struct {
	mu      sync.Mutex
	loop    *uitest.Loop
	list    []session.Meta
	open    map[string]*uitest.Session
	created []session.New
	deleted []string
	failure error
}

func (f *fakes) Sessions(context.Context) ([]session.Meta, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]session.Meta(nil), f.list...), f.failure
}

func (f *fakes) Create(_ context.Context, n session.New) (chat.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failure != nil {
		return nil, f.failure
	}
	f.created = append(f.created, n)
	m := session.Meta{ID: fmt.Sprintf("new%d", len(f.created)), Dir: n.Dir, Engine: n.Engine, Provider: n.Provider, Model: n.Model, Badge: session.BadgeEmpty}
	return f.add(m), nil
}

func (f *fakes) add(m session.Meta) *uitest.Session {
	f.list = append([]session.Meta{m}, f.list...)
	o := uitest.NewSession(m, f.loop.Now)
	f.open[m.ID] = o
	return o
}

func (f *fakes) Open(_ context.Context, id string) (chat.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.open[id]; o != nil {
		return o, nil
	}
	return nil, session.ErrNotFound
}

func (f *fakes) Delete(_ context.Context, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deleted = append(f.deleted, id)
	for i, m := range f.list {
		if m.ID == id {
			f.list = append(f.list[:i], f.list[i+1:]...)
			break
		}
	}
	return nil
}

func (f *fakes) Changes(ctx context.Context) <-chan struct{} {
	ch := make(chan struct{})
	context.AfterFunc(ctx, func() { close(ch) })
	return ch
}

// choices is a settings service in memory.
type choices struct {
	values settings.Values
	keys   map[string]string
	keyErr error
	saves  int
	fail   error
	check  func() (string, error)
}

func (c *choices) Values() settings.Values { return c.values }
func (c *choices) Save(v settings.Values) error {
	c.values = v
	c.saves++
	return c.fail
}

func (c *choices) Engines() []settings.Engine {
	return []settings.Engine{{ID: "claude", Label: "Claude"}, {ID: "codex", Label: "Codex"}}
}

func (c *choices) Providers(engine string) []settings.Provider {
	return []settings.Provider{
		{ID: "demo", Label: "Demo", Note: "no account needed"},
		{ID: "anthropic", Label: "Anthropic", NeedsKey: true},
		{ID: "custom", Label: "Own address", NeedsKey: true, Custom: true},
	}
}

func (c *choices) HasKey(_ context.Context, p string) (bool, error) {
	_, ok := c.keys[p]
	return ok, c.keyErr
}

func (c *choices) SaveKey(_ context.Context, p, k string) error {
	if c.keyErr == nil {
		c.keys[p] = k
	}
	return c.keyErr
}

func (c *choices) Consents() []trust.Consent { return nil }
func (c *choices) Revoke(string) error       { return nil }

func (c *choices) ForgetKey(_ context.Context, p string) error {
	delete(c.keys, p)
	return nil
}

func (c *choices) Check(context.Context, string) (string, error) {
	if c.check != nil {
		return c.check()
	}
	return "Claude Code 2.1.197", nil
}

// house is a shell over fakes.
type house struct {
	*Shell
	t        testing.TB
	loop     *uitest.Loop
	service  *fakes
	choices  *choices
	opened   []string
	resetErr error
}

func newHouse(t testing.TB, width, height float32, mobile bool, v settings.Values) *house {
	t.Helper()
	return newHouseWith(t, width, height, mobile, v, func(*Deps) {})
}

func newHouseWith(t testing.TB, width, height float32, mobile bool, v settings.Values, more func(*Deps)) *house {
	t.Helper()
	app := test.NewTempApp(t)
	loop := uitest.NewLoop(t)
	h := &house{t: t, loop: loop, service: &fakes{loop: loop, open: map[string]*uitest.Session{}}, choices: &choices{values: v, keys: map[string]string{}}}
	keyboard := true
	deps := Deps{
		Sessions: h.service, Settings: h.choices, Home: "/home/ada", Mobile: mobile,
		OpenURL: func(u string) error { h.opened = append(h.opened, u); return nil },
		Demo: &Demo{Provider: "demo", Prompt: "Show me around.", Project: func(context.Context) (string, error) {
			return "/home/ada/keva-demo", nil
		}, Reset: func(context.Context) error { return h.resetErr }},
		Clock: loop.Now, Do: loop.Do, Post: loop.Post, Go: loop.Go, After: loop.After, HardwareKeyboard: &keyboard,
		Folders: func(string) ([]string, error) { return []string{"ledger", "notes-site"}, nil },
	}
	more(&deps)
	h.Shell = New(app, deps)
	h.Window().Resize(fyne.NewSize(width, height))
	t.Cleanup(h.Stop)
	return h
}

// start shows the list.
func (h *house) start() {
	h.Start()
	h.loop.Until("the list", func() bool { return h.loaded })
}

// show opens a session and waits until its history is there.
func (h *house) show(id string) *uitest.Session {
	h.t.Helper()
	h.Shell.Open(id)
	h.loop.Until("the session", func() bool { return h.chat != nil && h.chat.ID() == id && h.chat.Loaded() })
	return h.service.open[id]
}

func metas(now time.Time) []session.Meta {
	m := func(id, title, dir, line string, b session.Badge, ago time.Duration) session.Meta {
		return session.Meta{ID: id, Title: title, Dir: "/home/ada/projects/" + dir, Engine: "claude", Model: "opus", Effort: "high", Provider: "demo", Badge: b, Line: line, Updated: now.Add(-ago)}
	}
	return []session.Meta{
		m("s1", "Fix the failing date test", "ledger", "Run go test ./...?", session.BadgeNeedsYou, 0),
		m("s2", "Import bank statements", "ledger", "2 agents, 14 steps · 3 min", session.BadgeRunning, 0),
		m("s3", "Why is the report slow", "ledger", "Ended while Android had stopped the app", session.BadgeUnknown, time.Hour),
		m("s4", "Dark mode for the index", "notes-site", "Done · +82 −17 in 5 files", session.BadgeDone, 24*time.Hour),
		m("s5", "Upgrade dependencies", "notes-site", "The provider refused: limit reached, resets 18:40", session.BadgeFailed, 50*time.Hour),
		m("s6", "First look around", "notes-site", "Demo · no account needed", session.BadgeDone, 300*time.Hour),
	}
}
