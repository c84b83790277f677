package settings

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/agent/budget"
	"keva/ui/screen"
)

// What can cut a run short is shown from the table that it is enforced from: every entry, with its value and its meaning.
func TestEveryLimitIsShown(t *testing.T) {
	d := open(t, Values{})
	d.tap("Timeouts and limits What can cut a run short, and when")
	if d.shown == nil {
		t.Fatal("no page was opened")
	}
	d.win.SetContent(d.shown)
	d.win.Resize(fyne.NewSize(360, 780))
	var text strings.Builder
	for _, o := range test.LaidOutObjects(d.shown) {
		if p, ok := o.(*screen.Para); ok {
			text.WriteString(p.Text() + "\n")
		}
	}
	for _, b := range budget.All() {
		if !strings.Contains(text.String(), b.Value()) || !strings.Contains(text.String(), b.Meaning) {
			t.Errorf("%s is missing", b.Name)
		}
	}
}
