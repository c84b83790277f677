// Package build makes the userland pack: Debian packages, node, npm and both engines, pinned by hash, as one tree that
// starts from any folder of an Android app, in one archive. `make pack` runs it.
//
// It must never run a program of the pack (the target may be another processor), never take an unverified byte, and never
// let this machine into the pack: no host file, user, umask, time or path.
package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"keva/agent/event"
	"keva/engines/install"
	"keva/engines/userland/pack"
)

// Options are how a pack is built. All paths may be relative.
type Options struct {
	Cache    string   // folder for what was fetched and made; about 4 GB
	Output   string   // the archive
	Level    Level    // how hard to compress
	Policies string   // folder with the policies of the Android releases
	Say      Progress // or nil

	frames string // folder of the remembered frames, if not the cache's
}

// Progress is told what is being done, in a sentence for people.
type Progress func(text string)

// Inputs are the pins of a pack.
type Inputs struct {
	Lock    Lock
	Pins    Pins // node and npm
	Engines install.Manifest
	Drop    string // what is left out, see parseRules
}

// builder is one build at work.
type builder struct {
	Options
	Inputs
	target target
	store  *store
	tree   tree
	report Report
}

// Pack builds a pack. Errors are *event.Error.
func Pack(ctx context.Context, in Inputs, o Options) (r Report, err error) {
	began := time.Now()
	if o.Say == nil {
		o.Say = func(string) {}
	}
	tg, err := targetOf(in.Lock.Arch)
	if err != nil {
		return Report{}, &event.Error{Class: event.ClassConfig, Message: err.Error()}
	}
	b := &builder{Options: o, Inputs: in, target: tg, tree: tree{}, store: &store{dir: filepath.Join(o.Cache, "userland")}}
	defer func() { err = errors.Join(err, b.store.close()) }()
	if err := os.MkdirAll(filepath.Join(b.store.dir, "tars"), 0o755); err != nil {
		return Report{}, diskError(b.store.dir, err)
	}
	if err := sweep(b.store.dir, o.Output, began); err != nil {
		return Report{}, err
	}
	if err := b.all(ctx); err != nil {
		return Report{}, buildError(ctx, err)
	}
	b.report.Took = time.Since(began)
	return b.report, nil
}

func (b *builder) all(ctx context.Context) error {
	var licences []pack.Licence
	for _, step := range []func(context.Context) ([]pack.Licence, error){b.debian, b.node, b.engines} {
		l, err := step(ctx)
		if err != nil {
			return err
		}
		licences = append(licences, l...)
	}
	policy, err := readPolicies(b.Policies, b.target)
	if err != nil {
		return err
	}
	if err := b.shim(ctx); err != nil {
		return err
	}
	b.Say("Preparing programs.")
	if b.report.Dangling, err = b.tree.tidy(); err != nil {
		return err
	}
	if b.report.Neutralised, err = b.tree.neutralise(b.target, policy); err != nil {
		return err
	}
	if err := b.tree.needs(b.target); err != nil {
		return err
	}
	if b.report.Programs, b.report.Scripts, err = b.tree.prepare(b.target); err != nil {
		return err
	}
	return b.write(ctx, policy.Name, licences)
}

// debian brings the packages' files and does the work of their scripts.
func (b *builder) debian(ctx context.Context) ([]pack.Licence, error) {
	paths, err := b.store.debs(ctx, b.Lock, b.Say)
	if err != nil {
		return nil, err
	}
	b.Say("Unpacking Debian packages.")
	for i, p := range b.Lock.Packages {
		archive, err := b.store.debTar(ctx, p, paths[i])
		if err != nil {
			return nil, err
		}
		if err := b.tree.addDeb(archive, p.Name); err != nil {
			return nil, err
		}
	}
	licences, err := b.tree.debLicences(b.Lock.Packages)
	if err != nil {
		return nil, err
	}
	drop, err := parseRules(b.Drop)
	if err != nil {
		return nil, err
	}
	drop.apply(b.tree)
	b.report.Idle = drop.idle()
	return licences, b.tree.cookBase(b.target)
}

// buildError gives an error its sentence, unless it has one.
func buildError(ctx context.Context, err error) error {
	var own *event.Error
	switch {
	case ctx.Err() != nil:
		return stopped(ctx)
	case errors.As(err, &own):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return diskError("the cache or the output", err)
	}
	return &event.Error{
		Class:   event.ClassEngine,
		Message: fmt.Sprintf("The pack could not be made: %s.", strings.TrimSuffix(err.Error(), ".")),
		Detail:  err.Error(),
	}
}
