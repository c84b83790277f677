package chat

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// rowView is one row as a widget. Its height follows from its width.
type rowView interface {
	fyne.CanvasObject
	HeightFor(width float32) float32
}

// source is what the list shows. Only rows in view are ever asked for a widget.
type source interface {
	Len() int
	// Row is row i as it is shown now.
	Row(i int) transcript.Row
	// View makes the widget of a row, or brings old, which shows an earlier state of the row, up to date and returns it.
	View(row transcript.Row, old rowView) rowView
	// Estimate guesses the height of a row that was never in view.
	Estimate(row transcript.Row, width float32) float32
}

// Room in the list, in dp.
const (
	rowGap   = theme.Space2
	margin   = theme.Space3
	overscan = 160 // rows this far outside of the view stay in the tree, so that a scroll step finds them
	kept     = 96  // views that are kept after they left the view, with what was opened in them
)

// list is a virtual list of rows of unequal height. Rows outside of the view are not in the tree. It holds the reader's
// place: heights that become known above the view move nothing on the screen.
type list struct {
	widget.BaseWidget
	src    source
	scroll *container.Scroll
	body   *listBody
	jump   *screen.Tap
	label  *screen.Text

	heights heights
	follow  follow
	views   map[string]*listView
	clock   int // counts arrangements, to know which views were not used for long

	width  float32      // of a row; heights are known for it
	look   *theme.Theme // and for this theme
	place  anchor
	moving bool // the list scrolls, not the reader
	last   float32
}

type listView struct {
	rowView
	used  int
	stale bool // the row has changed since
}

// anchor is the row that keeps its place on the screen.
type anchor struct {
	row int
	off float32 // of the top of the row below the top of the view
}

func newList(src source) *list {
	l := &list{src: src, views: map[string]*listView{}}
	l.body = &listBody{}
	l.body.ExtendBaseWidget(l.body)
	l.scroll = container.NewVScroll(l.body)
	l.scroll.OnScrolled = l.scrolled
	l.label = screen.NewText("", screen.LinkStyle)
	l.jump = newJump(l)
	l.jump.Hide()
	l.ExtendBaseWidget(l)
	return l
}

// Apply tells what has changed in the source, in order.
func (l *list) Apply(changes []transcript.Change) {
	if len(changes) == 0 {
		return
	}
	added := 0
	for _, c := range changes {
		switch c.Kind {
		case transcript.Insert:
			l.heights.insert(c.Index, l.src.Estimate(c.Row, l.width)+rowGap)
			added++
			if c.Index <= l.place.row && l.follow.mode != Following {
				l.place.row++
			}
		case transcript.Update:
			l.heights.known[c.Index] = false
			if v := l.views[c.Row.Key()]; v != nil {
				v.stale = true
			}
		case transcript.Remove:
			l.heights.remove(c.Index)
			delete(l.views, c.Row.Key())
			if c.Index < l.place.row {
				l.place.row--
			}
		}
	}
	l.follow.appended(added)
	l.arrange()
}

// Touched tells that the reader has opened or closed something in row key: its header stays where it is.
func (l *list) Touched(key string) {
	l.follow.touched()
	for i := l.body.first; i < l.body.first+len(l.body.keys); i++ {
		if l.body.keys[i-l.body.first] == key {
			l.place = anchor{i, l.top(i) - l.scroll.Offset.Y}
			l.heights.known[i] = false
		}
	}
	l.arrange()
}

// Refreshed brings the rows in view up to date, e.g. how long something runs.
func (l *list) Refreshed() {
	for i, key := range l.body.keys {
		if v := l.views[key]; v != nil {
			v.stale = true
			l.heights.known[l.body.first+i] = false
		}
	}
	l.arrange()
}

// ToEnd follows the end from now on.
func (l *list) ToEnd() {
	l.follow.attach()
	l.arrange()
}

// Mode is what the list does when rows arrive.
func (l *list) Mode() Mode { return l.follow.mode }

// top is where row i begins in the body.
func (l *list) top(i int) float32 { return margin + l.heights.top(i) }

func (l *list) total() float32 { return margin + l.heights.total() + margin - rowGap }

// below is how far the end is below the view.
func (l *list) below() float32 { return l.total() - l.scroll.Offset.Y - l.scroll.Size().Height }

// scrolled is called by the scroller, also for moves of our own.
func (l *list) scrolled(p fyne.Position) {
	if l.moving {
		return
	}
	up := p.Y < l.last
	l.last = p.Y
	l.follow.scrolled(up, l.below())
	if l.follow.mode != Following {
		i := l.heights.at(p.Y - margin)
		l.place = anchor{i, l.top(i) - p.Y}
	}
	l.arrange()
}

