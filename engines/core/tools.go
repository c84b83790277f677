package core

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/onboarding"
	"keva/agent/slot"
	"keva/engines/catalog"
	"keva/engines/userland/pack"
	"keva/engines/userland/plan"
	"keva/engines/userland/unpack"
)

// labels are the parts of a pack for people.
var labels = map[string]string{"base": "Base system", "node": "Node.js", "claude": "Claude Code", "codex": "Codex"}

// Tools says how the tools are that engines need here. The first call looks at the disk, and hashes what is quick to hash;
// later ones know.
func (c *Core) Tools(ctx context.Context) onboarding.Tools {
	if c.places.Kind() == plan.KindHost {
		return onboarding.ToolsNotNeeded
	}
	c.toolsMu.Lock()
	defer c.toolsMu.Unlock()
	if c.tools == onboarding.ToolsUnknown {
		c.tools = c.lookAtTools(ctx)
		c.Log.Info().Str("tools", string(c.tools)).Msg("userland")
	}
	return c.tools
}

func (c *Core) lookAtTools(ctx context.Context) onboarding.Tools {
	root := catalog.UserlandDir(c.data)
	tree, err := unpack.Current(root)
	var e *pack.Error
	switch {
	case errors.As(err, &e) && e.Reason == pack.ReasonNone:
		if begun, err := filepath.Glob(filepath.Join(root, "versions", "*.state")); err == nil && len(begun) > 0 {
			return onboarding.ToolsPartly
		}
		return onboarding.ToolsMissing
	case err != nil:
		return onboarding.ToolsDamaged
	}
	if tree.Moved() { // another user of the phone, or the folder was moved
		if tree, _, err = unpack.Relocate(ctx, tree, tree.Root); err != nil {
			c.Log.Error().Err(err).Msg("relocate the userland")
			return onboarding.ToolsDamaged
		}
	}
	report, err := tree.Check(ctx, unpack.Quick)
	if err != nil {
		c.Log.Error().Err(err).Msg("check the userland")
		return onboarding.ToolsUnknown
	}
	if !report.OK() {
		c.Log.Error().Str("first", report.Problems[0].String()).Int("problems", len(report.Problems)).Msg("the userland is damaged")
		return onboarding.ToolsDamaged
	}
	if src, err := c.openPack(); err == nil {
		defer func() { _ = src.Close() }() // only read
		if r, err := pack.NewReader(src); err == nil && r.Manifest().Arch == tree.Manifest.Arch {
			if r.Manifest().ID != tree.Manifest.ID {
				return onboarding.ToolsOutdated
			}
			c.sweepTools(ctx, root) // no half of a newer version can be meant to go on
		}
	}
	return onboarding.ToolsReady
}

// sweepTools removes what an update had to leave, because programs still ran from it: else it stays until the next one.
func (c *Core) sweepTools(ctx context.Context, root string) {
	err := unpack.Sweep(ctx, root, unpack.Options{Kept: func(id string, err error) {
		c.Log.Info().Err(err).Str("version", id).Msg("an old version of the userland stays")
	}})
	if err != nil {
		c.Log.Error().Err(err).Msg("remove old versions of the userland")
	}
}

// toolsAreDamaged is what a check of every file found: the quick one does not see it. The first start mends them.
func (c *Core) toolsAreDamaged() {
	c.toolsMu.Lock()
	defer c.toolsMu.Unlock()
	c.tools = onboarding.ToolsDamaged
}

// openPack opens the pack that this installation of Keva brings along.
func (c *Core) openPack() (*pack.Opened, error) {
	file, entry := c.device.Pack()
	switch {
	case file == "":
		return nil, &event.Error{
			Class:   event.ClassConfig,
			Message: "This installation of Keva brings no Linux tools along. Install the full version of the app, or on a computer name a pack: KEVA_PACK=FILE (make pack builds one).",
		}
	case entry == "":
		return pack.OpenFile(file)
	}
	return pack.OpenAPK(file, entry)
}

