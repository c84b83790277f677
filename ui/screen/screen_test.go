package screen

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/ui/draw"
	"keva/ui/theme"
)

func window(t *testing.T, o fyne.CanvasObject, w, h float32) fyne.Window {
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Options{}))
	win := test.NewTempWindow(t, o)
	win.SetPadded(false)
	win.Resize(fyne.NewSize(w, h))
	return win
}

// A column gives wrapped text the height that it needs at the column's width, in a scroller too: a stock box asks for the
// height first, and paragraphs lie over each other.
func TestColumnKnowsItsWidth(t *testing.T) {
	long := NewPara(strings.Repeat("words that wrap ", 20), draw.Body)
	after := NewPara("after", draw.Body)
	column := Column(10, Pad(16), long, after)
	window(t, Scroll(column).Object(), 300, 200)
	want := long.HeightFor(300 - 32)
	if long.Size().Height != want || want < 5*theme.LineHeight(theme.Body) {
		t.Fatalf("the paragraph has %v, wants %v", long.Size().Height, want)
	}
	if y := after.Position().Y; y != 16+want+10 {
		t.Fatalf("the next one is at %v", y)
	}
	if h := column.Size().Height; h < 16+want+10+after.Size().Height+16 {
		t.Fatalf("the column is %v high", h)
	}
}

// In a line one object gives way, and the others keep their width.
func TestLineShrinksOne(t *testing.T) {
	name, tail := NewShrinking(strings.Repeat("long ", 40), draw.Body), NewText("tail", draw.Body)
	window(t, Line(8, 0, Insets{Left: 10, Right: 10}, name, tail), 200, 40)
	if got := tail.Position().X + tail.Size().Width; got != 190 {
		t.Fatalf("the tail ends at %v", got)
	}
	if name.Size().Width != 200-20-8-tail.MinSize().Width {
		t.Fatalf("the name has %v", name.Size().Width)
	}
}

// A sheet goes by a tap beside it, by Back, and tells once; a tap on it does nothing.
func TestSheetCloses(t *testing.T) {
	win := window(t, Fill(theme.Background), 360, 780)
	closed := 0
	open := func() *Sheet {
		return ShowSheet(win.Canvas(), func() { closed++ }, NewText("Title", SheetTitle))
	}
	s := open()
	test.TapCanvas(win.Canvas(), fyne.NewPos(180, 770))
	if closed != 0 {
		t.Fatal("a tap on the panel closed it")
	}
	test.TapCanvas(win.Canvas(), fyne.NewPos(180, 100))
	s.Close()
	if closed != 1 || win.Canvas().Overlays().Top() != nil {
		t.Fatalf("closed %d times", closed)
	}
	open()
	if !CloseTop(win.Canvas()) || closed != 2 || CloseTop(win.Canvas()) {
		t.Fatal("Back does not close exactly the sheet")
	}
}

// What is in a sheet that is higher than the window can be scrolled to.
func TestHighSheetScrolls(t *testing.T) {
	win := window(t, Fill(theme.Background), 320, 400)
	s := ShowSheet(win.Canvas(), nil, NewPara(strings.Repeat("words ", 800), draw.Body))
	if h := s.scroll.Object().Size().Height; h > 400*0.9 {
		t.Fatalf("the sheet is %v high", h)
	}
	if s.content.Size().Height <= s.scroll.Object().Size().Height {
		t.Fatal("there is nothing to scroll to")
	}
}

func TestPaths(t *testing.T) {
	for _, c := range []struct{ path, home, short, tail string }{
		{"/home/ada/ledger", "/home/ada", "~/ledger", "~/ledger"},
		{"/home/ada", "/home/ada/", "~", "~"},
		{"/home/adam/x", "/home/ada", "/home/adam/x", "/home/adam/x"},
		{"/home/ada/.local/share/keva/projects/demo", "/home/ada", "~/.local/share/keva/projects/demo", "…/projects/demo"},
		{"/srv/x", "", "/srv/x", "/srv/x"},
	} {
		if s, l := Short(c.path, c.home), Tail(c.path, c.home); s != c.short || l != c.tail {
			t.Errorf("%s: %s, %s", c.path, s, l)
		}
	}
}

// Enter and Space press what has the focus; a key without a use goes on to the screen.
func TestTapByKeyboard(t *testing.T) {
	taps, keys := 0, 0
	b := NewIconButton(GlyphGear, "Settings", func() { taps++ })
	win := window(t, b, 100, 100)
	win.Canvas().SetOnTypedKey(func(*fyne.KeyEvent) { keys++ })
	win.Canvas().Focus(b)
	for _, k := range []fyne.KeyName{fyne.KeyReturn, fyne.KeySpace, fyne.KeyEscape} {
		b.TypedKey(&fyne.KeyEvent{Name: k})
	}
	if taps != 2 || keys != 1 {
		t.Fatalf("%d taps, %d keys", taps, keys)
	}
	b.SetDisabled(true)
	test.Tap(b)
	if taps != 2 {
		t.Fatal("a disabled button was pressed")
	}
}
