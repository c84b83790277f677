//go:build linux && amd64

// Command box runs a command as an Android app would be run.
//
//	box -root DIR -policy FILE [-mode trap|record|off] [flags] -- CMD ARG…
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"keva/test/jail/box"
)

// list is a flag that may be given several times.
type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func main() {
	box.Stage()
	code, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "box:", err)
		code = box.Failed
	}
	os.Exit(code)
}

func run() (int, error) {
	var c box.Config
	root := flag.String("root", "", "the root that box.Make filled")
	policy := flag.String("policy", "", "policy file")
	mode := flag.String("mode", "trap", "what a call outside the policy does: trap, record (let it pass and count), off (no policy)")
	flag.StringVar(&c.Log, "log", "", "where record writes; standard error by default")
	flag.StringVar(&c.Dir, "dir", "", "working directory in the box")
	flag.BoolVar(&c.Ptrace, "ptrace", false, "allow ptrace")
	flag.BoolVar(&c.Flat, "flat", false, "files have no modes, owners or links, as on shared storage")
	flag.BoolVar(&c.Host, "host", false, "keep the host's network")
	flag.Var((*list)(&c.Env), "e", "K=V for the command, may be repeated; nothing else is passed")
	flag.Parse()
	c.Root, c.Args = *root, flag.Args()
	var err error
	if c.Root != "" {
		if c.Root, err = filepath.Abs(c.Root); err != nil {
			return 0, err
		}
	}
	if c.Mode, err = box.ParseMode(*mode); err != nil {
		return 0, err
	}
	if c.Mode != box.ModeOff {
		f, err := os.Open(*policy)
		if err != nil {
			return 0, err
		}
		c.Policy, err = box.ParsePolicy(f)
		if err = errors.Join(err, f.Close()); err != nil {
			return 0, err
		}
	}
	b, err := c.Command(context.Background(), "/proc/self/exe")
	if err != nil {
		return 0, err
	}
	b.Stdin, b.Stdout, b.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := b.Start(); err != nil {
		return 0, err
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		for s := range signals {
			_ = b.Process.Signal(s) // it may be gone
		}
	}()
	if err, exit := b.Wait(), (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	return b.ProcessState.ExitCode(), nil
}
