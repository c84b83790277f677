package core

import (
	"context"
	"errors"
	"slices"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/engines/catalog"
	"keva/platform/secret"
	"keva/platform/settings"
)

// OwnProviders are the user's own, in the order in which they were added.
func (c *Core) OwnProviders() []provider.Provider {
	return slices.DeleteFunc(c.Settings.Get().Providers, func(p provider.Provider) bool { return !p.Owned() })
}

// KindOf is the protocol that an engine needs.
func (c *Core) KindOf(engine string) provider.Kind { return catalog.Kind(engine) }

// PutProvider adds a provider of the user's, or replaces the one of its id. A new one has no id and gets one that no other
// had: a key that was left behind must never go to another address. Errors are *event.Error where the user must correct
// something.
func (c *Core) PutProvider(ctx context.Context, p provider.Provider) (provider.Provider, error) {
	if p.ID == "" {
		p.ID = provider.Custom + "-" + newID()
	}
	if err := provider.Check(p); err != nil { // else one that is the app's would be put back silently
		return p, err
	}
	return p, c.Settings.Update(ctx, func(s *settings.Settings) { s.PutProvider(p) })
}

// RemoveProvider forgets a provider of the user's and deletes its key. While the key can't be deleted nothing is removed,
// unless leaveKey; engines that run lose it all the same.
func (c *Core) RemoveProvider(ctx context.Context, id string, leaveKey bool) error {
	if err := c.DropKey(ctx, id); err != nil && !leaveKey && !noKeyring(err) {
		return err
	}
	return c.Settings.Update(ctx, func(s *settings.Settings) { s.RemoveProvider(id) })
}

// SessionsWith counts the sessions that use a provider.
func (c *Core) SessionsWith(ctx context.Context, id string) (int, error) {
	list, err := c.Service.Sessions(ctx)
	n := 0
	for _, m := range list {
		if m.Provider == id {
			n++
		}
	}
	return n, err
}

// CheckProvider finds out whether a provider of the user's speaks each protocol that it is said to.
func (c *Core) CheckProvider(ctx context.Context, id string) error {
	p, ok := provider.Find(c.OwnProviders(), id)
	if !ok {
		return &event.Error{Class: event.ClassConfig, Message: "This provider does not exist any more."}
	}
	key, err := c.keyOf(ctx, id)
	if err != nil {
		return err
	}
	for _, k := range p.Kinds {
		if err := eventOf(c.Models.Speaks(ctx, p, k, key)); err != nil {
			return err
		}
	}
	return nil
}

// noKeyring reports that there is none at all, so that nothing can be kept, or left behind, in it.
func noKeyring(err error) bool {
	var u *secret.Unavailable
	return errors.As(err, &u) && u.None
}

// keyOf is the key of a provider, "" when none is kept. Where there is no keyring at all none can be, and a server that may
// want none must not be out of reach for that.
func (c *Core) keyOf(ctx context.Context, id string) (string, error) {
	key, err := c.Keys.Get(ctx, provider.Secret(id))
	if noKeyring(err) {
		if p, ok := provider.Find(c.Settings.Get().Providers, id); ok && p.Key == provider.KeyOptional {
			return "", nil
		}
	}
	return key, err
}
