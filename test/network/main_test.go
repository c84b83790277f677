// Package network runs real programs behind the network policy: both engines, and the tools that they run, through Keva's
// proxy and every kind of proxy that a network may have.
package network

import (
	"flag"
	"fmt"
	"os"
	"testing"

	compose "keva/test/world"
)

// cache is where the engines are installed.
var cache string

func TestMain(m *testing.M) {
	dir, done, err := compose.Prepare("claude", "codex")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cache = dir
	flag.Parse()
	// Most of the time these programs wait, for a proxy that does not answer or between two tries.
	if err := flag.Set("test.parallel", "6"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	done()
	os.Exit(code)
}
