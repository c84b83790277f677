package core

import (
	"context"

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
	c.device.Listen(func(t device.Tap) { c.tapped(ctx, t) }, func(what string) { c.Log.Info().Msg(what) })
	var before []session.Meta
	changes := c.Service.Changes(ctx)
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
		if _, open := <-changes; !open {
			return
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
