// Package kill kills Keva, at any moment of a tour, and looks at what the next start makes of it (I-15): what was shown is
// stored, nothing open is called done, nothing of ours runs on, strangers are untouched, and the session goes on.
//
// The app that is killed is this very test program, run again: the product without a screen, in a process of its own.
package kill

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// roleEnv says what this program is, when it is not the test.
const roleEnv = "KEVA_KILL_ROLE"

// The roles.
const (
	roleApp    = "app"    // Keva
	roleEngine = "engine" // the scripted engine
	roleTool   = "tool"   // a command that the scripted engine runs
)

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleEnv); role {
	case "":
		os.Exit(m.Run())
	case roleApp:
		app()
	case roleEngine:
		engineMain()
	case roleTool:
		toolMain()
	default:
		fmt.Fprintln(os.Stderr, "no such role:", role)
		os.Exit(2)
	}
}

// toolMain is a command that takes long. Some hear no politeness.
func toolMain() {
	if deaf() {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	}
	time.Sleep(time.Hour)
}

// deaf is true for one process in ten: each costs the guard a second of waiting.
func deaf() bool { return rand.IntN(10) == 0 }

// kills is how many kills a test does: few in CI, KEVA_KILLS in the nightly run.
func kills(few int) int {
	if n, err := strconv.Atoi(os.Getenv("KEVA_KILLS")); err == nil && n > 0 {
		return n
	}
	return few
}
