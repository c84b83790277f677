package transcript

import "strconv"

// ChangeKind says what a Change does to the list of rows.
type ChangeKind int

// The kinds of change.
const (
	Insert ChangeKind = iota
	Update
	Remove
)

// Change is one step from the old list of rows to the new one. Changes are applied in order; Index is the row's place
// when its turn comes. Row is the new row, or the one that went.
type Change struct {
	Kind  ChangeKind
	Index int
	Row   Row
}

// entry is a row's place in the list.
type entry struct {
	row     Row
	key     string
	build   func() Row // makes the row anew, for rows that are put together from parts; else nil
	index   int        // -1 once it is removed
	version int
	dirty   bool
	since   int  // 1 + the place of its Insert in the changes of this batch, 0 when it is older
	passing bool // will go away by itself, so it does not stand between what is before and after it
	run     *run // the run of steps that it shows, or nil
}

// list keeps the rows in order and remembers what changed since the last flush. Rows are values: a change makes a new one,
// so that a row that was handed out never changes under its reader. Rows made of parts are put together once for each
// flush, however many events touched them.
type list struct {
	entries []*entry
	keys    map[string]*entry
	used    map[string]int // how often an id was asked for, by prefix and id
	changes []Change
	inserts []*entry // of this batch, in the order of their changes; nil for other changes
	dirty   []*entry
}

func newList() list {
	return list{keys: map[string]*entry{}, used: map[string]int{}}
}

// free returns id, or a variant that no other row of this kind has: engines and scripted providers may use an id again.
func (l *list) free(kind, id string) string {
	k := kind + "/" + id
	l.used[k]++
	if n := l.used[k]; n > 1 {
		return l.free(kind, id+"~"+strconv.Itoa(n))
	}
	return id
}

// add appends a row.
func (l *list) add(r Row) *entry { return l.insert(len(l.entries), &entry{row: r}) }

// after inserts a row behind e.
func (l *list) after(e *entry, r Row) *entry { return l.insert(e.index+1, &entry{row: r}) }

func (l *list) insert(at int, e *entry) *entry {
	if e.build != nil {
		e.row = e.build()
	}
	e.key, e.version = e.row.Key(), 1
	l.keys[e.key] = e
	l.entries = append(l.entries, nil)
	copy(l.entries[at+1:], l.entries[at:])
	l.entries[at] = e
	l.number(at)
	l.record(Change{Insert, at, e.row}, e)
	e.since = len(l.changes)
	return e
}

// set replaces a row.
func (l *list) set(e *entry, r Row) {
	e.row = r
	l.touch(e)
}

// touch says that e's row changed, or that one of its parts did.
func (l *list) touch(e *entry) {
	if e != nil && !e.dirty && e.index >= 0 {
		e.dirty = true
		l.dirty = append(l.dirty, e)
	}
}

func (l *list) remove(e *entry) {
	if e == nil || e.index < 0 {
		return
	}
	at := e.index
	l.entries = append(l.entries[:at], l.entries[at+1:]...)
	l.number(at)
	e.index = -1
	delete(l.keys, e.key)
	l.record(Change{Remove, at, e.row}, nil)
}

// number repairs the places from at on. Nearly all changes are near the end, so this is short.
func (l *list) number(at int) {
	for i := at; i < len(l.entries); i++ {
		l.entries[i].index = i
	}
}

func (l *list) record(c Change, inserted *entry) {
	l.changes = append(l.changes, c)
	l.inserts = append(l.inserts, inserted)
}

// flush returns the changes since the last flush. A row that was inserted in this batch comes in its latest form.
func (l *list) flush() []Change {
	for _, e := range l.dirty {
		e.dirty = false
		if e.index < 0 {
			continue
		}
		if e.build != nil {
			e.row = e.build()
		}
		if e.since == 0 {
			e.version++
			l.record(Change{Update, e.index, e.row}, nil)
		} else {
			l.changes[e.since-1].Row = e.row
		}
	}
	for _, e := range l.inserts {
		if e != nil {
			e.since = 0
		}
	}
	changes := l.changes
	l.changes, l.inserts, l.dirty = nil, nil, nil
	return changes
}

// last is the last row that does not go away by itself, or nil.
func (l *list) last() *entry {
	for i := len(l.entries) - 1; i >= 0; i-- {
		if !l.entries[i].passing {
			return l.entries[i]
		}
	}
	return nil
}