// arrange measures what is in view, keeps the reader's place and puts the visible rows into the tree.
func (l *list) arrange() {
	size := l.scroll.Size()
	if size.Width < 1 || size.Height < 1 {
		return
	}
	w := min(size.Width, theme.ChatMax) - 2*margin
	if look := theme.Current(); w != l.width || look != l.look {
		l.width, l.look = w, look
		for i := range l.heights.rows { // keep the old heights as estimates
			l.heights.known[i] = false
		}
		for _, v := range l.views {
			v.stale = true
		}
	}
	l.clock++
	n := l.heights.len()
	offset := float32(0)
	for range 32 { // each pass measures rows that the one before has brought into view
		offset = l.offset(size.Height)
		from, to := l.span(offset-overscan, offset+size.Height+overscan)
		changed := false
		for i := from; i < to; i++ {
			if !l.heights.known[i] {
				changed = l.heights.set(i, l.view(i).HeightFor(w)+rowGap, true) != 0 || changed
			}
		}
		if !changed {
			break
		}
	}
	offset = l.offset(size.Height)
	from, to := 0, 0
	if n > 0 {
		from, to = l.span(offset-overscan, offset+size.Height+overscan)
	}
	l.show(from, to, (size.Width-w)/2, w)
	l.moving = true
	l.body.set(fyne.NewSize(size.Width, l.total()))
	l.scroll.Offset = fyne.NewPos(0, offset)
	l.scroll.Refresh()
	l.moving, l.last = false, l.scroll.Offset.Y
	l.drop()
	l.showJump()
}

// offset is where the view begins, by the mode.
func (l *list) offset(height float32) float32 {
	end := max(0, l.total()-height)
	if l.follow.mode == Following || l.heights.len() == 0 {
		return end
	}
	l.place.row = min(l.place.row, l.heights.len()-1)
	return min(end, max(0, l.top(l.place.row)-l.place.off))
}

// span is the range of rows between two places in the body.
func (l *list) span(from, to float32) (int, int) {
	n := l.heights.len()
	if n == 0 {
		return 0, 0
	}
	return l.heights.at(from - margin), min(n, l.heights.at(to-margin)+1)
}

// view returns the up-to-date widget of row i.
func (l *list) view(i int) rowView {
	row := l.src.Row(i)
	key := row.Key()
	v := l.views[key]
	switch {
	case v == nil:
		v = &listView{rowView: l.src.View(row, nil)}
		l.views[key] = v
	case v.stale:
		v.rowView, v.stale = l.src.View(row, v.rowView), false
	}
	v.used = l.clock
	return v.rowView
}

func (l *list) show(from, to int, x, w float32) {
	l.body.objects, l.body.keys, l.body.first = l.body.objects[:0], l.body.keys[:0], from
	for i := from; i < to; i++ {
		v := l.view(i)
		v.Move(fyne.NewPos(x, l.top(i)))
		v.Resize(fyne.NewSize(w, l.heights.rows[i]-rowGap))
		l.body.objects, l.body.keys = append(l.body.objects, v), append(l.body.keys, l.src.Row(i).Key())
	}
}

// drop forgets views that were not in view for long.
func (l *list) drop() {
	if len(l.views) <= len(l.body.objects)+kept {
		return
	}
	for key, v := range l.views {
		if v.used < l.clock-kept {
			delete(l.views, key)
		}
	}
}

// CreateRenderer is part of fyne.Widget.
func (l *list) CreateRenderer() fyne.WidgetRenderer { return &listRenderer{l} }

type listRenderer struct{ l *list }

func (r *listRenderer) Layout(size fyne.Size) {
	r.l.scroll.Resize(size)
	r.l.layoutJump()
	r.l.arrange()
}
func (r *listRenderer) MinSize() fyne.Size { return fyne.NewSize(theme.Touch, theme.Touch) }
func (r *listRenderer) Refresh()           { r.l.arrange() }
func (r *listRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.l.scroll, r.l.jump}
}
func (r *listRenderer) Destroy() {}

// listBody holds the visible rows. It asks for the height of all rows.
type listBody struct {
	widget.BaseWidget
	size    fyne.Size
	objects []fyne.CanvasObject
	keys    []string
	first   int
}

func (b *listBody) set(size fyne.Size) {
	b.size = size
	b.Resize(size)
}

// CreateRenderer is part of fyne.Widget.
func (b *listBody) CreateRenderer() fyne.WidgetRenderer { return &bodyRenderer{b} }

type bodyRenderer struct{ b *listBody }

func (r *bodyRenderer) Layout(fyne.Size)             {}
func (r *bodyRenderer) MinSize() fyne.Size           { return fyne.NewSize(1, r.b.size.Height) }
func (r *bodyRenderer) Refresh()                     { canvas.Refresh(r.b) }
func (r *bodyRenderer) Objects() []fyne.CanvasObject { return r.b.objects }
func (r *bodyRenderer) Destroy()                     {}
