package chat

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"keva/ui/transcript"
)

// box is a row of a fixed height, which the estimate does not know.
type box struct {
	widget.BaseWidget
	height float32
}

func (b *box) HeightFor(float32) float32 { return b.height }
func (b *box) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(&fyne.Container{})
}

// boxes is a source whose rows have heights that only a look tells.
type boxes struct {
	rows    []transcript.Row
	heights map[string]float32
	made    int
}

func (s *boxes) Len() int                                 { return len(s.rows) }
func (s *boxes) Row(i int) transcript.Row                 { return s.rows[i] }
func (s *boxes) Estimate(transcript.Row, float32) float32 { return 50 }
func (s *boxes) View(r transcript.Row, old rowView) rowView {
	if b, ok := old.(*box); ok {
		b.height = s.heights[r.Key()]
		return b
	}
	s.made++
	b := &box{height: s.heights[r.Key()]}
	b.ExtendBaseWidget(b)
	return b
}

func (s *boxes) add(n int) []transcript.Change {
	var changes []transcript.Change
	for range n {
		i := len(s.rows)
		row := &transcript.Notice{ID: fmt.Sprint(i)}
		s.rows = append(s.rows, row)
		s.heights[row.Key()] = float32(30 + (i*37)%140)
		changes = append(changes, transcript.Change{Kind: transcript.Insert, Index: i, Row: row})
	}
	return changes
}

func newBoxes(t testing.TB, n int) (*list, *boxes) {
	test.NewTempApp(t)
	s := &boxes{heights: map[string]float32{}}
	l := newList(s)
	w := test.NewTempWindow(t, l)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(360, 600))
	l.Apply(s.add(n))
	return l, s
}

// where is the place of a row on the screen, false when it is not in the tree.
func (l *list) where(key string) (float32, bool) {
	for i, k := range l.body.keys {
		if k == key {
			return l.body.objects[i].Position().Y - l.scroll.Offset.Y, true
		}
	}
	return 0, false
}

func (l *list) atEnd(t *testing.T) {
	t.Helper()
	if b := l.below(); b < -0.5 || b > 0.5 {
		t.Fatalf("the end is %v below the view", b)
	}
	last := len(l.body.objects) - 1
	if l.body.keys[last] != l.src.Row(l.src.Len()-1).Key() {
		t.Fatal("the last row is not shown")
	}
}

func wheel(l *list, dy float32) { l.scroll.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, dy)}) }

// REPORTS O1: a session of thousands of rows has only those in the tree that can be seen, and measures no others.
func TestOnlyVisibleRowsAreMade(t *testing.T) {
	l, s := newBoxes(t, 5000)
	l.atEnd(t)
	if s.made > 40 || len(l.body.objects) > 40 {
		t.Fatalf("%d rows were made, %d are in the tree", s.made, len(l.body.objects))
	}
}

// The reader's place holds while rows arrive, and while rows above turn out higher or lower than estimated.
func TestReaderIsNotMoved(t *testing.T) {
	l, s := newBoxes(t, 400)
	for range 60 {
		wheel(l, 90)
	}
	if l.Mode() != Free {
		t.Fatalf("mode %d after scrolling up", l.Mode())
	}
	key := l.body.keys[len(l.body.keys)/2]
	before, _ := l.where(key)
	for range 30 {
		l.Apply(s.add(1))
		if now, ok := l.where(key); !ok || now != before {
			t.Fatalf("the row was at %v, is at %v", before, now)
		}
	}
	// One step of the wheel moves the rows by that step, though rows above are measured now.
	for range 20 {
		key = l.body.keys[len(l.body.keys)/2]
		before, _ = l.where(key)
		wheel(l, 40)
		if now, _ := l.where(key); now < before+39.5 || now > before+40.5 {
			t.Fatalf("a step of 40 moved the row by %v", now-before)
		}
	}
}

// Following sees every new row; the jump button comes only away from the end, says how much is new, and leads back.
func TestFollowAndJump(t *testing.T) {
	l, s := newBoxes(t, 100)
	for range 20 {
		l.Apply(s.add(1))
		l.atEnd(t)
	}
	if l.jump.Visible() {
		t.Fatal("the jump button is shown at the end")
	}
	wheel(l, 300)
	l.Apply(s.add(3))
	if !l.jump.Visible() || l.label.Text() != "3 new" {
		t.Fatalf("jump shown: %v, %q", l.jump.Visible(), l.label.Text())
	}
	test.Tap(l.jump)
	l.atEnd(t)
	l.Apply(s.add(1))
	l.atEnd(t)
	if l.jump.Visible() {
		t.Fatal("the jump button stays after the jump")
	}
}

// Opening a card keeps its header where the finger is, also at the end of what is followed.
func TestOpeningACardHoldsItsHeader(t *testing.T) {
	l, s := newBoxes(t, 100)
	key := l.body.keys[len(l.body.keys)-2]
	before, _ := l.where(key)
	s.heights[key] += 500
	l.Touched(key)
	if now, ok := l.where(key); !ok || now != before {
		t.Fatalf("the header was at %v, is at %v", before, now)
	}
	l.Apply(s.add(1))
	if now, _ := l.where(key); now != before {
		t.Fatal("a new row moved the opened card")
	}
	l.ToEnd()
	l.atEnd(t)
}

// Another width breaks lines elsewhere; the row at the top stays the one that is read.
func TestTurningTheDeviceKeepsThePlace(t *testing.T) {
	l, s := newBoxes(t, 400)
	for range 60 {
		wheel(l, 90)
	}
	top := l.heights.at(l.scroll.Offset.Y - margin)
	for k := range s.heights {
		s.heights[k] *= 0.6
	}
	l.Resize(fyne.NewSize(640, 320))
	if now := l.heights.at(l.scroll.Offset.Y - margin); now != top {
		t.Fatalf("row %d was at the top, now %d", top, now)
	}
	// And while following, the end stays in view.
	l.ToEnd()
	l.Resize(fyne.NewSize(360, 600))
	l.atEnd(t)
}

// Rows that go, and rows that come in between, leave the rest in order.
func TestRowsComeAndGo(t *testing.T) {
	l, s := newBoxes(t, 30)
	gone := s.rows[10]
	s.rows = append(s.rows[:10], s.rows[11:]...)
	l.Apply([]transcript.Change{{Kind: transcript.Remove, Index: 10, Row: gone}})
	l.atEnd(t)
	if l.heights.len() != 29 || l.views[gone.Key()] != nil {
		t.Fatal("the row is still there")
	}
	for range 40 {
		wheel(l, 200)
	}
	if l.scroll.Offset.Y != 0 || l.body.keys[0] != s.rows[0].Key() {
		t.Fatalf("the first row is not at the top: %v", l.scroll.Offset.Y)
	}
}

func BenchmarkOpen5000Rows(b *testing.B) {
	for b.Loop() {
		l, _ := newBoxes(b, 5000)
		_ = l
	}
}
