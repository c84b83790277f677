package card

import (
	"strings"

	"keva/agent/event"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// approval draws what became of a request: one line, which opens to the exact request.
func (c *card) approval(b *draw.Board, r *transcript.Approval) float32 {
	layer := b.Layer()
	key := r.Key()
	open := c.actions.open(key, false)
	l := line{id: key, mark: approvalMark(r), open: open, label: approvalWords(r)}
	first, rest, _ := strings.Cut(approvalWords(r), ": ")
	l.text = words(first, draw.Strong)
	what := r.Asked.Title
	if r.Asked.Command != "" {
		what = r.Asked.Command
	}
	switch {
	case rest != "":
		l.text = append(l.text, draw.Span{Text: ": " + one(rest), Style: draw.Label})
	case what != "":
		l.text = append(l.text, draw.Span{Text: " · ", Style: draw.Label}, draw.Span{Text: one(what), Style: draw.Mono})
	}
	l.fold, l.tap = true, c.toggle(key, false)
	y := c.header(b, l)
	if open {
		b.Rule(1, y, b.Width-2)
		y += theme.Space2
		if who := r.Who; who != "" {
			y += b.Lines(pad, y, b.Width-2*pad, "Asked by "+one(who)+".", draw.Secondary) + theme.Space1
		}
		if rest != "" && what != "" || r.Asked.Command != "" {
			text := r.Asked.Command
			if text == "" {
				text = what
			}
			y = c.long(b, "what", pad, y, b.Width-2*pad, text, draw.Mono) + theme.Space1
		}
		y += theme.Space1
		y, _ = changes(b, 1, y, b.Width-2, r.Asked.Changes, foldDiff, false, nil)
	}
	return surface(b, layer, y)
}

// changes draws several files' changes under each other. name writes a path for people; nil leaves it as it is.
func changes(b *draw.Board, x, y, w float32, cs []event.Change, most int, wrap bool, name func(string) string) (end float32, cut bool) {
	h := theme.HeightFor(theme.Mono, theme.RowHeight)
	for _, ch := range cs {
		r := &transcript.Diff{Path: ch.Path, Change: ch}
		if name != nil {
			r.Path = name(ch.Path)
		}
		sum := tally(ch.Added, ch.Removed)
		sw := draw.RunWidth(sum)
		b.Run(x+w-pad+1-sw, y, sw, h, sum)
		b.Run(x+pad-1, y, w-2*pad-sw-gap, h, fileName(r))
		y += h
		if ch.Note != "" {
			y += b.Lines(x+pad-1, y, w-2*pad, upper(visible(head(ch.Note))), draw.Secondary) + theme.Space1
		}
		var more bool
		y, more = hunks(b, x, y, w, ch.Hunks, most, wrap)
		y += theme.Space1
		cut = cut || more
	}
	return y, cut
}

func approvalMark(r *transcript.Approval) mark.State {
	switch r.Decision {
	case "":
		return transcript.MarkWaiting
	case event.Allow:
		return transcript.MarkDone
	case event.Deny:
		return transcript.MarkInterrupted
	case event.Withdrawn:
		return transcript.MarkInterrupted
	case event.Lost:
		return transcript.MarkUnknown
	}
	return transcript.MarkUnknown
}

// approvalWords says what became of a request; a reason stands behind a colon.
func approvalWords(r *transcript.Approval) string {
	switch r.Decision {
	case "":
		return "Waits for your answer"
	case event.Allow:
		if r.By == event.ByRule {
			return "Allowed by your rule"
		}
		return "Allowed once"
	case event.Deny:
		word := "Denied"
		switch r.By {
		case event.ByRule:
			word = "Denied by your rule"
		case event.ByStop:
			word = "Denied because you stopped"
		case event.ByError:
			word = "Denied, it could not be read"
		case event.ByUser, event.ByEngine:
		}
		if r.Reason != "" && r.By != event.ByStop {
			return word + ": " + r.Reason
		}
		return word
	case event.Withdrawn:
		return "Withdrawn before you answered"
	case event.Lost:
		return "Lost when the engine ended"
	}
	return "Unknown"
}
