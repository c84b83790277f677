package network

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/agent/connection"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/uitest"
)

type fake struct {
	view    connection.View
	set     []connection.Setting
	fail    error
	checks  int
	changes chan struct{}
}

func (f *fake) View() connection.View { return f.view }
func (f *fake) Set(_ context.Context, s connection.Setting) error {
	f.set = append(f.set, s)
	if f.fail == nil {
		f.view.Setting = s
	}
	return f.fail
}

func (f *fake) SetUpdateAddress(_ context.Context, a string) error {
	f.view.UpdateAddress = a
	return f.fail
}
func (f *fake) CheckUpdate(context.Context) error       { f.checks++; return f.fail }
func (f *fake) Changes(context.Context) <-chan struct{} { return f.changes }

type desk struct {
	*Screen
	t    *testing.T
	f    *fake
	loop *uitest.Loop
	win  fyne.Window
}

func open(t *testing.T, mode theme.Mode, v connection.View) *desk {
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Options{Mode: mode}))
	d := &desk{t: t, f: &fake{view: v, changes: make(chan struct{})}, loop: uitest.NewLoop(t)}
	d.win = test.NewTempWindow(t, nil)
	d.win.SetPadded(false)
	d.Screen = New(Deps{Service: d.f, Window: d.win.Canvas, Back: func() {}, Now: d.loop.Now, Post: d.loop.Post, Go: d.loop.Go})
	d.win.SetContent(d.Object())
	d.win.Resize(fyne.NewSize(360, 780))
	t.Cleanup(d.Stop)
	return d
}

func (d *desk) tap(label string) {
	d.t.Helper()
	root := d.Object()
	if top := d.win.Canvas().Overlays().Top(); top != nil {
		root = top
	}
	test.Tap(uitest.Button(d.t, root, label))
}

func (d *desk) fields() (list []*screen.Entry) {
	uitest.Walk(d.win.Canvas().Overlays().Top(), func(o fyne.CanvasObject) {
		if e, ok := o.(*screen.Entry); ok {
			list = append(list, e)
		}
	})
	return list
}

func (d *desk) words() string {
	var all []string
	uitest.Walk(d.Object(), func(o fyne.CanvasObject) {
		switch w := o.(type) {
		case *screen.Para:
			all = append(all, w.Text())
		case *screen.Text:
			all = append(all, w.Text())
		}
	})
	return strings.Join(all, "\n")
}

func some(now time.Time) connection.View {
	return connection.View{
		Version: 7,
		Policy: []connection.Line{
			{Label: "Proxy for https", Value: "http://10.0.2.2:3128", From: "the device's network settings"},
			{Label: "Without a proxy", Value: "localhost, 10.0.0.0/8", From: "the device's network settings"},
		},
		Purposes: []connection.Purpose{
			{Name: "Claude Code", LastAttempt: now, LastSuccess: now},
			{Name: "Update check", LastAttempt: now.Add(-time.Hour), Failing: true, Class: "Proxy", Why: "The proxy 10.0.2.2:3128 refused the connection."},
			{Name: "Models", LastAttempt: now},
		},
		Hosts:         []connection.Host{{Name: "api.anthropic.com:443", Bytes: 1_234_567, Last: now}, {Name: "pypi.org:443", Bytes: 4_200, Last: now.Add(-time.Minute)}},
		UpdateAddress: "https://example.org/keva.json", Update: "Not known: the proxy refused the connection",
	}
}

func TestItSaysWhatIsSo(t *testing.T) {
	for name, mode := range map[string]theme.Mode{"light": theme.Light, "dark": theme.Dark} {
		d := open(t, mode, some(uitest.NewLoop(t).Now()))
		text := d.words()
		for _, want := range []string{"http://10.0.2.2:3128 · from the device's network settings", "last success never", "refused the connection", "1.2 MB", "never switches to a direct"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in %q", want, text)
			}
		}
		d.shoot("network-" + name)
	}
}

func TestTheUserChanges(t *testing.T) {
	d := open(t, theme.Light, connection.View{Version: 1, Policy: []connection.Line{{Label: "Proxy for https", Value: "direct", From: "nobody"}}})
	d.tap("Change As the device says")
	d.tap("Through a proxy… ")
	d.shoot("network-proxy")
	f := d.fields()
	f[0].SetText(" http://p:1 ")
	f[1].SetText("a.b")
	d.tap("Use this")
	d.loop.Until("the change", func() bool { return len(d.f.set) == 1 })
	if d.f.set[0] != (connection.Setting{Mode: connection.Proxy, Proxy: "http://p:1", NoProxy: "a.b"}) {
		t.Errorf("%+v", d.f.set)
	}
	d.loop.Until("the words", func() bool { return strings.Contains(d.words(), "Through the proxy that you chose") })
	d.f.fail = errors.New("a SOCKS proxy can't be used")
	d.tap("Change Through the proxy that you chose")
	d.tap("Without a proxy ")
	d.loop.Until("the reason", func() bool { return strings.Contains(d.words(), "SOCKS") })
}

func TestUpdatesAreOffUntilAnAddressIsSet(t *testing.T) {
	d := open(t, theme.Light, connection.View{})
	d.tap("Check for updates Off. Keva asks nobody until an address is set.")
	d.fields()[0].SetText("https://example.org/k")
	d.tap("Use this")
	d.loop.Until("the address", func() bool { return strings.Contains(d.words(), "https://example.org/k") })
	if d.f.checks != 0 {
		t.Error("it asked by itself")
	}
	d.f.view.Update = "Never asked"
	d.f.changes <- struct{}{}
	d.loop.Until("the words", func() bool { return strings.Contains(d.words(), "Never asked") })
	d.tap("Check for an update Never asked")
	d.loop.Until("the check", func() bool { return d.f.checks == 1 && !d.checking })
}

func (d *desk) shoot(name string) { uitest.Shoot(d.t, d.win, name) }
