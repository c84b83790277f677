package core

import (
	"context"
	"fmt"
	"os"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/session"
	"keva/platform/device"
	"keva/platform/power"
)

// KeepAlive keeps the process while work is live, tells what ended, and takes answers from notifications, until ctx ends.
func (c *Core) KeepAlive(ctx context.Context) {
	keeper := &power.Keeper{Device: c.device, Failed: func(what string, err error) { c.Log.Warn().Err(err).Msg(what) }}
	defer keeper.Close()
	c.device.Listen(func(t device.Tap) { c.tapped(ctx, t) }, func(what string, gone bool) {
		c.Log.Info().Msg(what)
		if gone {
			keeper.Lost()
		}
	})
	var before []session.Meta
	var crowd power.Crowd
	changes := c.Service.Changes(ctx)
	look := time.NewTicker(lookAtChildren)
	defer look.Stop()
	for {
		list, err := c.Service.Sessions(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			c.Log.Error().Err(err).Msg("what goes on is not known") // what is held stays held
		default:
			keeper.Set(power.Of(list, c.pending(ctx)))
			if title, text := power.Ended(before, list); title != "" {
				keeper.Tell(title, text)
			}
			before = list
		}
	waiting:
		for {
			select {
			case _, open := <-changes:
				if !open {
					return
				}
				break waiting
			case <-look.C:
				c.watchChildren(ctx, &crowd, before)
			}
		}
	}
}

// lookAtChildren is how often the processes are counted where the system counts them.
const lookAtChildren = 10 * time.Second

// watchChildren warns the sessions that run before Android ends some of their programs.
func (c *Core) watchChildren(ctx context.Context, crowd *power.Crowd, list []session.Meta) {
	if !power.Of(list, nil).Live() || !c.device.CountsChildren() {
		return
	}
	n, err := power.Children("/proc", os.Getpid())
	if err != nil {
		c.Log.Error().Err(err).Msg("count processes")
		return
	}
	if !crowd.Warn(n) {
		return
	}
	c.Log.Warn().Int("processes", n).Msg("many processes")
	for _, m := range list {
		if m.Badge != session.BadgeRunning && m.Badge != session.BadgeNeedsYou {
			continue
		}
		err := c.Service.Tell(ctx, m.ID, event.Notice{
			Level: event.LevelWarning,
			Text: fmt.Sprintf("This session has %d programs running. Android allows all apps together %d and then ends some. Ask for fewer things at once, or switch “Disable child process restrictions” on in the developer options.",
				n, power.ChildLimit),
		})
		if err != nil {
			c.Log.Error().Err(err).Msg("tell of many processes")
		}
	}
}

// pending gives the approval that a session waits for.
func (c *Core) pending(ctx context.Context) func(id string) (event.ApprovalAsked, bool) {
	return func(id string) (event.ApprovalAsked, bool) {
		s, err := c.Service.Open(ctx, id)
		if err != nil {
			return event.ApprovalAsked{}, false
		}
		for _, r := range s.View().Pending {
			if r.Approval != nil {
				return *r.Approval, true
			}
		}
		return event.ApprovalAsked{}, false
	}
}

// tapped does what was answered on a notification. An answer that comes too late changes nothing (I-12).
func (c *Core) tapped(ctx context.Context, t device.Tap) {
	list, err := c.Service.Sessions(ctx)
	if err != nil {
		c.Log.Error().Err(err).Msg("an answer on a notification was lost")
		return
	}
	for _, m := range list {
		if m.Badge != session.BadgeRunning && m.Badge != session.BadgeNeedsYou {
			continue
		}
		s, err := c.Service.Open(ctx, m.ID)
		if err != nil {
			c.Log.Error().Err(err).Msg("an answer on a notification was lost")
			continue
		}
		switch t.Choice {
		case device.Stop:
			err = s.Interrupt(ctx)
		case device.Allow:
			_, err = s.Answer(ctx, t.Request, runtime.Answer{Decision: event.Allow, By: event.ByUser})
		case device.Deny:
			_, err = s.Answer(ctx, t.Request, runtime.Answer{Decision: event.Deny, By: event.ByUser})
		}
		if err != nil {
			c.Log.Error().Err(err).Str("choice", string(t.Choice)).Msg("an answer on a notification could not be given")
		}
	}
}
