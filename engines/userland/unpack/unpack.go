// Package unpack installs userland packs: one pass from the archive to the disk, checked on the way, resumed after a
// kill at any point, and in use only when it is whole. It also checks, repairs and relocates what is installed.
//
//	ROOT/current              names the version in use; replaced atomically
//	ROOT/lock                 held by who changes anything below ROOT
//	ROOT/versions/ID/         the tree; its absolute path is PREFIX
//	ROOT/versions/ID.manifest the pack's manifest
//	ROOT/versions/ID.prefix   the path that the tree is relocated for
//	ROOT/versions/ID.state    there while the tree is not whole
//
// Nothing says how far an installation got but the tree itself: after a kill each file is hashed, since any record could
// be newer than the bytes it tells of.
//
// The package must never run anything from a tree, and never delete what it did not install.
package unpack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"keva/engines/userland/pack"
)

// Options are how a pack is installed. The zero value is right for the machine that it runs on.
type Options struct {
	Arch     string         // Go's name of the processor; this machine's if ""
	Workers  int            // frames at work at once, 8 MiB of memory each; up to 4 by the number of processors if 0
	Progress func(Progress) // called from one goroutine at a time, about ten times a second; nil for nobody
	// Waiting is called once if another installation is at work; it is then waited for. If nil, it's an error
	// ([pack.ReasonBusy]) instead.
	Waiting func()
	// InUse reports whether an engine runs from the tree at prefix, which then is not deleted. Its error counts as yes.
	// [Running] if nil.
	InUse func(prefix string) (bool, error)
	// Kept is told about an old version that stays on the disk: because it is in use (err is nil), or could not be
	// removed; id is "" if nobody could look for old versions. [Sweep] tries again later.
	Kept func(id string, err error)
	// Free says how many bytes may be written below dir; the file system is asked if nil. If it fails, nobody knows,
	// and a full disk is met when it is full.
	Free func(dir string) (int64, error)

	now   func() time.Time
	probe func(dir string) (storage, error)
}

func (o Options) defaults() Options {
	if o.Arch == "" {
		o.Arch = runtime.GOARCH
	}
	if o.Workers <= 0 {
		o.Workers = min(4, runtime.GOMAXPROCS(0))
	}
	if o.InUse == nil {
		o.InUse = Running
	}
	if o.Kept == nil {
		o.Kept = func(string, error) {}
	}
	if o.Free == nil {
		o.Free = free
	}
	if o.now == nil {
		o.now = time.Now
	}
	if o.probe == nil {
		o.probe = probe
	}
	return o
}

// Install makes the pack the version in use and returns its tree. What an earlier, killed or stopped run has written is
// checked and kept. The version before stays in use until this one is whole, and stays on the disk while it is in use.
// A version that is installed already gets a quick check, and what is wrong with it is replaced.
//
// Every error is a [pack.Error]. After any error the version before is as it was. ctx stops it between pieces.
func Install(ctx context.Context, src pack.Source, root string, o Options) (Tree, error) {
	o = o.defaults()
	p, err := newPlaces(root)
	if err != nil {
		return Tree{}, err
	}
	r, err := pack.NewReader(src)
	if err != nil {
		return Tree{}, err
	}
	m := r.Manifest()
	if m.Arch != o.Arch {
		return Tree{}, &pack.Error{
			Reason:  pack.ReasonArch,
			Message: fmt.Sprintf("The userland pack is for %s processors, this device has %s. Install the build of Keva for this device.", m.Arch, o.Arch),
		}
	}
	if err := validPrefix(p.tree(m.ID)); err != nil {
		return Tree{}, err
	}
	if err := os.MkdirAll(p.versions(), 0o700); err != nil {
		return Tree{}, writeError(p.versions(), err)
	}
	unlock, err := lock(ctx, p.lock(), o.Waiting)
	if err != nil {
		return Tree{}, err
	}
	defer unlock()
	if err := suitable(p.versions(), m, o.probe); err != nil {
		return Tree{}, err
	}
	if t, err := Current(root); err == nil && t.Manifest.ID == m.ID {
		return o.renew(ctx, r, p, t, Quick)
	}
	return o.install(ctx, r, p)
}

