//go:build linux && amd64

// Command bench measures the userland in the jail against the same packages in a native root, and against PRoot over that
// root, interleaved in one run, and unpacking against zstd and tar. It writes what it found, also where an aim is missed.
//
//	bench [-rounds N] [-o FILE]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"keva/test/jail/lab"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	rounds := flag.Int("rounds", 12, "how often everything is measured")
	out := flag.String("o", "", "file for the report, beside standard output")
	flag.Parse()
	l, err := lab.New(ctx)
	if err != nil {
		return err
	}
	defer l.Close()
	begun := time.Now()
	f := newFigures()
	if err := commands(ctx, l, *rounds, f); err != nil {
		return err
	}
	if err := unpacking(ctx, l, min(*rounds, 3), f); err != nil {
		return err
	}
	var to io.Writer = os.Stdout
	if *out != "" {
		file, err := os.Create(*out)
		if err != nil {
			return err
		}
		f.report(io.MultiWriter(to, file), *rounds, time.Since(begun))
		return file.Close()
	}
	f.report(to, *rounds, time.Since(begun))
	return nil
}
