// Command cmd installs, checks, repairs, relocates and measures userland packs on a desktop.
//
//	go run ./engines/userland/unpack/cmd -root DIR -pack FILE            install, and print PREFIX
//	go run ./engines/userland/unpack/cmd -root DIR -apk APK -entry NAME  the same out of an APK
//	go run ./engines/userland/unpack/cmd -root DIR -check quick|full     say what is wrong
//	go run ./engines/userland/unpack/cmd -root DIR -pack FILE -repair    put it right
//	go run ./engines/userland/unpack/cmd -root DIR -relocate             after DIR was moved
//	go run ./engines/userland/unpack/cmd -root DIR [-pack FILE] -bench N compare with `zstd -dc | tar x`
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"

	"keva/engines/userland/pack"
	"keva/engines/userland/unpack"
	"keva/engines/userland/unpack/bench"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	var e *pack.Error
	if errors.As(err, &e) {
		fmt.Fprintf(os.Stderr, "reason: %s %s (%v)\n", e.Reason, e.Detail, e.Cause)
	}
	os.Exit(1)
}

type flags struct {
	root, pack, apk, entry, arch, check string
	repair, relocate                    bool
	bench                               int
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	var f flags
	set := flag.NewFlagSet("unpack", flag.ContinueOnError)
	set.SetOutput(progress)
	set.StringVar(&f.root, "root", "", "folder of the installation")
	set.StringVar(&f.pack, "pack", "", "a pack")
	set.StringVar(&f.apk, "apk", "", "an APK that holds a pack")
	set.StringVar(&f.entry, "entry", "", "the pack's name in the APK")
	set.StringVar(&f.arch, "arch", runtime.GOARCH, "the processor that the pack must be for")
	set.StringVar(&f.check, "check", "", "quick or full")
	set.BoolVar(&f.repair, "repair", false, "replace what is wrong")
	set.BoolVar(&f.relocate, "relocate", false, "set it up for where it is now")
	set.IntVar(&f.bench, "bench", 0, "rounds to measure")
	if err := set.Parse(args); err != nil {
		return err
	}
	if f.root == "" {
		return errors.New("say where: -root DIR")
	}
	switch {
	case f.bench > 0:
		return measure(ctx, f, out)
	case f.check != "":
		return check(ctx, f, out)
	case f.relocate:
		return relocate(ctx, f, out)
	}
	return install(ctx, f, out, progress)
}

func install(ctx context.Context, f flags, out, progress io.Writer) (err error) {
	open := func() (*pack.Opened, error) { return pack.OpenFile(f.pack) }
	if f.apk != "" {
		open = func() (*pack.Opened, error) { return pack.OpenAPK(f.apk, f.entry) }
	}
	src, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	o := unpack.Options{
		Arch: f.arch,
		Progress: func(p unpack.Progress) {
			fmt.Fprintf(progress, "\r%-9s %4d of %4d MB, %3.0f MB/s ", p.Stage, p.Done/1e6, p.Total/1e6, p.Rate/1e6)
		},
		Waiting: func() { fmt.Fprintln(progress, "Another installation is at work; waiting for it.") },
		Kept:    func(id string, err error) { fmt.Fprintf(progress, "\nThe version %s stays (%v).\n", id, err) },
	}
	tree, err := unpack.Tree{}, error(nil)
	if f.repair {
		if tree, err = unpack.Current(f.root); err == nil {
			tree, err = tree.Repair(ctx, src, o)
		}
	} else {
		tree, err = unpack.Install(ctx, src, f.root, o)
	}
	fmt.Fprintln(progress)
	if err == nil {
		_, err = fmt.Fprintln(out, tree.Root)
	}
	return err
}

func check(ctx context.Context, f flags, out io.Writer) error {
	depth, ok := map[string]unpack.Depth{"quick": unpack.Quick, "full": unpack.Full}[f.check]
	if !ok {
		return fmt.Errorf("-check %s: say quick or full", f.check)
	}
	tree, err := unpack.Current(f.root)
	if err != nil {
		return err
	}
	rep, err := tree.Check(ctx, depth)
	if err != nil {
		return err
	}
	for _, p := range rep.Problems {
		fmt.Fprintln(out, p)
	}
	fmt.Fprintf(out, "%s: %d problems, %d extra files\n", tree.Root, len(rep.Problems), rep.Extras)
	if !rep.OK() {
		return errors.New("the userland is not as it was installed: run it again with -pack FILE -repair")
	}
	return nil
}

func relocate(ctx context.Context, f flags, out io.Writer) error {
	tree, err := unpack.Current(f.root)
	if err != nil {
		return err
	}
	tree, left, err := unpack.Relocate(ctx, tree, tree.Root)
	if err != nil {
		return err
	}
	for _, p := range left {
		fmt.Fprintln(out, "left alone:", p)
	}
	_, err = fmt.Fprintln(out, tree.Prefix)
	return err
}

func measure(ctx context.Context, f flags, out io.Writer) (err error) {
	file := f.pack
	if err := os.MkdirAll(f.root, 0o700); err != nil {
		return err
	}
	if file == "" {
		if file, err = bench.Synthetic(ctx, f.root, f.arch, 300<<20); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.Remove(file)) }()
	}
	res, err := bench.Run(ctx, file, f.root, f.bench)
	if err != nil {
		return err
	}
	return res.Print(out)
}
