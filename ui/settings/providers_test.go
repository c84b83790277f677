package settings

import (
	"errors"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/ui/theme"
)

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
	if h.says("mine") || len(h.o.own) != 0 || len(h.o.keys) != 0 || h.field("Name").Text != "mine" || h.field(atKey).Text != "sk-secret" || h.field("opus").Text != "big" {
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
	if !h.says("mine") || h.field(atKey).Text != "" || strings.Contains(pageWords(h.top()), "sk-secret") {
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

// A new one begins with what the engine in use needs, and is chosen for it.
func TestAnOwnProviderForCodex(t *testing.T) {
	h := openOwn(t, theme.Light, Values{Engine: "codex"})
	h.tap("Provider Demo")
	h.tap("Another one, of your own…")
	h.until("OpenAI Responses")
	h.field(atAddress).SetText("https://a.example/v1")
	h.tap("Save")
	h.until("Kept, and it answers.")
	if p := h.o.own[0]; !p.Speaks(provider.Responses) || p.Speaks(provider.Anthropic) || h.o.values.Provider != p.ID || p.Name != "a.example" {
		t.Fatalf("%+v, %+v", p, h.o.values)
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
