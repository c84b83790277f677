// Package transcript reads recorded conversations with an engine: the lines that went in and came out, with their times.
// Tests and `keva replay` feed them to the product's own mappers, so that a field report takes the path of a live session.
// It knows the recording format and how to tell the engines apart; it must never interpret a line, and never start anything.
//
// The format is one JSON object per line:
//
//	{"t":ms,"dir":"in|out|err|note|ev","line":"…"}
//
// t counts from the start of the recording; "note" and "ev" are the recorder's own remarks, of which those that tell how
// the process ended become an exit frame.
//
// A recording may hold several processes one after the other (a crash and a resume). They stay one sequence of frames:
// the exit frame is the border, and a mapper that sees frames after it goes on with the same session in a new process.
package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"keva/agent/event"
	"keva/engines"
)

// The engines that Detect can tell apart; the values are the IDs of their factories.
const (
	Claude = "claude"
	Codex  = "codex"
)

// Base is the time of t = 0. It is fixed, so that the same recording always gives the same events.
var Base = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Recording is a recorded conversation.
type Recording struct {
	Engine  string // Claude or Codex
	Frames  []engines.Frame
	Notes   []Note // the recorder's remarks, in order; those about the end are also exit frames
	Skipped int    // lines that are no records: torn, not JSON, of an unknown direction
}

// Note is a remark of the recorder: how it started the process, which signal it sent.
type Note struct {
	Time time.Time
	Text string
}

// Read reads a whole recording. Broken lines, such as a last one that was torn by a crash, are counted and left out. A
// file without any frame, or one whose engine can't be told, is an *event.Error; what was read is returned beside it.
func Read(r io.Reader) (Recording, error) {
	var rec Recording
	br := bufio.NewReaderSize(r, 1<<16)
	sent := "" // the signal that the recorder last sent
	for {
		line, err := br.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			rec.add(line, &sent)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return rec, &event.Error{
				Class: event.ClassConfig, Message: "The recording could not be read to its end. Check that the file is complete and readable.",
				Detail: err.Error(),
			}
		}
	}
	if len(rec.Frames) == 0 {
		return rec, &event.Error{
			Class:   event.ClassConfig,
			Message: "This file holds no recorded conversation. Choose a .jsonl file that was recorded with an engine.",
			Detail:  fmt.Sprintf("no frames, %d lines skipped", rec.Skipped),
		}
	}
	if rec.Engine = Detect(rec.Frames); rec.Engine == "" {
		rec.Engine = spawned(rec.Notes)
	}
	if rec.Engine == "" {
		return rec, &event.Error{
			Class:   event.ClassConfig,
			Message: "This recording is from no engine that Keva knows. It reads recordings of Claude Code and Codex.",
			Detail:  fmt.Sprintf("%d frames", len(rec.Frames)),
		}
	}
	return rec, nil
}

// record is one line of the file. Line is a string; anything else is not a record.
type record struct {
	T    *float64 `json:"t"`
	Dir  string   `json:"dir"`
	Line *string  `json:"line"`
}

func (rec *Recording) add(line []byte, sent *string) {
	var r record
	if err := json.Unmarshal(line, &r); err != nil || r.Line == nil || r.T == nil {
		rec.Skipped++
		return
	}
	at := Base.Add(time.Duration(*r.T * float64(time.Millisecond)))
	switch r.Dir {
	case "in":
		rec.Frames = append(rec.Frames, engines.Frame{Time: at, Dir: engines.In, Line: []byte(*r.Line)})
	case "out":
		rec.Frames = append(rec.Frames, engines.Frame{Time: at, Dir: engines.Out, Line: []byte(*r.Line)})
	case "err":
		rec.Frames = append(rec.Frames, engines.Frame{Time: at, Dir: engines.Err, Line: []byte(*r.Line)})
	case "note", "ev":
		rec.Notes = append(rec.Notes, Note{at, *r.Line})
		if s := sentSignal(*r.Line); s != "" {
			*sent = s
		}
		if exit, ok := exitOf(*r.Line, *sent); ok {
			rec.Frames = append(rec.Frames, engines.Frame{Time: at, Dir: engines.Exit, Exit: &exit})
			*sent = ""
		}
	default:
		rec.Skipped++
	}
}
