package settings

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/agent/trust"
	"keva/ui/uitest"
)

// DESIGN §7: what was allowed is listed, and can be taken back.
func TestConsentsAreTakenBack(t *testing.T) {
	d := open(t, Values{})
	d.fake.consents = []trust.Consent{
		{Dir: "/home/ada/ledger", Hash: "h", Entries: []trust.Entry{{Text: "make hooks"}}},
		{Dir: "/home/ada/notes", Hash: "i", Entries: []trust.Entry{{Text: "CI=1"}, {Text: "Bash(npm test:*)"}}},
	}
	d.tap("Allowed projects What they may do by themselves")
	d.win.SetContent(d.shown)
	d.win.Resize(fyne.NewSize(360, 780))
	test.Tap(uitest.Button(t, d.shown, "Take back"))
	if len(d.fake.consents) != 1 || d.fake.consents[0].Dir != "/home/ada/notes" {
		t.Fatalf("left: %+v", d.fake.consents)
	}
}
