package core

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"keva/agent/doctor"
	"keva/agent/event"
	"keva/agent/onboarding"
	"keva/agent/session"
	"keva/agent/slot"
	"keva/engines/catalog"
	"keva/engines/userland/pack/packtest"
	"keva/engines/userland/plan"
	"keva/engines/userland/unpack"
	"keva/platform/device"
	"keva/platform/network"
	"keva/platform/secret"
	"keva/platform/settings"
)

// machine is a desktop with a keyring in memory and a pack that the test chooses.
type machine struct {
	device.Device
	keys *secret.Volatile
	pack string
}

func (m *machine) Keys() secret.Keyring   { return m.keys }
func (m *machine) Pack() (string, string) { return m.pack, "" }

func world(t *testing.T, place plan.Kind) (*Core, *machine) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("KEVA_HOME", home)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"} {
		t.Setenv(name, "")
	}
	m := &machine{Device: device.New(nil), keys: &secret.Volatile{}}
	return reopen(t, m, place), m
}

func reopen(t *testing.T, m *machine, place plan.Kind) *Core {
	t.Helper()
	c, _, err := Open(t.Context(), Options{Version: "1.2.3", Device: m, Place: place})
	if err != nil {
		t.Fatal(err)
	}
	closed := false
	end := func() {
		if !closed {
			closed = true
			c.Close()
		}
	}
	c.closers = append(c.closers, func() { closed = true })
	t.Cleanup(end)
	return c
}

