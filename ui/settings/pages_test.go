package settings

import (
	"errors"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/uitest"
)

func pageWords(o fyne.CanvasObject) string {
	var all []string
	uitest.Walk(o, func(o fyne.CanvasObject) {
		if p, ok := o.(*screen.Para); ok && p.Visible() {
			all = append(all, p.Text())
		}
	})
	return strings.Join(all, "\n")
}

// What the system did not open is said; what was changed there is seen when it is looked at again.
func TestSwitches(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Options{}))
	allowed, fail, reads := false, error(nil), 0
	read := func() []Switch {
		reads++
		says := "Android may stop long runs"
		if allowed {
			says = "Keva may work while the screen is off"
		}
		return []Switch{{Label: "Battery", Says: says, OK: allowed, Open: func() error { return fail }}}
	}
	now := func(f func()) { f() }
	page := Switches("This phone", read, func() {}, now, now)
	w := test.NewTempWindow(t, page)
	w.Resize(fyne.NewSize(360, 780))
	fail = errors.New("no such page")
	test.Tap(uitest.Button(t, page, "Battery Android may stop long runs"))
	if !strings.Contains(pageWords(page), "no such page") {
		t.Error(pageWords(page))
	}
	allowed, fail = true, nil
	test.Tap(uitest.Button(t, page, "Look again"))
	if got := pageWords(page); !strings.Contains(got, "Keva may work") || strings.Contains(got, "no such page") || reads != 3 {
		t.Error(reads, got)
	}
}

func TestLicences(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Options{}))
	shown := ""
	page := Licences([]Licence{
		{"bash", "5.2", func() (string, error) { return "GPL", nil }},
		{"gone", "1", func() (string, error) { return "", errors.New("can't be read") }},
	}, func() {}, func(title, text string) { shown = title + " " + text })
	w := test.NewTempWindow(t, page)
	w.Resize(fyne.NewSize(360, 780))
	test.Tap(uitest.Button(t, page, "bash 5.2"))
	test.Tap(uitest.Button(t, page, "gone 1"))
	if shown != "bash GPL" || !strings.Contains(pageWords(page), "can't be read") {
		t.Error(shown, pageWords(page))
	}
}
