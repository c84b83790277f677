package secret

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Shield keeps what is in Keva's memory out of core dumps and out of the hands of other programs of the same user, such as
// a command that a model runs: the kernel gives nobody but the administrator this process's memory, environment or files,
// and no debugger can attach. Engines are started without core dumps, too. Call it once, first of all; an error means that
// this system does not allow it, and that keys are as safe as in any other program.
//
// It holds for this process only: what an engine keeps itself is in the engine's memory.
func Shield() error {
	err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	if err != nil {
		err = fmt.Errorf("not dumpable: %w", err)
	}
	// The limit alone would not do here: where core dumps go to a program, the kernel does not look at it. Engines become
	// dumpable when they are started, and have the limit. It is the soft one: a command may raise it for its own programs.
	var core unix.Rlimit
	limit := unix.Getrlimit(unix.RLIMIT_CORE, &core)
	if limit == nil {
		core.Cur = 0
		limit = unix.Setrlimit(unix.RLIMIT_CORE, &core)
	}
	if limit != nil {
		limit = fmt.Errorf("core limit: %w", limit)
	}
	return errors.Join(err, limit)
}
