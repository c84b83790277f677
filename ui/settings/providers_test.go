package settings

import (
	"context"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/agent/event"
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

func (o *owner) OwnProviders() []provider.Provider { return slices.Clone(o.own) }

func (o *owner) Providers(engine string) []Provider {
	list := o.fake.Providers(engine)[:1]
	kind := map[string]provider.Kind{"claude": provider.Anthropic, "codex": provider.Responses}[engine]
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

func (h *house) until(words string) {
	h.t.Helper()
	h.loop.Until(words, func() bool { return strings.Contains(pageWords(h.top()), words) })
}

// The way of a first own server: chosen from the list of providers, described, kept, tried, used.
func TestAddAnOwnProvider(t *testing.T) {
	h := openOwn(t, theme.Light, Values{Engine: "claude"})
	h.o.answer = &event.Error{Message: "mine answers Chat Completions at this address."}
	h.tap("Provider Demo")
	h.tap("Another one, of your own…")
	h.field(atAddress).SetText("http://models.example.org")
	h.field("Name").SetText("mine")
	h.field(atKey).SetText("sk-secret")
	h.field("opus").SetText("big")
	h.field(headerAt(0)).SetText("X-Api-Key: sk")
	h.tap("Save")
	h.until("Your key would be sent unencrypted")
	h.until("looks like a place for a key")
	h.until("Not kept. Correct what is marked above: Address, Header 1.")
	if len(h.o.own) != 0 || len(h.o.keys) != 0 || h.field("Name").Text != "mine" || h.field(atKey).Text != "sk-secret" || h.field("opus").Text != "big" {
		t.Fatal("something was kept, or lost", h.o.own)
	}
	h.field(atAddress).SetText("https://models.example.org")
	h.field(headerAt(0)).SetText("X-Title: Keva")
	h.tap("Save")
	h.until("Kept, but it can't be used as it is now. mine answers Chat Completions")
	p := h.o.own[0]
	if p.Name != "mine" || p.Aliases["opus"] != "big" || p.Headers["X-Title"] != "Keva" || h.o.keys[p.ID] != "sk-secret" || h.o.values.Provider != p.ID {
		t.Fatalf("%+v, %+v", p, h.o.values)
	}
	h.until("Kept. It goes to the address above")
	if h.field(atKey).Text != "" || strings.Contains(pageWords(h.top()), "sk-secret") {
		t.Fatal("the key is still on the screen")
	}
	h.o.answer = nil
	h.tap("Save")
	h.until("Kept, and it answers.")
	if len(h.o.own) != 1 || len(h.o.asked) != 2 || h.o.keys[p.ID] != "sk-secret" {
		t.Fatal(h.o.own, h.o.asked, h.o.keys)
	}
	h.field("Name").SetText("other")
	if strings.Contains(pageWords(h.top()), "it answers") {
		t.Fatal("what is typed now was never kept")
	}
}

// What can't be kept stays in the fields, with the reason.
func TestAnOwnProviderThatIsNotKept(t *testing.T) {
	h := openOwn(t, theme.Light, Values{Engine: "claude"}, kept())
	h.tap("Your own providers Work")
	h.tap("Work")
	h.o.putErr = &event.Error{Message: "The disk is full."}
	h.field("Name").SetText("Home")
	h.tap("Save")
	h.until("Not kept. The disk is full.")
	if h.field("Name").Text != "Home" || h.o.own[0].Name != "Work" {
		t.Fatal(h.o.own)
	}
	h.o.putErr, h.o.keyErr = nil, &event.Error{Message: "No keyring is running."}
	h.field(atKey).SetText("sk-new")
	h.tap("Save")
	h.until("The provider is kept, its key is not.")
	h.until("No keyring is running.")
	if h.field(atKey).Text != "sk-new" || h.o.own[0].Name != "Home" || len(h.o.asked) != 0 {
		t.Fatal(h.o.own, h.o.asked)
	}
}

// Removing asks first and says what happens; it can be left; a key that can't be deleted is not left behind unasked.
func TestRemoveAnOwnProvider(t *testing.T) {
	h := openOwn(t, theme.Light, Values{Engine: "claude", Provider: provider.Custom}, kept())
	h.o.keys[provider.Custom], h.o.used = "sk", 2
	h.tap("Address https://llm.example")
	h.tap("Remove this provider")
	h.until("2 sessions use it: they can still be read")
	h.tap("Keep it")
	if len(h.o.own) != 1 {
		t.Fatal("it was removed")
	}
	h.o.stuck = &event.Error{Message: "The keyring is locked."}
	h.o.usedErr = errors.New("the store is away")
	h.tap("Remove this provider")
	h.until("Whether sessions use it is not known.")
	h.tap("Remove")
	h.until("The keyring is locked.")
	if len(h.o.own) != 1 || h.o.keys[provider.Custom] == "" {
		t.Fatal(h.o.own)
	}
	h.tap("Keep it")
	h.o.stuck = nil
	h.tap("Remove this provider")
	h.until("are removed from this device")
	h.tap("Remove")
	h.loop.Until("it is gone", func() bool { return len(h.pages) == 0 })
	if len(h.o.own) != 0 || len(h.o.keys) != 0 || h.values.Provider != "demo" {
		t.Fatal(h.o.own, h.o.keys, h.values)
	}
	h.until("None yet. A server of yours")
}

// A key is replaced or forgotten without its being shown.
func TestForgetAnOwnKey(t *testing.T) {
	h := openOwn(t, theme.Light, Values{Engine: "claude", Provider: provider.Custom}, kept())
	h.o.keys[provider.Custom] = "sk-hidden"
	h.tap("Your own providers Work")
	h.tap("Work")
	h.until("Kept. It goes to the address above")
	if strings.Contains(pageWords(h.top()), "sk-hidden") || h.field(atKey).Text != "" {
		t.Fatal("the key is on the screen")
	}
	h.tap("Forget the key")
	h.until("None is kept.")
	if len(h.o.keys) != 0 {
		t.Fatal(h.o.keys)
	}
}

// Another protocol asks for what it needs; what was typed for the first comes back with it.
func TestProtocolsOfAnOwnProvider(t *testing.T) {
	h := openOwn(t, theme.Light, Values{Engine: "claude"})
	h.tap("Your own providers None yet.")
	h.tap("Add a provider")
	h.field(atAddress).SetText("https://a.example")
	h.field("opus").SetText("big")
	h.tap("Protocol")
	h.tap("OpenAI Responses Codex")
	if text := pageWords(h.top()); strings.Contains(text, "opus") || strings.Contains(text, "The key is sent as") {
		t.Error(text)
	}
	h.tap("Protocol")
	h.tap("Anthropic Messages and OpenAI Responses")
	h.field(atSecond).SetText("https://a.example/v1")
	h.tap("The key is sent as")
	h.tap("Authorization: Bearer")
	if h.field("opus").Text != "big" || h.field(atAddress).Text != "https://a.example" {
		t.Error("what was typed is lost")
	}
	h.tap("Save")
	h.until("Kept, and it answers.")
	p := h.o.own[0]
	if p.Base(provider.Anthropic) != "https://a.example" || p.Base(provider.Responses) != "https://a.example/v1" || p.Auth != provider.AuthBearer || h.o.values.Provider == p.ID {
		t.Errorf("%+v", p)
	}
	h.tap("Back")
	h.until("Anthropic Messages and OpenAI Responses")
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

// What is typed goes on while the page is drawn anew: the first key after a save takes back what was said of it.
func TestTypingGoesOn(t *testing.T) {
	h := openOwn(t, theme.Light, Values{Engine: "claude", Provider: provider.Custom}, kept())
	h.tap("Address https://llm.example")
	h.tap("Save")
	h.until("Kept, and it answers.")
	name := h.field("Name")
	h.win.Canvas().Focus(name)
	test.Type(name, "My ")
	if h.field("Name") != name || h.win.Canvas().Focused() != fyne.Focusable(name) || !strings.Contains(name.Text, "My ") || strings.Contains(pageWords(h.top()), "answers") {
		t.Errorf("%q, %v", name.Text, h.win.Canvas().Focused())
	}
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
	if os.Getenv("KEVA_SHOTS") == "" {
		return
	}
	dir := filepath.Join("testdata", "failed")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		h.t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, name+".png"))
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, h.win.Canvas().Capture()); err != nil {
		h.t.Fatal(err)
	}
}
