package mark

import (
	"image"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/test"

	"keva/ui/theme"
	"keva/ui/transcript"
)

func setup(t *testing.T, o theme.Options) fyne.App {
	t.Helper()
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(o))
	return app
}

// picture draws an object on the ground of a page, at twice the size.
func picture(t *testing.T, o fyne.CanvasObject, w, h float32) image.Image {
	t.Helper()
	ground := canvas.NewRectangle(theme.Color(theme.Background))
	ground.Resize(fyne.NewSize(w, h))
	win := test.NewTempWindow(t, container.NewWithoutLayout(ground, o))
	win.SetPadded(false)
	win.Canvas().(software.WindowlessCanvas).SetScale(2)
	win.Resize(fyne.NewSize(w, h))
	return win.Canvas().Capture()
}

// State is told by shape, not only by colour: no two marks have the same shape, and none is empty.
func TestShapesDiffer(t *testing.T) {
	setup(t, theme.Options{Mode: theme.Light})
	shapes := map[State][]bool{}
	for _, s := range States() {
		m := New(s)
		m.Resize(fyne.NewSquareSize(28))
		img := picture(t, m, 28, 28)
		ground := img.At(0, 0)
		var shape []bool
		inked := 0
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				on := img.At(x, y) != ground
				shape = append(shape, on)
				if on {
					inked++
				}
			}
		}
		if inked < 100 || inked > len(shape)*2/3 {
			t.Errorf("%s has %d of %d points", s, inked, len(shape))
		}
		for other, o := range shapes {
			differ := 0
			for i := range o {
				if o[i] != shape[i] {
					differ++
				}
			}
			if differ < 150 {
				t.Errorf("%s and %s differ in %d points", s, other, differ)
			}
		}
		shapes[s] = shape
	}
}

// I-2: a word that nobody knows is unknown: not done, not grey.
func TestUnknownWordIsUnknown(t *testing.T) {
	if Word("from the future") != "unknown" || Color("from the future") != theme.Unknown || ToneOf("from the future") != Unclear {
		t.Error("an unknown state passes for something else")
	}
	words := map[string]bool{}
	for _, s := range States() {
		words[Word(s)] = true
	}
	if len(words) != len(States()) {
		t.Error("two states have the same word")
	}
}

// stepper is a timer that runs when the test says so.
type stepper struct{ due []func() }

func (s *stepper) after(_ time.Duration, f func()) { s.due = append(s.due, f) }

func (s *stepper) step() {
	due := s.due
	s.due = nil
	for _, f := range due {
		f()
	}
}

func turnWith(t *testing.T, s *stepper) {
	TurnWith(s.after)
	t.Cleanup(func() { *turning = turner{rings: map[*markRenderer]int{}} })
}

// A running mark turns while it is painted, and the timer ends when it is not, or when nothing runs: nothing wakes an
// idle screen.
func TestTurning(t *testing.T) {
	setup(t, theme.Options{})
	s := &stepper{}
	turnWith(t, s)
	m := New(transcript.MarkRunning)
	w := test.NewTempWindow(t, m)
	w.Canvas().Capture()
	if len(s.due) != 1 {
		t.Fatalf("%d timers for one mark", len(s.due))
	}
	for i := range 20 {
		s.step()
		if m.turn != float32((i+1)*turnBy%360) {
			t.Fatalf("after %d steps it has turned by %v", i+1, m.turn)
		}
		w.Canvas().Capture()
	}
	for range unseenTill + 1 { // not painted any more
		s.step()
	}
	if len(s.due) != 0 {
		t.Fatal("the timer goes on for a mark that nobody sees")
	}
	w.Canvas().Capture()
	if len(s.due) != 1 {
		t.Fatal("it does not turn again when it is seen again")
	}
	m.Set(transcript.MarkDone)
	for range unseenTill + 2 {
		w.Canvas().Capture()
		s.step()
	}
	if len(s.due) != 0 {
		t.Error("the timer goes on although nothing runs")
	}
}

func TestReducedMotionStandsStill(t *testing.T) {
	setup(t, theme.Options{ReducedMotion: true})
	s := &stepper{}
	turnWith(t, s)
	m := New(transcript.MarkRunning)
	test.NewTempWindow(t, m).Canvas().Capture()
	if len(s.due) != 0 || m.turn != 0 {
		t.Error("it turns although the user asked for no motion")
	}
}

func TestButtons(t *testing.T) {
	for _, scale := range theme.Scales() {
		setup(t, theme.Options{Scale: scale})
		tapped := 0
		for _, k := range []Kind{Primary, Secondary, Danger, Quiet} {
			for _, b := range []*Button{NewButton("Go", k, func() { tapped++ }), NewBigButton("Go", k, func() { tapped++ })} {
				if m := b.MinSize(); m.Width < theme.Touch || m.Height < theme.Touch {
					t.Errorf("a button of kind %d is %v to the finger", k, m)
				}
				tapped = 0
				test.Tap(b)
				b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
				b.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
				b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
				if tapped != 3 {
					t.Errorf("tapped %d times of 3", tapped)
				}
				b.Disable()
				test.Tap(b)
				b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
				if tapped != 3 {
					t.Error("a disabled button was pressed")
				}
			}
		}
	}
}
