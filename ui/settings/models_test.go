package settings

import (
	"context"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/ui/uitest"
)

// lists is a service that knows models.
type lists struct {
	*fake
	asked int
}

func (l *lists) KnownModels(_ context.Context, engine, provider string) ModelList {
	return ModelList{Models: []Model{{"", "default"}, {"opus", "Opus"}, {engine + "-" + provider, engine + "-" + provider}}, Says: "Listed yesterday"}
}

func (l *lists) RefreshModels(ctx context.Context, engine, provider string) ModelList {
	l.asked++
	list := l.KnownModels(ctx, engine, provider)
	list.Problem = "The provider refused the key."
	return list
}

// The last known list stays when the provider can't be asked, and why is said.
func TestChooseAModel(t *testing.T) {
	d := open(t, Values{Engine: "claude"})
	l := &lists{fake: d.fake}
	d.deps.Service = l
	page := func() {
		d.tap("Model " + or(d.fake.values.Model, "The engine's default"))
		d.win.SetContent(d.shown)
		d.win.Resize(fyne.NewSize(360, 780))
		d.loop.Until("the list", func() bool { return strings.Contains(pageWords(d.shown), "Opus") })
	}
	page()
	test.Tap(uitest.Button(t, d.shown, "Ask the provider Listed yesterday"))
	d.loop.Until("the answer", func() bool { return strings.Contains(pageWords(d.shown), "refused the key") })
	if !strings.Contains(pageWords(d.shown), "Opus") || l.asked != 1 {
		t.Error(l.asked, pageWords(d.shown))
	}
	test.Tap(uitest.Button(t, d.shown, "Opus opus"))
	if d.fake.values.Model != "opus" {
		t.Errorf("%+v", d.fake.values)
	}
}
