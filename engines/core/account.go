package core

import (
	"context"
	"time"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/signin"
	"keva/engines/catalog"
	"keva/platform/models"
	"keva/platform/network"
	"keva/platform/secret"
	"keva/platform/settings"
)

// modelsPurpose is what questions to providers are filed under: for their models, and whether they take a key.
const modelsPurpose = "models"

// openAccounts makes the sign-in and the lists of models.
func (c *Core) openAccounts(ctx context.Context) {
	c.Models = models.New(models.Deps{
		Transport: c.Network.Transport(network.Use{Purpose: modelsPurpose}),
		Key:       func(ctx context.Context, id string) (string, error) { return c.Keys.Get(ctx, provider.Secret(id)) },
		Values:    c.Store, Clock: now,
	})
	c.SignIn = signin.New(ctx, signin.Deps{
		Slot: c.slot, Engines: catalog.SignIns(c.options), KeyMethods: c.keyMethods, SecretName: provider.Secret,
		Keys: keeper{c}, Values: c.Store, Clock: now, NewID: newID, Activate: c.activate,
		Verify: func(ctx context.Context, m signin.Method, key string) error {
			p, ok := provider.Find(c.Settings.Get().Providers, m.Provider)
			if !ok {
				return &event.Error{Class: event.ClassConfig, Message: "This provider does not exist any more."}
			}
			return eventOf(c.Models.Verify(ctx, p, catalog.Kind(m.Engine), key))
		},
		Log: func(what string, err error) { c.Log.Error().Err(err).Msg(what) },
	})
}

func now() time.Time { return time.Now().UTC() }

// keyMethods are the ways with a key: one for each engine and each of the app's providers that it can use.
func (c *Core) keyMethods() []signin.Method {
	var list []signin.Method
	for _, f := range c.Engines {
		list = append(list, signin.KeyMethods(f.ID(), catalog.Kind(f.ID()), c.Settings.Get().Providers)...)
	}
	return list
}

// activate makes a provider the one of its engine, and the engine that of new sessions where there was the demo only.
func (c *Core) activate(ctx context.Context, m signin.Method) error {
	return c.Settings.Update(ctx, func(s *settings.Settings) { s.SignedIn(m.Engine, m.Provider) })
}

// SetKey keeps the key of a provider in the usual place and brings it into use, also where engines run.
func (c *Core) SetKey(ctx context.Context, id, key string) error {
	return keeper{c}.Keep(ctx, provider.Secret(id), key, string(secret.ChoiceKeyring))
}

// DropKey deletes the key of a provider, and takes it from engines that run.
func (c *Core) DropKey(ctx context.Context, id string) error {
	return keeper{c}.Delete(ctx, provider.Secret(id))
}

// keeper keeps keys where the user chose, and out of the log.
type keeper struct{ c *Core }

func (k keeper) Keep(ctx context.Context, name, value, choice string) error {
	k.c.LogFile.Protect(value)
	if err := k.c.Keys.Keep(ctx, name, value, secret.Choice(choice)); err != nil {
		return err
	}
	k.renew(name, value)
	return nil
}

func (k keeper) Delete(ctx context.Context, name string) error {
	k.renew(name, "") // also when it can't be deleted: nobody is to use it any more
	return k.c.Keys.Delete(ctx, name)
}

// renew brings a key into use, or out of it, where engines run.
func (k keeper) renew(name, value string) {
	for _, p := range k.c.Settings.Get().Providers {
		if provider.Secret(p.ID) == name {
			k.c.access.Renew(p.ID, value)
		}
	}
}

// ModelsOf are the models of a provider for an engine: as they are known, or after asking.
func (c *Core) ModelsOf(ctx context.Context, engine, id string, ask bool) models.List {
	p, ok := provider.Find(c.Settings.Get().Providers, id)
	if !ok {
		return models.List{Problem: &event.Error{Class: event.ClassConfig, Message: "This provider does not exist any more."}}
	}
	if ask {
		return c.Models.Refresh(ctx, p, catalog.Kind(engine))
	}
	return c.Models.Known(ctx, p, catalog.Kind(engine))
}
