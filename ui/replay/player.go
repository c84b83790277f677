// Package replay shows a recording in the window, at its recorded pace, through the same screens as a live session. It is
// how a field report is looked at. It must never start an engine or send anything anywhere.
package replay

import (
	"context"
	"sync"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/session"
	"keva/agent/trust"
	"keva/agent/turn"
)

// Player is a session whose events come from a recording. It is safe for concurrent use.
type Player struct {
	evs   []event.Event
	start time.Time // of playing
	now   func() time.Time
	after func(d time.Duration, f func())

	mu     sync.Mutex
	meta   session.Meta
	state  turn.State
	played int
	subs   map[chan struct{}]bool // woken when more was played
}

// errRecording is what every action gets.
var errRecording = &event.Error{Class: event.ClassRequest, Message: "This is a recording. It can be watched, not answered."}

// NewPlayer returns a player of evs, which begins to play at once. now and after are the clock; after runs f once, later.
func NewPlayer(name string, evs []event.Event, now func() time.Time, after func(time.Duration, func())) *Player {
	p := &Player{evs: evs, start: now(), now: now, after: after, subs: map[chan struct{}]bool{}}
	p.meta = session.Meta{ID: "replay", Title: name, Engine: "recording", Badge: session.BadgeRunning, Line: "A recording"}
	for _, e := range evs {
		if r, ok := e.Body.(event.SessionReady); ok {
			p.meta.Engine, p.meta.Dir, p.meta.Model = r.Engine, r.Dir, r.Model
			break
		}
	}
	p.play()
	return p
}

// Now is the recording's own time, so that durations are those of then.
func (p *Player) Now() time.Time {
	if len(p.evs) == 0 {
		return p.now()
	}
	return p.evs[0].Time.Add(p.now().Sub(p.start))
}

// play publishes what is due and waits for the next.
func (p *Player) play() {
	now := p.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.played
	for p.played < len(p.evs) && !p.evs[p.played].Time.After(now) {
		p.state.Apply(p.evs[p.played])
		p.played++
	}
	if p.played > before {
		for wake := range p.subs {
			select {
			case wake <- struct{}{}:
			default:
			}
		}
	}
	if p.played < len(p.evs) {
		p.after(p.evs[p.played].Time.Sub(now), p.play)
	}
}

// ID is part of chat.Session.
func (p *Player) ID() string { return p.meta.ID }

// View is part of chat.Session.
func (p *Player) View() session.View {
	p.mu.Lock()
	defer p.mu.Unlock()
	return session.ViewOf(p.meta, &p.state)
}

// Subscribe is part of chat.Session.
func (p *Player) Subscribe(ctx context.Context) <-chan session.Update {
	out, wake := make(chan session.Update), make(chan struct{}, 1)
	p.mu.Lock()
	p.subs[wake] = true
	p.mu.Unlock()
	go func() {
		defer close(out)
		defer func() {
			p.mu.Lock()
			delete(p.subs, wake)
			p.mu.Unlock()
		}()
		for shown, first := 0, true; ; first = false {
			p.mu.Lock()
			u := session.Update{Events: p.evs[shown:p.played], View: session.ViewOf(p.meta, &p.state), History: first}
			shown = p.played
			p.mu.Unlock()
			select {
			case out <- u:
			case <-ctx.Done():
				return
			}
			select {
			case <-wake:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// Send is part of chat.Session.
func (p *Player) Send(context.Context, string) error { return errRecording }

// Answer is part of chat.Session.
func (p *Player) Answer(context.Context, string, runtime.Answer) (bool, error) {
	return false, errRecording
}

// Interrupt is part of chat.Session.
func (p *Player) Interrupt(context.Context) error { return errRecording }

// StopTask is part of chat.Session.
func (p *Player) StopTask(context.Context, string) error { return errRecording }

// StopEngine is part of chat.Session.
func (p *Player) StopEngine(context.Context) error { return nil }

// SetDraft is part of chat.Session.
func (p *Player) SetDraft(string) {}

// Trust is part of chat.Session: a recording's project is not looked at.
func (p *Player) Trust() ([]trust.Entry, trust.Report) { return nil, trust.Report{} }

// Rename is part of chat.Session.
func (p *Player) Rename(string) {}
