package chat

import "testing"

// REPORTS O3: the reader is never yanked away, and following comes back when the reader goes to the end.
func TestFollow(t *testing.T) {
	scroll := func(up bool, below float32) func(*follow) { return func(f *follow) { f.scrolled(up, below) } }
	rows := func(n int) func(*follow) { return func(f *follow) { f.appended(n) } }
	touch := func(f *follow) { f.touched() }
	jump := func(f *follow) { f.attach() }
	for _, c := range []struct {
		name   string
		events []func(*follow)
		mode   Mode
		unseen int
	}{
		{"follows at first", nil, Following, 0},
		{"rows do not end following", []func(*follow){rows(3)}, Following, 0},
		{"one notch up during a stream", []func(*follow){scroll(true, 10)}, Free, 0},
		{"up, but there is nothing above", []func(*follow){scroll(true, 0)}, Following, 0},
		{"rows are counted while away", []func(*follow){scroll(true, 300), rows(2), rows(1)}, Free, 3},
		{"down, not to the end", []func(*follow){scroll(true, 300), rows(2), scroll(false, 200)}, Free, 2},
		{"down to the end", []func(*follow){scroll(true, 300), rows(2), scroll(false, 8)}, Following, 0},
		{"jump", []func(*follow){scroll(true, 300), rows(2), jump}, Following, 0},
		{"a card is opened at the end", []func(*follow){touch, rows(2)}, Anchored, 2},
		{"a card is opened further up", []func(*follow){scroll(true, 300), touch}, Free, 0},
		{"anchored, then to the end", []func(*follow){touch, scroll(false, 0)}, Following, 0},
		{"anchored, then away", []func(*follow){touch, scroll(true, 500)}, Free, 0},
	} {
		var f follow
		for _, e := range c.events {
			e(&f)
		}
		if f.mode != c.mode || f.unseen != c.unseen {
			t.Errorf("%s: mode %d, %d unseen, want %d, %d", c.name, f.mode, f.unseen, c.mode, c.unseen)
		}
	}
}
