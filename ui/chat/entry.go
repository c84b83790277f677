package chat

import (
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"keva/ui/draw"
)

// maxRows is how far the entry of the composer grows before it scrolls.
const maxRows = 5

// entry is the text of the composer. On a hardware keyboard Enter sends and Shift+Enter breaks the line; on a touch
// keyboard Enter breaks the line, since there is no other way to (REPORTS O2).
type entry struct {
	widget.Entry
	enterSends bool
	shift      bool
	submit     func()
	paste      func(text string) bool // takes a text that is pasted; false leaves it to the entry

	hangs         bool // the cursor is at pos, though it is drawn at row and col
	pos, row, col int
}

func newEntry(enterSends bool, submit func()) *entry {
	e := &entry{enterSends: enterSends, submit: submit}
	e.MultiLine, e.Wrapping = true, fyne.TextWrapWord
	e.ExtendBaseWidget(e)
	e.SetMinRowsVisible(1)
	return e
}

// KeyDown is part of desktop.Keyable.
func (e *entry) KeyDown(k *fyne.KeyEvent) {
	if isShift(k) {
		e.shift = true
	}
	e.Entry.KeyDown(k)
}

// KeyUp is part of desktop.Keyable.
func (e *entry) KeyUp(k *fyne.KeyEvent) {
	if isShift(k) {
		e.shift = false
	}
	e.Entry.KeyUp(k)
}

// FocusLost forgets a Shift key whose release goes elsewhere.
func (e *entry) FocusLost() {
	e.shift = false
	e.Entry.FocusLost()
}

// AcceptsTab lets Tab go to the next control: prompts are rarely indented, and the keyboard would be caught.
func (e *entry) AcceptsTab() bool { return false }

func isShift(k *fyne.KeyEvent) bool { return k.Name == "LeftShift" || k.Name == "RightShift" }

// TypedKey is part of fyne.Focusable.
func (e *entry) TypedKey(k *fyne.KeyEvent) {
	switch k.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		if e.enterSends && !e.shift {
			e.submit()
			return
		}
	}
	if draw.GoesBack(k) {
		draw.Unhandled(e, k)
		return
	}
	e.keepCursor(k.Name == fyne.KeyDelete, func() { e.Entry.TypedKey(k) })
}

// TypedRune is part of fyne.Focusable.
func (e *entry) TypedRune(r rune) { e.keepCursor(false, func() { e.Entry.TypedRune(r) }) }

// TypedShortcut is part of fyne.Shortcutable.
func (e *entry) TypedShortcut(s fyne.Shortcut) {
	if p, ok := s.(*fyne.ShortcutPaste); ok && e.paste != nil && p.Clipboard != nil && e.paste(p.Clipboard.Content()) {
		return
	}
	e.keepCursor(false, func() { e.Entry.TypedShortcut(s) })
}

// Resize keeps the cursor at its letter while lines break elsewhere.
func (e *entry) Resize(size fyne.Size) {
	if size == e.Size() {
		return
	}
	pos := e.offset()
	e.Entry.Resize(size)
	e.place(pos)
}

// keepCursor runs an input and puts the cursor behind it. A stock entry that wraps loses its place when a space hangs over
// the end of a line (seen in Fyne 2.8.1): the next letter lands before the space, or far from it, and the text that is
// sent is not the one that was typed.
func (e *entry) keepCursor(forward bool, input func()) {
	before, pos, selected := e.Text, e.offset(), e.SelectedText() != ""
	e.aim(pos)
	input()
	e.hangs = false
	if e.Text == before || selected {
		return
	}
	if !forward { // what stood behind the cursor still does
		pos += utf8.RuneCountInString(e.Text) - utf8.RuneCountInString(before)
	}
	e.place(pos)
}

// offset is where the cursor is, in letters, also behind a space that hangs over the end of its line.
func (e *entry) offset() int {
	if e.hangs && e.CursorRow == e.row && e.CursorColumn == e.col {
		return e.pos
	}
	return e.CursorTextOffset()
}

// place puts the cursor before the letter at pos. A refresh cuts it back to the end of its line; then the true place is
// kept beside it until something else moves it.
func (e *entry) place(pos int) {
	row, col := e.CursorRow, e.CursorColumn
	e.aim(pos)
	if e.CursorRow != row || e.CursorColumn != col {
		e.Entry.Refresh()
	}
	e.hangs = e.CursorTextOffset() != pos
	e.pos, e.row, e.col = pos, e.CursorRow, e.CursorColumn
}

// aim sets row and column for the letter at pos.
func (e *entry) aim(pos int) {
	begin := func(r int) int {
		e.CursorRow, e.CursorColumn = r, 0
		return e.CursorTextOffset() // 0 for a row that does not exist
	}
	r, at := 0, 0
	for next := begin(1); next > at && next <= pos; next = begin(r + 1) {
		r, at = r+1, next
	}
	e.CursorRow, e.CursorColumn = r, pos-at
}

// rowsFor is how many lines the text takes at a width, at most maxRows.
func rowsFor(text string, width float32) int {
	n := 0
	for _, para := range strings.SplitN(text, "\n", maxRows+1) {
		// More than this is more than maxRows on any screen; a pasted file must not be measured at each key.
		para = para[:min(len(para), 1200)]
		n += len(draw.Wrap(para, draw.Body, width))
		if n >= maxRows {
			return maxRows
		}
	}
	return max(n, 1)
}
