// Package card draws the rows of a transcript, and the sheets that ask the user. A card says in one line what happened, how
// much and how long, and opens in place, downward. It must never decide anything: what a row says is what is drawn, and
// what the user does goes out through Actions.
package card

import (
	"time"

	"fyne.io/fyne/v2"

	"keva/ui/draw"
	"keva/ui/markdown"
	"keva/ui/transcript"
)

// Card is the widget of one row. Cards are cheap to make, so a list may drop those that are off the screen.
type Card interface {
	fyne.CanvasObject
	// Set shows the row as it is now; now is for "31 s" of what runs. The row's type and key must not change.
	Set(row transcript.Row, now time.Time)
	// HeightFor is the height at a width, as the row was last Set.
	HeightFor(width float32) float32
}

// Fold keeps what the user has opened (true) or closed (false), by key. What is not in it is as the card's kind has it. The
// list owns it, so that a card that was dropped and made again is as the user left it.
type Fold map[string]bool

// Actions are what cards can ask for. Nil functions are not offered.
type Actions struct {
	Fold Fold
	// Resized tells that the card of the row with this key has another height now, because the user opened or closed a part
	// of it. The card has already drawn itself.
	Resized func(key string)

	OpenURL    func(url string) // the caller shows the address before it leaves the app
	ShowDiff   func(d *transcript.Diff)
	ShowOutput func(title, text string) // the whole of something that was folded
	Copy       func(text string)
}

// open reports whether the part with key is open.
func (a Actions) open(key string, byDefault bool) bool {
	if v, ok := a.Fold[key]; ok {
		return v
	}
	return byDefault
}

// New makes the card of a row.
func New(row transcript.Row, now time.Time, a Actions) Card {
	c := newCard(a)
	c.Set(row, now)
	return c
}

// card is every Card: the row chooses how it is drawn.
type card struct {
	draw.Widget
	row     transcript.Row
	now     time.Time
	actions Actions

	parsed struct {
		source string
		blocks []markdown.Block
	}
}

func newCard(a Actions) *card {
	if a.Fold == nil {
		a.Fold = Fold{}
	}
	c := &card{actions: a}
	c.Init(c, c.draw)
	return c
}

// Set is part of Card.
func (c *card) Set(row transcript.Row, now time.Time) {
	c.row, c.now = row, now
	c.Changed()
}

// toggle opens or closes a part.
func (c *card) toggle(key string, byDefault bool) func() {
	return func() {
		c.actions.Fold[key] = !c.actions.open(key, byDefault)
		c.Changed()
		if c.actions.Resized != nil {
			c.actions.Resized(c.row.Key())
		}
	}
}
