package demo

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// frame is one server-sent event, with what a fault or the pace needs to know about it.
type frame struct {
	event string
	data  any
	block int  // the block that it belongs to; -1: none
	opens bool // begins the block
	ends  bool // ends the block
	text  bool // a piece of a text: paced
}

// stream writes frames as server-sent events, at the pace, and with the fault. An error is a client that went.
func (s *Server) stream(ctx context.Context, w http.ResponseWriter, frames []frame, fault *Fault) {
	if fault == nil {
		fault = &Fault{}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w)
	pace := s.pace
	if fault.ChunkMS > 0 {
		pace = milliseconds(fault.ChunkMS)
	}
	seen := -1
	for _, f := range frames {
		if f.block >= 0 && fault.Cut != "" && f.block == fault.CutBlock {
			if fault.Cut == CutBefore && f.opens || fault.Cut == CutInside && f.ends {
				cut(flush)
			}
		}
		if f.text && pace > 0 && !wait(ctx, pace) {
			return
		}
		if !writeEvent(w, f) {
			return
		}
		if f.opens {
			seen = f.block
			if fault.Malformed && f.block == 0 {
				_, _ = w.Write([]byte("event: message\ndata: {\"type\": \"torn\n\ndata: \xff\xfe not json\n\n")) // a client that went is noticed below
			}
		}
		if flush.Flush() != nil {
			return
		}
		if f.block >= 0 && fault.Cut == CutAfter && f.ends && f.block == fault.CutBlock {
			cut(flush)
		}
	}
	if fault.Cut != "" && seen < fault.CutBlock { // there were fewer blocks: cut in the same place of what there is
		cut(flush)
	}
}

// cut breaks the connection: what was written goes out, an end never comes.
func cut(flush *http.ResponseController) {
	_ = flush.Flush() // the connection is about to be broken anyway
	panic(http.ErrAbortHandler)
}

func writeEvent(w http.ResponseWriter, f frame) bool {
	data, err := json.Marshal(f.data)
	if err != nil {
		panic("demo: a frame can't be encoded: " + err.Error()) // all frames are built here from plain values
	}
	_, err = w.Write([]byte("event: " + f.event + "\ndata: " + string(data) + "\n\n"))
	return err == nil
}

// wait waits for d; false when ctx ended first.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// chunks cuts a text into pieces as a model streams them: about a word each, never inside a character. A huge text goes
// in bigger pieces.
func chunks(text string) []string {
	var out []string
	if len(text) > 1<<16 {
		for size := 1 << 13; len(text) > size; {
			end := size
			for end > 0 && !utf8.RuneStart(text[end]) {
				end--
			}
			if end == 0 {
				end = size
			}
			out = append(out, text[:end])
			text = text[end:]
		}
		return append(out, text)
	}
	for len(text) > 0 {
		end := strings.IndexAny(text[1:], " \n") + 1
		if end <= 0 {
			end = len(text)
		}
		out = append(out, text[:end])
		text = text[end:]
	}
	return out
}
