package settings

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/agent/provider"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/uitest"
)

// owner is a service that keeps providers of the user's own. What it needs from the domain is real.
type owner struct {
	*fake
	own     []provider.Provider
	answer  error
	asked   []string
	putErr  error
	stuck   error // the key can't be deleted
	used    int
	usedErr error
}

func (o *owner) KindOf(engine string) provider.Kind {
	return map[string]provider.Kind{"claude": provider.Anthropic, "codex": provider.Responses}[engine]
}
func (o *owner) OwnProviders() []provider.Provider { return slices.Clone(o.own) }

func (o *owner) Providers(engine string) []Provider {
	list := o.fake.Providers(engine)[:1]
	kind := o.KindOf(engine)
	for _, p := range provider.For(o.own, kind) {
		list = append(list, Provider{ID: p.ID, Label: p.Name, NeedsKey: true, Custom: true, Address: p.Base(kind)})
	}
	return list
}

func (o *owner) PutProvider(_ context.Context, p provider.Provider) (provider.Provider, error) {
	if p.ID == "" {
		p.ID = provider.Custom + "-new"
	}
	if err := provider.Check(p); err != nil || o.putErr != nil {
		return p, errors.Join(err, o.putErr)
	}
	if i := slices.IndexFunc(o.own, func(q provider.Provider) bool { return q.ID == p.ID }); i >= 0 {
		o.own[i] = p
	} else {
		o.own = append(o.own, p)
	}
	return p, nil
}

func (o *owner) RemoveProvider(_ context.Context, id string, leaveKey bool) error {
	if o.stuck != nil && !leaveKey {
		return o.stuck
	}
	if o.stuck == nil {
		delete(o.keys, id)
	}
	o.own = slices.DeleteFunc(o.own, func(p provider.Provider) bool { return p.ID == id })
	if o.values.Provider == id {
		o.values.Provider = "demo"
	}
	return nil
}
func (o *owner) SessionsWith(context.Context, string) (int, error) { return o.used, o.usedErr }
func (o *owner) CheckProvider(_ context.Context, id string) error {
	o.asked = append(o.asked, id)
	return o.answer
}

// house is the settings with pages above them.
type house struct {
	*desk
	o     *owner
	pages []fyne.CanvasObject
}

func openOwn(t *testing.T, mode theme.Mode, v Values, own ...provider.Provider) *house {
	d := open(t, v)
	fyne.CurrentApp().Settings().SetTheme(theme.New(theme.Options{Mode: mode}))
	h := &house{desk: d, o: &owner{fake: d.fake, own: own}}
	d.win.SetPadded(false)
	d.deps.Service = h.o
	d.deps.Show = func(p func(func()) fyne.CanvasObject) {
		h.pages = append(h.pages, p(func() {
			h.pages = h.pages[:len(h.pages)-1]
			h.show()
		}))
		h.show()
	}
	h.show()
	h.rebuild()
	return h
}

func (h *house) top() fyne.CanvasObject {
	if o := h.win.Canvas().Overlays().Top(); o != nil {
		return o
	}
	if len(h.pages) > 0 {
		return h.pages[len(h.pages)-1]
	}
	return h.Object()
}

func (h *house) show() {
	h.win.SetContent(h.top())
	h.win.Resize(fyne.NewSize(360, 780))
}

// tap presses what begins with the words.
func (h *house) tap(words string) {
	h.t.Helper()
	found := ""
	uitest.Walk(h.top(), func(o fyne.CanvasObject) {
		a, named := o.(fyne.Accessible)
		if _, ok := o.(fyne.Tappable); ok && named && found == "" && strings.HasPrefix(a.AccessibilityLabel(), words) {
			found = a.AccessibilityLabel()
		}
	})
	if found == "" {
		found = words
	}
	test.Tap(uitest.Button(h.t, h.top(), found))
}

