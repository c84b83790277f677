// Command cmd builds userland packs and renews their lock files; `make pack` and `make pack-lock` run it.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"keva/agent/event"
	"keva/assets/userland"
	"keva/engines/install"
	"keva/engines/userland/build"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		var e *event.Error
		if errors.As(err, &e) && e.Detail != "" {
			fmt.Fprintln(os.Stderr, e.Detail)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, w io.Writer) error {
	f := flag.NewFlagSet("pack", flag.ContinueOnError)
	arch := f.String("arch", "", "arm64 or amd64")
	level := f.String("level", string(build.Fast), "fast or release")
	out := f.String("o", "", "the archive; build/keva-userland-ARCH.tar.zst if empty")
	lock := f.Bool("lock", false, "renew the lock file instead of building")
	twice := f.Bool("twice", false, "build a second time and compare the bytes")
	policies := f.String("policies", "test/jail/policies", "folder with the policies of the Android releases")
	if err := f.Parse(args); err != nil {
		return err
	}
	cache, err := install.CacheDir()
	if err != nil {
		return err
	}
	if *lock {
		return renew(ctx, cache, *arch, w)
	}
	in, err := inputs(*arch)
	if err != nil {
		return err
	}
	if *out == "" {
		*out = filepath.Join("build", "keva-userland-"+*arch+".tar.zst")
	}
	o := build.Options{
		Cache: cache, Output: *out, Level: build.Level(*level), Policies: *policies,
		Say: func(text string) { fmt.Fprintln(w, text) },
	}
	r, err := build.Pack(ctx, in, o)
	if err != nil {
		return err
	}
	r.Print(w)
	if !*twice {
		return nil
	}
	if r, err = build.Reproduce(ctx, in, o); err == nil {
		fmt.Fprintf(w, "A second build, with all %d frames compressed again, gave the same bytes.\n", r.Fresh)
	}
	return err
}

// inputs are the pins that this source tree carries.
func inputs(arch string) (build.Inputs, error) {
	in := build.Inputs{Engines: install.Default()}
	text := func(name string) ([]byte, error) { return userland.Files.ReadFile(name) }
	data, err := text(arch + ".lock")
	if err != nil {
		return in, &event.Error{
			Class:   event.ClassConfig,
			Message: fmt.Sprintf("There is no lock file for %q. Say ARCH=arm64 or ARCH=amd64; a new one is made by `make pack-lock`.", arch),
			Detail:  err.Error(),
		}
	}
	if in.Lock, err = build.ParseLock(bytes.NewReader(data)); err != nil {
		return in, &event.Error{
			Class:   event.ClassConfig,
			Message: "assets/userland/" + arch + ".lock is damaged. Take it from git again, or run `make pack-lock`.",
			Detail:  err.Error(),
		}
	}
	if data, err = text("npm.json"); err != nil {
		return in, err
	}
	if in.Pins, err = build.ParsePins(data); err != nil {
		return in, err
	}
	data, err = text("drop")
	in.Drop = string(data)
	return in, err
}

// renew writes the lock file anew. Everything else stays as it was if that fails.
func renew(ctx context.Context, cache, arch string, w io.Writer) error {
	const dir = "assets/userland"
	list, err := os.ReadFile(filepath.Join(dir, "packages"))
	if err != nil {
		return &event.Error{Class: event.ClassConfig, Message: "Run this in Keva's source folder: " + dir + " is not here.", Detail: err.Error()}
	}
	wanted, err := build.ParseWanted(string(list))
	if err != nil {
		return err
	}
	l, err := build.Resolve(ctx, filepath.Join(cache, "userland", "apt-"+arch), arch, wanted)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := build.WriteLock(&b, l); err != nil {
		return err
	}
	name := filepath.Join(dir, arch+".lock")
	if err := os.WriteFile(name+".new", b.Bytes(), 0o644); err != nil {
		return err
	}
	if err := os.Rename(name+".new", name); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s pins %d packages.\n", name, len(l.Packages))
	return nil
}