// Unpack installs the tools, goes on with what was begun, or mends what is damaged. It holds the engine slot: no engine may
// run on tools that are being replaced.
func (c *Core) Unpack(ctx context.Context, progress func(onboarding.Progress)) error {
	wait, cancel := context.WithTimeout(ctx, budget.SlotYield.Time)
	defer cancel()
	lease, err := c.slot.Acquire(wait, slot.Holder{Who: "the installation", What: "Linux tools", Since: time.Now().UTC()}, nil)
	if err != nil {
		var busy *slot.BusyError
		if errors.As(err, &busy) {
			return &event.Error{Class: event.ClassEngine, Message: busy.Error()}
		}
		return err
	}
	defer lease.Release()
	src, err := c.openPack()
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }() // only read
	reader, err := pack.NewReader(src)
	if err != nil {
		return err
	}
	parts := reader.Manifest().Parts
	o := unpack.Options{Progress: func(p unpack.Progress) {
		if p.Stage == unpack.Saving || p.Stage == unpack.Done { // how far that is nobody knows, but all is unpacked
			p.Done, p.Left = p.Total, 0
		}
		progress(onboarding.Progress{Done: p.Done, Total: p.Total, Rate: p.Rate, Left: max(0, p.Left), Parts: shares(parts, p)})
	}}
	root := catalog.UserlandDir(c.data)
	if err := os.MkdirAll(root, 0o700); err != nil {
		return &event.Error{Class: event.ClassConfig, Message: "The folder for the Linux tools can't be made. Check the free space.", Detail: err.Error()}
	}
	tree, err := unpack.Current(root)
	if err == nil && tree.Manifest.ID == reader.Manifest().ID {
		_, err = tree.Repair(ctx, src, o)
	} else {
		_, err = unpack.Install(ctx, src, root, o)
	}
	if err != nil && ctx.Err() == nil {
		c.Log.Error().Err(err).Msg("unpack the userland")
	}
	c.toolsMu.Lock()
	c.tools = onboarding.ToolsUnknown // looked at again
	c.toolsMu.Unlock()
	return err
}

// shares divides what was done among the parts, in the order in which they lie in the pack.
func shares(parts []pack.Part, p unpack.Progress) []onboarding.Part {
	var list []onboarding.Part
	end := int64(0)
	current := false
	for _, part := range parts {
		end += part.Size
		label := labels[part.Name]
		if label == "" {
			label = part.Name
		}
		if version, _, _ := strings.Cut(part.Version, "+"); version != "" { // Debian's are long behind the plus
			label += " " + version
		}
		done := p.Done >= end || p.Stage == unpack.Saving || p.Stage == unpack.Done
		list = append(list, onboarding.Part{Label: label, Done: done, Current: !done && !current})
		current = current || !done
	}
	return list
}

// tempAge is how long what programs leave in the userland's /tmp stays.
const tempAge = 24 * time.Hour

// sweepTemp removes what is old in the userland's folder for temporary files: a phone has no boot that would do it.
func (c *Core) sweepTemp(now time.Time) {
	dir := filepath.Join(c.data, "tmp")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // it is made when it is needed
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || now.Sub(info.ModTime()) < tempAge {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			c.Log.Warn().Err(err).Msg("an old temporary file can't be removed")
		}
	}
}

// Licence is the licence text of something that Keva brings along.
type Licence struct{ Name, Version, path string }

// Licences lists those of the installed tools; none while nothing is installed.
func (c *Core) Licences() []Licence {
	tree, err := unpack.Current(catalog.UserlandDir(c.data))
	if err != nil {
		return nil
	}
	var list []Licence
	for _, l := range tree.Manifest.Licences {
		list = append(list, Licence{l.Name, l.Version, filepath.Join(tree.Root, filepath.FromSlash(l.Path))})
	}
	return list
}

// Text reads the licence, at most 1 MB of it.
func (l Licence) Text() (string, error) {
	f, err := os.Open(l.path)
	if err != nil {
		return "", &event.Error{Class: event.ClassConfig, Message: "The licence text of " + l.Name + " can't be read. Repair the tools in the doctor.", Detail: err.Error()}
	}
	defer func() { _ = f.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(f, 1<<20))
	return string(data), err
}
