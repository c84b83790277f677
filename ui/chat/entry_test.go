package chat

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/ui/theme"
)

// What is sent must be what was typed, wherever lines happen to break: a stock entry of Fyne 2.8.1 moves the cursor when a
// space hangs over the end of a line.
func TestTypedTextIsKept(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Options{}))
	const text = "the import of the bank statements, and say what you find\nthere "
	for width := float32(100); width < 240; width += 14 {
		e := newEntry(false, nil)
		test.NewTempWindow(t, e).Resize(fyne.NewSize(width, 200))
		for _, r := range text {
			if r == '\n' {
				e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
			} else {
				e.TypedRune(r)
			}
		}
		if e.Text != text {
			t.Fatalf("%v dp: %q", width, e.Text)
		}
		// Another width, other lines: the cursor stays behind the last letter, and Backspace takes that one.
		e.Resize(fyne.NewSize(width*0.7, 200))
		e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyBackspace})
		e.TypedRune('!')
		if want := text[:len(text)-1] + "!"; e.Text != want {
			t.Fatalf("%v dp, narrower: %q", width, e.Text)
		}
	}
}

// REPORTS O2: Enter sends on a hardware keyboard, Shift+Enter and the Return of a touch keyboard break the line.
func TestEnter(t *testing.T) {
	test.NewTempApp(t)
	enter := &fyne.KeyEvent{Name: fyne.KeyReturn}
	for _, c := range []struct {
		name            string
		hardware, shift bool
		sent            int
		text            string
	}{
		{"hardware", true, false, 1, "a"},
		{"hardware with shift", true, true, 0, "a\n"},
		{"touch", false, false, 0, "a\n"},
	} {
		sent := 0
		e := newEntry(c.hardware, func() { sent++ })
		test.NewTempWindow(t, e)
		e.TypedRune('a')
		if c.shift {
			e.KeyDown(&fyne.KeyEvent{Name: "LeftShift"})
		}
		e.TypedKey(enter)
		if c.shift {
			e.KeyUp(&fyne.KeyEvent{Name: "LeftShift"})
		}
		if sent != c.sent || e.Text != c.text {
			t.Errorf("%s: sent %d times, text %q", c.name, sent, e.Text)
		}
	}
}