// field is the field below a label.
func (h *house) field(label string) *screen.Entry {
	h.t.Helper()
	var e *screen.Entry
	last := ""
	uitest.Walk(h.top(), func(o fyne.CanvasObject) {
		switch w := o.(type) {
		case *screen.Para:
			last = w.Text()
		case *screen.Entry:
			if e == nil && last == label {
				e = w
			}
		}
	})
	if e == nil {
		h.t.Fatalf("no field %q in %s", label, pageWords(h.top()))
	}
	return e
}

// says reports whether a line is exactly this.
func (h *house) says(line string) (found bool) {
	uitest.Walk(h.top(), func(o fyne.CanvasObject) {
		if text, ok := o.(*screen.Text); ok && text.Text() == line {
			found = true
		}
	})
	return found
}

func (h *house) until(words string) {
	h.t.Helper()
	h.loop.Until(words, func() bool { return strings.Contains(pageWords(h.top()), words) })
}

// Both themes draw, and nothing that is tapped is smaller than a finger.
func TestOwnProvidersDraw(t *testing.T) {
	for name, mode := range map[string]theme.Mode{"light": theme.Light, "dark": theme.Dark} {
		second := kept()
		second.ID, second.Name, second.BaseURL = provider.Custom+"-2", "A server with quite a long name of its own", "https://a-long-subdomain.of-a-long-name.example.org/with/a/path"
		h := openOwn(t, mode, Values{Engine: "claude", Provider: provider.Custom, Mode: mode}, kept(), second)
		h.o.keys[provider.Custom] = "sk"
		h.look("own-settings-" + name)
		h.tap("Your own providers Work, and 1 more")
		h.look("own-list-" + name)
		h.tap("Work")
		h.until("Kept. It goes")
		h.look("own-form-" + name)
		h.field(atAddress).SetText("http://llm.example")
		h.field(headerAt(0)).SetText("X-Api-Key: sk")
		h.tap("Save")
		h.until("Not kept.")
		h.look("own-wrong-" + name)
		h.win.Resize(fyne.NewSize(360, 1700))
		h.look("own-wrong-whole-" + name)
		h.show()
		h.tap("Remove this provider")
		h.until("Remove this provider?")
		h.look("own-remove-" + name)
	}
}

// The largest text on the narrowest phone: everything still fits, and names of two with the same name differ by address.
func TestOwnProvidersDrawHuge(t *testing.T) {
	second := kept()
	second.ID, second.BaseURL = provider.Custom+"-2", "https://other.example/a/path-without-any-place-to-break-a-line-in-it"
	h := openOwn(t, theme.Light, Values{Engine: "claude", Provider: provider.Custom}, kept(), second)
	fyne.CurrentApp().Settings().SetTheme(theme.New(theme.Options{Mode: theme.Light, Scale: theme.Huge}))
	h.win.Resize(fyne.NewSize(320, 640))
	h.tap("Provider Work")
	h.until("other.example/a/path")
	h.look("own-menu-huge")
	h.tap("Work llm.example")
	h.tap("Address https://llm.example")
	h.until("Asking the keyring")
	h.win.Resize(fyne.NewSize(320, 2000))
	uitest.Walk(h.top(), func(o fyne.CanvasObject) {
		if e, ok := o.(*screen.Entry); ok && e.Size().Width < 200 {
			t.Errorf("a field is %v wide", e.Size())
		}
	})
	h.look("own-form-huge")
}

func (h *house) look(name string) {
	h.t.Helper()
	uitest.Walk(h.top(), func(o fyne.CanvasObject) {
		a, named := o.(fyne.Accessible)
		_, tappable := o.(fyne.Tappable)
		if s := o.Size(); named && tappable && a.AccessibilityRole() == fyne.AccessibleRoleButton && (s.Height < theme.Touch || s.Width < theme.Touch) {
			h.t.Errorf("%s: “%s” is %v", name, a.AccessibilityLabel(), s)
		}
	})
	uitest.Shoot(h.t, h.win, name)
}