// renew brings the version in use to what the pack says.
func (o Options) renew(ctx context.Context, r *pack.Reader, p places, t Tree, depth Depth) (Tree, error) {
	if t.Moved() {
		if _, err := p.relocate(ctx, t, t.Root); err != nil {
			return t, err
		}
		t.Prefix = t.Root
	}
	return t, o.mend(ctx, r, t, depth)
}

// install unpacks a version that is not in use yet and switches to it.
func (o Options) install(ctx context.Context, r *pack.Reader, p places) (Tree, error) {
	m := r.Manifest()
	t := Tree{Root: p.tree(m.ID), Prefix: p.tree(m.ID), Manifest: m}
	// What can never be used again goes first: it may be the room that is missing.
	if err := p.sweep(m.ID, o); err != nil {
		return Tree{}, err
	}
	if err := p.begin(r); err != nil {
		return Tree{}, err
	}
	if err := o.mend(ctx, r, t, unfinished); err != nil {
		return Tree{}, err
	}
	if err := o.seal(ctx, p, t); err != nil {
		return Tree{}, err
	}
	if err := p.use(m.ID); err != nil {
		return Tree{}, err
	}
	// It is in use from here on: what goes wrong now is told, but is no failure.
	if err := p.sweep(m.ID, o); err != nil {
		o.Kept("", err)
	}
	return t, nil
}

// mend brings a tree to what the pack says, by doing only what is not done, and checks it. depth says how closely it
// is looked at before.
func (o Options) mend(ctx context.Context, r *pack.Reader, t Tree, depth Depth) error {
	meter := newMeter(o, t.Manifest.Size())
	state, err := scan(ctx, t, depth, o.Workers, meter.stage(Checking).add)
	if err != nil {
		return stopped(ctx, t.Root, err)
	}
	if len(state) == 0 && depth != unfinished { // what a killed run has written may not be on the disk yet
		meter.finish()
		return nil
	}
	if err := o.enoughRoom(t, state); err != nil {
		return err
	}
	x := &extraction{r: r, tree: t, workers: o.Workers, meter: meter.stage(Unpacking)}
	if err := x.run(ctx, state); err != nil {
		return stopped(ctx, t.Root, err)
	}
	meter.stage(Saving).start(t.Manifest.Size())
	if err := syncAll(t.Root); err != nil {
		return writeError(t.Root, err)
	}
	// A file that was just written had the right hash on its way; now see that all is there and of the right size.
	left, err := scan(ctx, t, present, o.Workers, nil)
	if err != nil {
		return stopped(ctx, t.Root, err)
	}
	if len(left) > 0 {
		return damaged(t, problems(left))
	}
	meter.finish()
	return nil
}

// seal makes a checked tree durable and drops the mark that it is unfinished.
//
// One syncfs writes all files of the file system, their folders and the journal: after it the tree survives the loss of
// power, at the cost of one flush, where an fsync for each of thousands of files would cost one flush each. Before Linux
// 5.8 syncfs does not report a failed write; the check at the next start finds such a file. Only then the mark is
// removed, and its folder synced, and only then `current` is replaced.
func (o Options) seal(ctx context.Context, p places, t Tree) error {
	if ctx.Err() != nil {
		return stopped(ctx, t.Root, ctx.Err())
	}
	err := writeDurable(p.prefix(t.Manifest.ID), []byte(t.Prefix+"\n"))
	if err == nil {
		err = os.Remove(p.state(t.Manifest.ID))
	}
	if err == nil {
		err = syncDir(p.versions())
	}
	if err != nil {
		return writeError(p.versions(), err)
	}
	return nil
}

// begin marks the version as unfinished, durably, before its folder exists.
func (p places) begin(r *pack.Reader) error {
	id := r.Manifest().ID
	err := ensure(p.state(id), []byte(id+"\n"))
	if err == nil {
		err = ensure(p.manifest(id), r.RawManifest())
	}
	if err == nil {
		err = mkdir(p.tree(id))
	}
	if err != nil {
		return writeError(p.versions(), err)
	}
	return nil
}

// mkdir makes the top of a tree, with a mode that the umask can't change.
func mkdir(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no folder", filepath.Base(dir))
	}
	return os.Chmod(dir, 0o755)
}
