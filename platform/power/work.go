// Package power keeps the app alive while work is live, and no longer: a notification that the system accepts as a reason to
// run on (a foreground service on Android), a wake lock while an engine computes. The sessions say what is live; this
// package counts nothing. It must never start or stop an engine.
package power

import (
	"fmt"
	"unicode/utf8"

	"keva/agent/approval"
	"keva/agent/event"
	"keva/agent/session"
)

// Work is what goes on, as a notification shows it. The zero value is: nothing.
type Work struct {
	Running int    // sessions whose engine works
	Waiting int    // sessions that wait for the user
	Session string // the one that the notification is about; "" when there are several
	Title   string
	Text    string
	Ask     *Ask // what can be answered from the notification; nil when nothing can
}

// Ask is one approval that can be decided without opening the app.
type Ask struct{ Session, Request, Text string }

// Live reports whether the process must be kept.
func (w Work) Live() bool { return w.Running+w.Waiting > 0 }

// maxAsk is how much text a notification shows whole, in characters.
const maxAsk = 160

// Of says what goes on by the list of sessions. pending gives the approval that a session waits for; it may be nil.
//
// An approval can be answered from the notification only when all of it can be read there and nothing about it is risky or
// hidden: what is shown is what will run.
func Of(list []session.Meta, pending func(id string) (event.ApprovalAsked, bool)) Work {
	var w Work
	var one session.Meta
	for _, m := range list {
		switch m.Badge {
		case session.BadgeRunning:
			w.Running++
			if w.Waiting == 0 {
				one = m
			}
		case session.BadgeNeedsYou:
			w.Waiting++
			one = m
		case session.BadgeEmpty, session.BadgeDone, session.BadgeFailed, session.BadgeInterrupted, session.BadgeUnknown:
		}
	}
	switch {
	case !w.Live():
		return Work{}
	case w.Waiting > 1 || w.Waiting == 0 && w.Running > 1:
		w.Title = fmt.Sprintf("%d sessions need you", w.Waiting)
		if w.Waiting == 0 {
			w.Title = fmt.Sprintf("%d sessions are running", w.Running)
		}
		return w
	}
	w.Session, w.Title, w.Text = one.ID, one.Title, one.Line
	if w.Title == "" {
		w.Title = "Keva"
	}
	if w.Waiting == 0 {
		return w
	}
	w.Title = "Needs you: " + w.Title
	if pending == nil {
		return w
	}
	if a, ok := pending(one.ID); ok {
		text := a.Command
		if text == "" {
			text = a.Title
		}
		_, hidden := approval.Display(text)
		whole := utf8.RuneCountInString(text) <= maxAsk && len(a.Changes) == 0
		if whole && !hidden && text != "" && len(approval.Risks(a, one.Dir)) == 0 {
			w.Ask = &Ask{Session: one.ID, Request: a.ID, Text: text}
			w.Text = text
		}
	}
	return w
}

// Ended compares two lists and tells, in a sentence, what ended in between; "" when nothing did. A session whose end is
// unknown is never called done.
func Ended(before, after []session.Meta) (title, text string) {
	was := map[string]bool{}
	for _, m := range before {
		was[m.ID] = m.Badge == session.BadgeRunning || m.Badge == session.BadgeNeedsYou
	}
	words := map[session.Badge]string{
		session.BadgeDone: "Done", session.BadgeFailed: "Failed", session.BadgeInterrupted: "Stopped",
		session.BadgeUnknown: "Ended, and it is unknown how",
	}
	n := 0
	for _, m := range after {
		if word := words[m.Badge]; word != "" && was[m.ID] {
			n++
			title, text = word, m.Title
		}
	}
	if n > 1 {
		return fmt.Sprintf("%d sessions ended", n), "Open Keva to see how."
	}
	return title, text
}
