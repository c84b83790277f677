package card

import (
	"strconv"

	"keva/agent/event"
	"keva/ui/draw"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// end draws how a turn went: one quiet line, and a sentence when it went wrong.
func (c *card) end(b *draw.Board, r *transcript.End) float32 {
	h := theme.HeightFor(theme.Secondary, 28)
	state := transcript.MarkOf(r.Outcome)
	if r.Outcome == event.Success && r.Live > 0 {
		state = transcript.MarkRunning
	}
	style := draw.Secondary
	switch r.Outcome {
	case event.Unknown:
		style = style.In(theme.Unknown)
	case event.Failure, event.Timeout:
		style = style.In(theme.Error)
	case event.Success, event.Interrupted:
	}
	x := c.mark(b, "end", theme.Space1, 0, h, state)
	spans := words(endWords(r), style)
	if r.Files > 0 {
		spans = append(spans, draw.Span{Text: " · " + count(r.Files, "file", "files") + " ", Style: draw.Secondary})
		spans = append(spans, tally(r.Added, r.Removed)...)
	}
	b.Run(x, 0, b.Width-x, h, spans)
	y := h
	if r.Error != nil && r.Error.Message != "" {
		y += b.Lines(x, y, b.Width-x, visible(head(r.Error.Message)), draw.Label) + theme.Space2
	}
	return y
}

// endWords is the line without the files: "Done · 12 s", "Answered, 1 still running", "Unknown: the engine went".
func endWords(r *transcript.End) string {
	word := outcomeWord(r.Outcome)
	time := ""
	if r.Duration > 0 {
		time = took(r.Duration)
	}
	switch {
	case r.Outcome == event.Success && r.Live > 0:
		word = "Answered, " + strconv.Itoa(r.Live) + " still running"
	case r.Outcome == event.Unknown && r.Error == nil:
		word = "Unknown: the end was not seen"
	case r.Live > 0:
		word += ", " + strconv.Itoa(r.Live) + " still running"
	}
	switch r.Origin {
	case event.OriginTask:
		word += " · after a task"
	case event.OriginResume:
		word += " · left over from before"
	case event.OriginEngine:
		word += " · started by the engine"
	case event.OriginUser, event.OriginUnknown:
	}
	return join(word, time)
}
