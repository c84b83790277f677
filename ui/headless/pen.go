package headless

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"keva/agent/event"
	"keva/ui/transcript"
)

// pen writes lines. What it is given must be clean already, except where it says that it cleans. The first error of the
// writer is kept; a pipe that was closed does not stop the run, since the engine is still at work.
type pen struct {
	w      io.Writer
	colour bool
	err    error
	gap    bool // the last line was empty, or nothing was written yet
	begun  bool
}

type colour string

const (
	plainInk colour = ""
	muted    colour = "\x1b[2m"
	bold     colour = "\x1b[1m"
	green    colour = "\x1b[32m"
	red      colour = "\x1b[31m"
	yellow   colour = "\x1b[33m"
	blue     colour = "\x1b[34m"
)

func (p *pen) in(c colour, s string) string {
	if !p.colour || c == plainInk || s == "" {
		return s
	}
	return string(c) + s + "\x1b[0m"
}

func (p *pen) line(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s+"\n")
	}
	p.gap, p.begun = s == "", true
}

// space leaves an empty line, unless there is one.
func (p *pen) space() {
	if p.begun && !p.gap {
		p.line("")
	}
}

// fold cleans and writes long text: its first and last lines, and how much is between them.
func (p *pen) fold(text, indent string, head, tail int) {
	lines := strings.Split(strings.Trim(clean(text), "\n"), "\n")
	hidden := len(lines) - head - tail
	for i, l := range lines {
		switch {
		case hidden <= 1 || i < head || i >= len(lines)-tail:
			p.line(indent + p.in(muted, cut(strings.TrimRight(l, " \t"), 400)))
		case i == head:
			p.line(indent + p.in(muted, fmt.Sprintf("… %d more lines", hidden)))
		}
	}
}

// markOf is a mark as a sign; its word stands behind it wherever it is not "done".
func (p *pen) mark(m transcript.Mark) string {
	switch m {
	case transcript.MarkDone:
		return p.in(green, "✓")
	case transcript.MarkFailed:
		return p.in(red, "✕")
	case transcript.MarkInterrupted:
		return p.in(yellow, "■")
	case transcript.MarkUnknown:
		return p.in(blue, "?")
	case transcript.MarkRunning, transcript.MarkWaiting:
		return "○"
	}
	return p.in(blue, "?")
}

func word(m transcript.Mark, denied bool) string {
	if denied {
		return "denied"
	}
	switch m {
	case transcript.MarkDone:
		return ""
	case transcript.MarkFailed, transcript.MarkInterrupted, transcript.MarkUnknown, transcript.MarkRunning, transcript.MarkWaiting:
		return string(m)
	}
	return string(transcript.MarkUnknown)
}

func final(m transcript.Mark) bool { return m != transcript.MarkRunning && m != transcript.MarkWaiting }

// span writes a duration as people say it.
func span(d time.Duration) string {
	switch {
	case d < 0:
		return ""
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < time.Minute:
		return strconv.Itoa(int(d.Round(time.Second).Seconds())) + " s"
	case d < time.Hour:
		d = d.Round(time.Second)
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// details joins what is known about a line: "failed · exit 1 · 9.8 s".
func details(parts ...string) string {
	var said []string
	for _, s := range parts {
		if s != "" {
			said = append(said, s)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "  " + strings.Join(said, " · ")
}

func allowed(by event.By) string {
	switch by {
	case "":
		return ""
	case event.ByUser:
		return "allowed by you"
	case event.ByRule:
		return "allowed by a rule"
	case event.ByStop, event.ByEngine, event.ByError:
		return "allowed by the " + string(by)
	}
	return "allowed"
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
