package card

import (
	"path"
	"strconv"

	"fyne.io/fyne/v2"

	"keva/agent/event"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// foldDiff is how many lines of a change are shown in the transcript.
const foldDiff = 40

// diff draws the change of one file.
func (c *card) diff(b *draw.Board, r *transcript.Diff) float32 {
	layer := b.Layer()
	key := r.Key()
	lines := 0
	for _, h := range r.Change.Hunks {
		lines += 1 + len(h.Lines)
	}
	open := c.actions.open(key, !r.Denied)
	l := line{id: key, mark: r.Mark, text: fileName(r), right: diffResult(r), fold: lines > 0 || r.Change.Note != "", open: open}
	if r.Mark == transcript.MarkUnknown {
		l.tag, l.tone = "unknown", mark.Unclear
	}
	if l.fold {
		l.tap = c.toggle(key, !r.Denied)
	}
	y := c.header(b, l)
	if !open || !l.fold {
		return surface(b, layer, y)
	}
	b.Rule(1, y, b.Width-2)
	y++
	if r.Change.Note != "" {
		y += theme.Space2
		y += b.Lines(pad, y, b.Width-2*pad, upper(visible(head(r.Change.Note))), draw.Secondary) + theme.Space2
	}
	var cut bool
	y, cut = hunks(b, 1, y, b.Width-2, r.Change.Hunks, foldDiff, false)
	if (cut || clipped(r.Change.Hunks, b.Width-2, foldDiff)) && c.actions.ShowDiff != nil {
		return surface(b, layer, c.link(b, y, "whole", "Show whole change", func() { c.actions.ShowDiff(r) }))
	}
	return surface(b, layer, y+theme.Space1)
}

// fileName is the name, bold, and what happened to it when it was not just changed.
func fileName(r *transcript.Diff) []draw.Span {
	name := r.Path
	if name == "" {
		name = r.Change.Path
	}
	bold := draw.Mono
	bold.Bold = true
	spans := []draw.Span{{Text: one(path.Base(name)), Style: bold}}
	switch r.Change.Kind {
	case event.ChangeAdd:
		spans = append(spans, draw.Span{Text: "  new", Style: draw.Secondary})
	case event.ChangeDelete:
		spans = append(spans, draw.Span{Text: "  deleted", Style: draw.Secondary})
	case event.ChangeMove:
		spans = append(spans, draw.Span{Text: "  → " + one(path.Base(r.Change.MovedTo)), Style: draw.Secondary})
	case event.ChangeUnknown:
		spans = append(spans, draw.Span{Text: "  changed somehow", Style: draw.Secondary})
	case event.ChangeUpdate:
	}
	if dir := path.Dir(name); dir != "." && dir != "/" {
		spans = append(spans, draw.Span{Text: "  " + one(dir), Style: draw.Secondary})
	}
	return spans
}

func diffResult(r *transcript.Diff) []draw.Span {
	switch {
	case r.Denied:
		return words("denied", draw.Secondary)
	case r.Mark == transcript.MarkWaiting:
		return append(tally(r.Change.Added, r.Change.Removed), draw.Span{Text: "  waits for you", Style: draw.Secondary.In(theme.Warning)})
	}
	return tally(r.Change.Added, r.Change.Removed)
}

// tally is "+2 −1" in the colours of the marks.
func tally(added, removed int) []draw.Span {
	var s []draw.Span
	if added > 0 {
		s = append(s, draw.Span{Text: "+" + strconv.Itoa(added), Style: draw.Secondary.In(theme.OK)})
	}
	if removed > 0 {
		text := "−" + strconv.Itoa(removed)
		if added > 0 {
			text = "  " + text
		}
		s = append(s, draw.Span{Text: text, Style: draw.Secondary.In(theme.Error)})
	}
	return s
}

// hunks draws the lines of a change, each on its ground over the whole width, at most most of them. Lines that are too long
// are clipped, or wrap where the change is to be allowed: then all of it must be there to read.
func hunks(b *draw.Board, x, y, w float32, hs []event.Hunk, most int, wrap bool) (end float32, cut bool) {
	h := draw.Mono.LineHeight()
	row := func(text string, style draw.Style, ground fyne.ThemeColorName) {
		layer, top := b.Layer(), y
		if wrap {
			y += b.Lines(x+pad-1, y, w-2*(pad-1), text, style)
		} else {
			b.Clipped(x+pad-1, y, w-2*(pad-1), h, text, style)
			y += h
		}
		if ground != "" {
			b.RectAt(layer, x, top, w, y-top, draw.Box{Fill: ground})
		}
	}
	for _, hunk := range hs {
		if most--; most < 0 {
			return y, true
		}
		at := hunk.NewStart
		if hunk.NewLines == 0 {
			at = hunk.OldStart
		}
		place := "@@ " + strconv.Itoa(at)
		if !hunk.Placed() {
			place = "@@ line not known"
		}
		row(place, draw.Mono.In(theme.Muted), theme.Code)
		for _, text := range hunk.Lines {
			if most--; most < 0 {
				return y, true
			}
			text, ground := diffLine(text)
			row(text, draw.Mono, ground)
		}
	}
	return y, false
}

// diffLine puts a space behind the sign and makes the rest fit to be drawn.
func diffLine(text string) (string, fyne.ThemeColorName) {
	if text == "" {
		return "", ""
	}
	sign, rest := text[:1], text[1:]
	if len(rest) > maxClean {
		rest = rest[:maxClean]
	}
	shown := sign + " " + visible(draw.Tabs(rest, 0))
	switch sign {
	case "+":
		return shown, theme.AddedBG
	case "-":
		return shown, theme.RemovedBG
	}
	return shown, ""
}

// clipped reports whether a line that is drawn does not fit.
func clipped(hs []event.Hunk, w float32, most int) bool {
	for _, hunk := range hs {
		for _, text := range hunk.Lines {
			if most--; most < 0 {
				return false
			}
			if shown, _ := diffLine(text); draw.Width(shown, draw.Mono) > w-2*(pad-1)+0.5 {
				return true
			}
		}
	}
	return false
}