// packOf writes a pack whose one program says word.
func packOf(t *testing.T, word string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pack.tar.zst")
	data := packtest.Pack(t, packtest.Spec(runtime.GOARCH), packtest.Folder("usr"), packtest.Text("usr/word", 0o644, word))
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func (c *Core) word(t *testing.T) string {
	t.Helper()
	tree, err := unpack.Current(catalog.UserlandDir(c.data))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(tree.Root, "usr", "word"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// From a fresh phone through damage to an update of the app: the first start asks for what is missing, and the old tools stay
// until the new ones are whole.
func TestToolsOverALife(t *testing.T) {
	c, m := world(t, plan.KindPack)
	state := func(want onboarding.Tools) {
		t.Helper()
		if got := c.Tools(t.Context()); got != want {
			t.Fatalf("the tools are %q, want %q", got, want)
		}
	}
	state(onboarding.ToolsMissing)
	var known *event.Error
	if err := c.Unpack(t.Context(), func(onboarding.Progress) {}); !errors.As(err, &known) || !strings.Contains(known.Message, "no Linux tools") {
		t.Fatalf("%v", err)
	}
	m.pack = packOf(t, "one")
	var last onboarding.Progress
	if err := c.Unpack(t.Context(), func(p onboarding.Progress) { last = p }); err != nil {
		t.Fatal(err)
	}
	if last.Total == 0 || last.Done != last.Total || len(last.Parts) == 0 || !last.Parts[0].Done {
		t.Errorf("%+v", last)
	}
	state(onboarding.ToolsReady)
	if c.word(t) != "one" {
		t.Error(c.word(t))
	}
	// Damaged while Keva was closed.
	tree, err := unpack.Current(catalog.UserlandDir(c.data))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(tree.Root, "usr", "word")); err != nil {
		t.Fatal(err)
	}
	c.Close()
	c = reopen(t, m, plan.KindPack)
	state(onboarding.ToolsDamaged)
	if err := c.Unpack(t.Context(), func(onboarding.Progress) {}); err != nil {
		t.Fatal(err)
	}
	state(onboarding.ToolsReady)
	// Another word of the same length: only a look at every file sees it, which is the doctor's; then it is mended.
	if err := os.WriteFile(filepath.Join(tree.Root, "usr", "word"), []byte("eno"), 0o644); err != nil {
		t.Fatal(err)
	}
	state(onboarding.ToolsReady)
	c.toolsAreDamaged()
	state(onboarding.ToolsDamaged)
	if err := c.Unpack(t.Context(), func(onboarding.Progress) {}); err != nil {
		t.Fatal(err)
	}
	state(onboarding.ToolsReady)
	if c.word(t) != "one" {
		t.Error(c.word(t))
	}
	// The app was updated: another pack. An engine that runs is asked to yield, and one that works is not disturbed.
	c.Close()
	m.pack = packOf(t, "two")
	c = reopen(t, m, plan.KindPack)
	state(onboarding.ToolsOutdated)
	if c.word(t) != "one" {
		t.Error("the old tools are gone before the new ones are there")
	}
	lease, err := c.slot.Acquire(t.Context(), slot.Holder{Who: "chat", What: "a long run"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Unpack(t.Context(), func(onboarding.Progress) {}); !errors.As(err, &known) || !strings.Contains(known.Message, "a long run") {
		t.Errorf("%v", err)
	}
	lease.Release()
	if err := c.Unpack(t.Context(), func(onboarding.Progress) {}); err != nil {
		t.Fatal(err)
	}
	state(onboarding.ToolsReady)
	if c.word(t) != "two" {
		t.Error(c.word(t))
	}
	if _, err := os.Stat(tree.Root); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old version was left: %v", err)
	}
	// Another user of the phone, or a restored backup: the data lies elsewhere.
	c.Close()
	moved := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(os.Getenv("KEVA_HOME"), moved); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KEVA_HOME", moved)
	c = reopen(t, m, plan.KindPack)
	state(onboarding.ToolsReady)
	if tree, err := unpack.Current(catalog.UserlandDir(c.data)); err != nil || tree.Moved() {
		t.Errorf("%+v, %v", tree, err)
	}
}

func TestAComputerNeedsNoTools(t *testing.T) {
	c, _ := world(t, plan.KindHost)
	f := FirstStart{c}.Facts(t.Context())
	if f.Tools != onboarding.ToolsNotNeeded || f.Engine == "" || f.Sessions != 0 {
		t.Errorf("%+v", f)
	}
	if list := (FirstStart{c}).Agents(); len(list) != 2 {
		t.Errorf("%+v", list)
	}
	if err := (FirstStart{c}).Choose("nobody"); err == nil {
		t.Error("an engine that does not exist was chosen")
	}
}

// A proxy's password is in the keyring and in use, and nowhere else.
func TestProxyPasswordStaysOutOfTheStore(t *testing.T) {
	c, m := world(t, plan.KindHost)
	if err := c.SetNetwork(t.Context(), network.Setting{Mode: network.Proxied, Proxy: "http://ada:pa%40ss@127.0.0.1:9", NoProxy: "x.test"}); err != nil {
		t.Fatal(err)
	}
	set := c.Settings.Get().Network
	if set.Proxy != "http://127.0.0.1:9" || set.NoProxy != "x.test" {
		t.Errorf("%+v", set)
	}
	if who, err := m.keys.Get(t.Context(), proxySecret); err != nil || who != "ada:pa%40ss" {
		t.Errorf("%q, %v", who, err)
	}
	if s := c.networkSetting(); s.Proxy != "http://ada:pa%40ss@127.0.0.1:9" {
		t.Errorf("%q is in use", s.Proxy)
	}
	// The address as the screen shows it does not throw the password away; another address does.
	if err := c.SetNetwork(t.Context(), network.Setting{Mode: network.Proxied, Proxy: "http://127.0.0.1:9"}); err != nil {
		t.Fatal(err)
	}
	if s := c.networkSetting(); !strings.Contains(s.Proxy, "ada") {
		t.Errorf("%q", s.Proxy)
	}
	if err := c.SetNetwork(t.Context(), network.Setting{Mode: network.Proxied, Proxy: "http://127.0.0.2:9"}); err != nil {
		t.Fatal(err)
	}
	if s := c.networkSetting(); s.Proxy != "http://127.0.0.2:9" {
		t.Errorf("%q", s.Proxy)
	}
	// What can't work is said at once, and goes nowhere.
	if err := c.SetNetwork(t.Context(), network.Setting{Mode: network.Proxied, Proxy: "socks5://127.0.0.1:9"}); err == nil {
		t.Error("a SOCKS proxy was taken")
	}
	if v := (Connection{c}).View(); len(v.Problems) == 0 {
		t.Errorf("%+v", v)
	}
}

// A proxy that can't be reached is an error with a trace that outlives the run (I-17, I-18).
func TestFailuresAreKept(t *testing.T) {
	c, m := world(t, plan.KindHost)
	if err := c.SetNetwork(t.Context(), network.Setting{Mode: network.Proxied, Proxy: "http://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	client := c.Network.Client(network.Use{Purpose: "a test"})
	if resp, err := client.Get("http://nobody.test/secret-path?token=s3cr3t"); err == nil {
		_ = resp.Body.Close()
		t.Fatal("it went around the proxy")
	}
	found := c.Findings(t.Context())
	if doctor.Worst(found) != doctor.Failed {
		t.Errorf("%+v", found)
	}
	c.Close()
	c = reopen(t, m, plan.KindHost)
	text := c.Report(t.Context(), found)
	if !strings.Contains(text, "a test: proxy_refused nobody.test") || strings.Contains(text, "s3cr3t") || strings.Contains(text, "secret-path") {
		t.Error(text)
	}
}

// The report holds nothing of sessions, keys, or names of the user's folders.
func TestReportHoldsNoSecrets(t *testing.T) {
	c, m := world(t, plan.KindHost)
	project := filepath.Join(t.TempDir(), "takeover-of-acme")
	if err := os.MkdirAll(project, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := c.Service.Create(t.Context(), session.New{Dir: project, Engine: "claude", Provider: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	s.Rename("title-with-hunter2")
	s.SetDraft("draft with correct-horse")
	if err := c.SetKey(t.Context(), "anthropic", "sk-test-not-a-real-key-0001"); err != nil {
		t.Fatal(err)
	}
	if err := m.keys.Set(t.Context(), "x", "y"); err != nil {
		t.Fatal(err)
	}
	c.Log.Error().Str("detail", "key sk-test-not-a-real-key-0001 in "+project).Msg("something failed")
	c.Log.Error().Err(errors.New("Authorization: Bearer abcdefabcdef")).Msg("PASSWORD=letmein2 in the environment")
	text := c.Report(t.Context(), c.Findings(t.Context()))
	for _, bad := range []string{"hunter2", "correct-horse", "takeover", "sk-test-not", "abcdefabcdef", "letmein2"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q is in the report:\n%s", bad, text)
		}
	}
	name, err := c.Save(text)
	if err != nil || !strings.HasPrefix(name, c.dirs.State) {
		t.Error(name, err)
	}
}

// A tap on a notification that is about nothing changes nothing; the loop ends with its context.
func TestKeepAliveEnds(t *testing.T) {
	c, _ := world(t, plan.KindHost)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		c.KeepAlive(ctx)
		close(ended)
	}()
	c.tapped(ctx, device.Tap{Choice: device.Allow, Request: "nobody's"})
	cancel()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("it did not end")
	}
}

// Only what is old goes, and no clock that jumped takes what is new.
func TestOldTemporaryFilesAreSwept(t *testing.T) {
	c, _ := world(t, plan.KindPack)
	dir := filepath.Join(c.data, "tmp")
	if err := os.MkdirAll(filepath.Join(dir, "old", "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-2 * tempAge)
	if err := os.Chtimes(filepath.Join(dir, "old"), long, long); err != nil {
		t.Fatal(err)
	}
	c.sweepTemp(time.Now().Add(-10 * tempAge))
	if _, err := os.Stat(filepath.Join(dir, "old")); err != nil {
		t.Error(err)
	}
	c.sweepTemp(time.Now())
	if _, err := os.Stat(filepath.Join(dir, "old")); !errors.Is(err, os.ErrNotExist) {
		t.Error("the old one is there")
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err != nil {
		t.Error(err)
	}
}

// The demo that a device begins with is no choice; a provider without its key is no account.
func TestFactsOfTheFirstStart(t *testing.T) {
	c, _ := world(t, plan.KindHost)
	next := func() onboarding.Step { return onboarding.Next(FirstStart{c}.Facts(t.Context())) }
	if got := next(); got != onboarding.StepAccount {
		t.Errorf("a fresh device: %s", got)
	}
	if err := c.Settings.Update(t.Context(), func(s *settings.Settings) { s.Choices["claude"] = settings.Choice{Provider: "anthropic"} }); err != nil {
		t.Fatal(err)
	}
	if got := next(); got != onboarding.StepAccount {
		t.Errorf("without the key: %s", got)
	}
	if err := c.SetKey(t.Context(), "anthropic", "sk-test-not-a-real-key-0001"); err != nil {
		t.Fatal(err)
	}
	if got := next(); got != onboarding.StepFolder {
		t.Errorf("with the key: %s", got)
	}
}
