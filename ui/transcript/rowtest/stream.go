// Package rowtest verifies what must hold for the rows of every stream. Tests of the view model use it, and those that
// replay recordings; it must never be part of the app.
package rowtest

import (
	"encoding/json"
	"fmt"
	"reflect"

	"keva/agent/event"
	"keva/ui/transcript"
)

// Check builds the rows of a stream one event at a time and returns what is wrong, at any prefix of it:
//
//   - the changes that Apply returns don't lead from the old rows to the new ones;
//   - two rows have one key, or a row is not found by its key;
//   - a row that was handed out was changed later;
//   - one call with all events gives other rows than one call for each.
func Check(dir string, evs []event.Event) error {
	one, all := transcript.New(dir), transcript.New(dir)
	var rows []transcript.Row
	given := map[transcript.Row]string{}
	for i, e := range evs {
		changes := one.Apply(e)
		var err error
		if rows, err = follow(rows, changes); err == nil {
			err = consistent(one, rows)
		}
		if err != nil {
			return fmt.Errorf("event %d (%s): %w", i, e.Body.Kind(), err)
		}
		for _, c := range changes {
			given[c.Row] = text(c.Row)
		}
	}
	for r, was := range given {
		if now := text(r); now != was {
			return fmt.Errorf("the row %s was changed after it was handed out:\n%s\n%s", r.Key(), was, now)
		}
	}
	batch, err := follow(nil, all.Apply(evs...))
	if err != nil {
		return fmt.Errorf("all at once: %w", err)
	}
	if len(batch) != len(rows) {
		return fmt.Errorf("all at once gives %d rows, one by one %d", len(batch), len(rows))
	}
	for i := range rows {
		if !reflect.DeepEqual(rows[i], batch[i]) {
			return fmt.Errorf("all at once gives another row %d:\n%s\n%s", i, text(batch[i]), text(rows[i]))
		}
	}
	return nil
}

func text(r transcript.Row) string {
	b, err := json.Marshal(r)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// consistent compares the rows that a screen has made of the changes with the builder's own.
func consistent(b *transcript.Builder, rows []transcript.Row) error {
	if len(rows) != b.Len() {
		return fmt.Errorf("the changes lead to %d rows, there are %d", len(rows), b.Len())
	}
	keys := map[string]bool{}
	for i, r := range rows {
		if r != b.Row(i) {
			return fmt.Errorf("row %d (%s) was not told", i, b.Row(i).Key())
		}
		if keys[r.Key()] {
			return fmt.Errorf("two rows have the key %s", r.Key())
		}
		keys[r.Key()] = true
		if at, ok := b.Index(r.Key()); !ok || at != i || b.Version(r.Key()) == 0 {
			return fmt.Errorf("row %d is not found by its key %s", i, r.Key())
		}
	}
	return nil
}

// follow applies changes to rows as a list on the screen does.
func follow(rows []transcript.Row, changes []transcript.Change) ([]transcript.Row, error) {
	rows = append([]transcript.Row(nil), rows...)
	for _, c := range changes {
		if c.Row == nil || c.Index < 0 || c.Index > len(rows) || (c.Kind != transcript.Insert && c.Index == len(rows)) {
			return nil, fmt.Errorf("a change at %d of %d rows", c.Index, len(rows))
		}
		if c.Kind == transcript.Insert {
			rows = append(rows[:c.Index], append([]transcript.Row{c.Row}, rows[c.Index:]...)...)
			continue
		}
		if was := rows[c.Index].Key(); was != c.Row.Key() {
			return nil, fmt.Errorf("a change of %s met %s", c.Row.Key(), was)
		}
		if c.Kind == transcript.Update {
			rows[c.Index] = c.Row
		} else {
			rows = append(rows[:c.Index], rows[c.Index+1:]...)
		}
	}
	return rows, nil
}
