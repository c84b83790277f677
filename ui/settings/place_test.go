package settings

import (
	"context"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/ui/theme"
	"keva/ui/uitest"
)

// placed is a service that knows places.
type placed struct {
	*fake
	list []Place
}

func (p placed) Places(context.Context) []Place { return p.list }

func openPlaced(t *testing.T, v Values, list ...Place) *desk {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Options{}))
	d := &desk{t: t, loop: uitest.NewLoop(t), fake: &fake{values: v, keys: map[string]string{}}}
	d.win = test.NewTempWindow(t, nil)
	d.Screen = New(Deps{
		Service: placed{d.fake, list}, Window: d.win.Canvas, Back: func() {}, Post: d.loop.Post, Go: d.loop.Go,
		Applied: func(v Values) { d.applied = append(d.applied, v) }, Show: func(func(func()) fyne.CanvasObject) {},
	})
	d.win.SetContent(d.Object())
	d.win.Resize(fyne.NewSize(360, 780))
	d.loop.Until("what is installed", func() bool { return d.placesKnown })
	return d
}

var (
	here   = Place{ID: "host", Label: "This computer", Says: "Installed: Claude Code 2.", Ready: true}
	packed = Place{ID: "pack", Label: "The pack", Says: "Not installed. Run `make pack`."}
)

// The place is chosen from what there is, with what is known of each; a check of the other place's engine is forgotten.
func TestPlaceIsChosen(t *testing.T) {
	d := openPlaced(t, Values{}, here, packed)
	d.tap("Check Claude Asks the installed engine for its version")
	d.loop.Until("the version", func() bool { return d.check.version != "" })
	d.tap("Engines from This computer · Installed: Claude Code 2.")
	d.tap("The pack Not installed. Run `make pack`.")
	if d.fake.values.Userland != "pack" {
		t.Fatalf("saved %+v", d.fake.values)
	}
	uitest.Button(t, d.Object(), "Engines from The pack · Not installed. Run `make pack`.")
	uitest.Button(t, d.Object(), "Check Claude Asks the installed engine for its version")
}

// A place that is gone is not shown as chosen, and a phone's only one can't be changed.
func TestOnePlace(t *testing.T) {
	d := openPlaced(t, Values{Userland: "host"}, packed)
	if _, second, _, do, shown := d.placeRow(); !shown || do != nil || second != "The pack · Not installed. Run `make pack`." {
		t.Errorf("%q, tappable %v", second, do != nil)
	}
	none := openPlaced(t, Values{})
	if _, second, _, do, shown := none.placeRow(); !shown || do != nil || second == "" {
		t.Errorf("%q", second)
	}
	if _, _, _, _, shown := open(t, Values{}).placeRow(); shown {
		t.Error("a service that knows no places shows one")
	}
}
