package transcript

import (
	"strings"

	"keva/agent/event"
)

// edit is a tool call that changes files: a Diff row for each file. The rows show what is proposed until it was done, and
// then what was done.
type edit struct {
	step    *step
	scope   string
	rows    []*entry
	changes []event.Change
	result  event.Outcome // of the changes, "" while not told; the tool's own end may come later
	guess   bool          // nothing but the path is known yet
}

// edit returns the edit of a step, or makes it.
func (b *Builder) edit(s *step) *edit {
	if d := b.edits[s.ID]; d != nil {
		return d
	}
	d := &edit{step: s, scope: s.Scope}
	b.edits[s.ID] = d
	if s.Scope == "" {
		s.shown = true
	}
	s.watch(func() { b.refreshEdit(d) })
	return d
}

// showEdit makes sure that an edit of the main agent is seen also while its changes are not known.
func (b *Builder) showEdit(d *edit) {
	if len(d.rows) > 0 {
		return
	}
	d.guess = true
	b.setChanges(d, []event.Change{{Path: d.step.Title, Kind: event.ChangeUnknown}})
}

// setChanges shows changes instead of those that were shown, keeping the rows of the same files in place.
func (b *Builder) setChanges(d *edit, changes []event.Change) {
	old := map[string]*entry{}
	for _, e := range d.rows {
		old[e.row.(*Diff).Path] = e
	}
	var rows []*entry
	kept := map[*entry]bool{}
	for _, c := range changes {
		path := b.rel(c.Path)
		if e := old[path]; e != nil {
			delete(old, path)
			r := *e.row.(*Diff)
			r.Change = c
			b.set(e, &r)
			rows, kept[e] = append(rows, e), true
			continue
		}
		r := &Diff{ID: b.free("diff", d.step.ID+"/"+c.Path), Scope: d.scope, Change: c, Path: path, Mark: d.mark()}
		r.Denied, r.Allowed = d.denied(), d.step.Allowed
		switch {
		case len(rows) > 0:
			rows = append(rows, b.after(rows[len(rows)-1], r))
		case len(d.rows) > 0:
			rows = append(rows, b.insert(d.rows[0].index, &entry{row: r}))
		case d.scope != "":
			rows = append(rows, b.underTree(d.scope, r))
		default:
			rows = append(rows, b.add(r))
		}
	}
	for _, e := range d.rows {
		if !kept[e] {
			b.remove(e)
		}
	}
	d.rows, d.changes = rows, changes
}

func (d *edit) mark() Mark {
	if d.result != "" && (d.step.outcome == "" || d.step.outcome == event.Unknown) {
		return MarkOf(d.result)
	}
	return d.step.mark()
}

func (d *edit) denied() bool { return d.step.Denied || d.step.fate == event.Deny }

// refreshEdit brings the step's state to its rows.
func (b *Builder) refreshEdit(d *edit) {
	for _, e := range d.rows {
		old := e.row.(*Diff)
		r := *old
		r.Mark, r.Denied, r.Allowed = d.mark(), d.denied(), d.step.Allowed
		if d.guess && r.Mark == MarkFailed && r.Change.Note == "" {
			r.Change.Note = firstLine(d.step.Output)
		}
		if r.Mark != old.Mark || r.Denied != old.Denied || r.Allowed != old.Allowed || r.Change.Note != old.Change.Note {
			b.set(e, &r)
		}
	}
}

func (b *Builder) fileChange(e event.Event, f event.FileChange) {
	s := b.steps[f.ID]
	if s == nil {
		s = b.step(e, f.ID, event.ToolEdit)
		b.place(e, s)
	}
	d := b.edit(s)
	d.result = f.Outcome
	if len(f.Changes) > 0 {
		d.guess = false
		b.setChanges(d, b.applied(d.changes, f.Changes))
	}
	s.refresh()
	if f.Outcome == event.Success {
		b.sum(e.Turn).add(f.Changes)
	}
}

// applied is what was done to files, with the proposed hunks where the engine does not send those that it applied.
func (b *Builder) applied(proposed, done []event.Change) []event.Change {
	list := append([]event.Change(nil), done...)
	for i := range list {
		if len(list[i].Hunks) > 0 {
			continue
		}
		for _, p := range proposed {
			if b.rel(p.Path) == b.rel(list[i].Path) && len(p.Hunks) > 0 {
				list[i].Hunks = p.Hunks
				if list[i].Added == 0 && list[i].Removed == 0 {
					list[i].Added, list[i].Removed = p.Added, p.Removed
				}
			}
		}
	}
	return list
}

// fileSum is what a turn changed.
type fileSum struct {
	files          map[string]bool
	added, removed int
}

func (b *Builder) sum(turn string) *fileSum {
	if b.sums[turn] == nil {
		b.sums[turn] = &fileSum{files: map[string]bool{}}
	}
	return b.sums[turn]
}

func (f *fileSum) add(changes []event.Change) {
	for _, c := range changes {
		f.files[c.Path] = true
		f.added += c.Added
		f.removed += c.Removed
	}
}

// firstLine is the first line that says something, cut at 200 bytes or a little before.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			if len(line) > 200 {
				line = strings.ToValidUTF8(line[:200], "") + "…"
			}
			return line
		}
	}
	return ""
}
