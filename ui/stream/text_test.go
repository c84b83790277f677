package stream

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"github.com/rivo/uniseg"

	"keva/ui/draw"
	"keva/ui/theme"
)

func setup(t testing.TB) fyne.App {
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Options{Mode: theme.Light}))
	return app
}

// graphemes cuts text into n to 2n graphemes a piece, as a pacer does.
func graphemes(text string, r *rand.Rand, n int) []string {
	var pieces []string
	g := uniseg.NewGraphemes(text)
	piece, left := "", n
	for g.Next() {
		piece += g.Str()
		if left--; left <= 0 {
			pieces, piece, left = append(pieces, piece), "", 1+r.IntN(2*n)
		}
	}
	return append(pieces, piece)
}

var texts = map[string]string{
	"prose":      strings.Repeat("The zone was dropped when the layout changed, so every date moved. ", 20),
	"paragraphs": strings.Repeat("One line.\n\nAnother, which is longer than the width of the widget.\n", 10),
	"long word":  strings.Repeat("averyveryverylongidentifierwithoutanybreak_", 30) + " end",
	"paths":      strings.Repeat("/data/app/keva/files/userland/usr/lib/node_modules/ see ", 15),
	"cjk":        strings.Repeat("日本語の文章には空白がない。「それでも」行は折れる、", 15),
	"emoji":      strings.Repeat("👩‍👩‍👧‍👦👍🏽🇩🇪 text ", 30),
	"tabs":       strings.Repeat("a\tb\tccc\n", 20),
	"spaces":     "x" + strings.Repeat(" ", 300) + "y",
	"empty end":  "abc\n\n\n",
}

// However the text arrives, the lines are those of the whole text; and none is wider than the widget.
func TestLinesDoNotDependOnPieces(t *testing.T) {
	setup(t)
	r := rand.New(rand.NewPCG(1, 1))
	for name, text := range texts {
		for _, width := range []float32{80, 296, 700} {
			want := draw.Wrap(text, draw.Body, width)
			for _, n := range []int{1, 5, 40, 1 << 20} {
				s := New(draw.Body)
				s.Resize(fyne.NewSize(width, 100))
				for _, p := range graphemes(text, r, n) {
					s.Append(p)
				}
				if !slices.Equal(s.lines, want) {
					t.Fatalf("%s at %v in pieces of %d:\n%q\nwant\n%q", name, width, n, s.lines, want)
				}
			}
			for _, l := range want {
				if w := draw.Width(strings.TrimRight(l, " "), draw.Body); w > width+2 {
					t.Errorf("%s at %v: line %q is %v wide", name, width, l, w)
				}
			}
		}
	}
}

// drawn are the lines on the screen.
func drawn(s *Text) (lines []string, caret *canvas.Rectangle) {
	for _, o := range test.WidgetRenderer(s).Objects() {
		switch o := o.(type) {
		case *canvas.Text:
			lines = append(lines, o.Text)
		case *canvas.Rectangle:
			caret = o
		}
	}
	return lines, caret
}

// What is on the screen is what was appended, through changes of width, text size and theme.
func TestScreenFollows(t *testing.T) {
	app := setup(t)
	s := New(draw.Body)
	s.SetCaret(true)
	s.Resize(fyne.NewSize(300, 100))
	check := func(what string, width float32) {
		t.Helper()
		lines, caret := drawn(s)
		if want := draw.Wrap(s.Text(), draw.Body, width); !slices.Equal(lines, want) {
			t.Fatalf("%s: on the screen is\n%q\nwant\n%q", what, lines, want)
		}
		last := float32(len(lines)-1) * theme.LineHeight(theme.Body)
		if caret == nil || caret.Position().Y < last || caret.Position().Y > last+theme.LineHeight(theme.Body) {
			t.Errorf("%s: the caret is not on the last line", what)
		}
		if caret.Position().X+caret.Size().Width > width+0.5 {
			t.Errorf("%s: the caret is outside", what)
		}
		if got, want := s.HeightFor(width), float32(len(lines))*theme.LineHeight(theme.Body); got != want {
			t.Errorf("%s: height %v, want %v", what, got, want)
		}
	}
	for _, p := range graphemes(texts["prose"], rand.New(rand.NewPCG(3, 3)), 7) {
		s.Append(p)
		check("append", 300)
	}
	s.Resize(fyne.NewSize(180, 100))
	check("narrow", 180)
	color := func() any { return test.WidgetRenderer(s).Objects()[0].(*canvas.Text).Color }
	light := color()
	app.Settings().SetTheme(theme.New(theme.Options{Mode: theme.Dark, Scale: theme.Huge}))
	s.Refresh()
	check("huge", 180)
	if color() == light {
		t.Error("the text kept the colour of the old theme")
	}
	s.SetText(s.Text() + " more")
	check("goes on", 180)
	s.SetText("corrected")
	check("corrected", 180)
}

// A piece costs the same at the end of a long text as at that of a short one.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			setup(b)
			r := rand.New(rand.NewPCG(1, 1))
			s := New(draw.Body)
			s.SetCaret(true)
			s.Resize(fyne.NewSize(336, 100))
			word := func() string {
				w := make([]byte, 2+r.IntN(9))
				for i := range w {
					w[i] = byte('a' + r.IntN(26))
				}
				return string(w) + " "
			}
			for s.all.Len() < n {
				var piece strings.Builder
				for range 100 {
					piece.WriteString(word())
				}
				s.Append(piece.String())
			}
			test.WidgetRenderer(s)
			for b.Loop() {
				s.Append(word())
			}
		})
	}
}
