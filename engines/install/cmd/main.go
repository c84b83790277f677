// Command cmd installs the pinned engines; `make engines` runs it. With names it installs only those.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"keva/agent/event"
	"keva/engines/install"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		var e *event.Error
		if errors.As(err, &e) && e.Detail != "" {
			fmt.Fprintln(os.Stderr, e.Detail)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, ids []string) error {
	cache, err := install.CacheDir()
	if err != nil {
		return err
	}
	m := install.Default()
	if len(ids) == 0 {
		for _, e := range m.Engines {
			ids = append(ids, e.ID)
		}
	}
	for _, id := range ids {
		p, err := install.Ensure(ctx, m, id, cache, func(text string) { fmt.Println(text) })
		if err != nil {
			return err
		}
		fmt.Printf("%s %s is ready: %s\n", id, p.Version, p.Binary)
	}
	return nil
}
