package proc

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"keva/agent/event"
)

// classify says how the process ended. rung is the rung of the ladder that was climbed last, sent the signals that the
// ladder sent: a death that they don't explain is not called a stop. stderr is the tail of what it complained about.
func classify(st *os.ProcessState, waitErr error, rung string, sent map[os.Signal]bool, stderr string) event.EngineExited {
	ws, ok := syscall.WaitStatus(0), false
	if st != nil {
		ws, ok = st.Sys().(syscall.WaitStatus)
	}
	e := event.EngineExited{Class: event.ExitUnknown, Stderr: stderr}
	switch {
	case !ok:
		e.Advice = "The engine is gone and the system did not say how it ended. Send the message again to start a new one."
		if waitErr != nil {
			e.Advice += " (" + waitErr.Error() + ")"
		}
	case ws.Signaled():
		e.Signal = signalName(ws.Signal())
		e.Code = 128 + int(ws.Signal())
		e.Class, e.Advice = bySignal(ws.Signal(), sent)
	case rung != "":
		e.Code = ws.ExitStatus()
		e.Class, e.Advice = event.ExitStopped, stoppedAdvice
	case ws.ExitStatus() == 0:
		e.Class, e.Advice = event.ExitClean, "The engine ended by itself. Send a message to start it again."
	default:
		e.Code = ws.ExitStatus()
		e.Class, e.Advice = byCode(e.Code, stderr)
	}
	if e.Class == event.ExitStopped {
		e.Rung = rung
	}
	return e
}

// loaders are the words of the dynamic loaders of glibc, musl and Android for a library that is not there. The program
// has not begun then, and the kernel took its start for a success.
var loaders = []string{"error while loading shared libraries", "Error loading shared library", "CANNOT LINK EXECUTABLE"}

// byCode names an end with an exit code other than 0. 126 and 127 are the codes of shells and loaders, between which and
// the kernel a launcher may stand: the program was not allowed to run, or is not there.
func byCode(code int, stderr string) (event.ExitClass, string) {
	for _, words := range loaders {
		if strings.Contains(stderr, words) && (code == 127 || code == 1) {
			return event.ExitNoLoader, "The engine could not start: a library that it needs is missing or does not fit. Install the engine's build for this system; its last lines name the library."
		}
	}
	switch code {
	case 126:
		return event.ExitNotAllowed, "The engine could not start: its program may not be executed. Install the engine again; its last lines name the program."
	case 127:
		return event.ExitNotFound, "The engine could not start: a program that its launcher needs is not there. Install the engine again; its last lines name the program."
	}
	return event.ExitCode, fmt.Sprintf("The engine gave up with exit code %d. Its last lines say why; when they don't, start it again.", code)
}

const stoppedAdvice = "The engine was stopped, as asked."

// bySignal names a death by a signal.
func bySignal(s syscall.Signal, sent map[os.Signal]bool) (event.ExitClass, string) {
	switch {
	case sent[s]:
		return event.ExitStopped, stoppedAdvice
	case s == syscall.SIGKILL:
		return event.ExitKilled, "The system ended the engine, most often because memory ran out. Close other apps, then send the message again."
	case s == syscall.SIGSYS:
		return event.ExitBlocked, "The engine made a system call that this device forbids. Install the engine version that Keva was made for, or report this with the last lines."
	case s == syscall.SIGINT || s == syscall.SIGTERM || s == syscall.SIGHUP:
		return event.ExitCrashed, "Somebody else ended the engine (" + signalName(s) + "). Send the message again to start a new one."
	default:
		return event.ExitCrashed, "The engine crashed (" + signalName(s) + "). Send the message again; if it crashes once more, install the engine anew."
	}
}

func signalName(s syscall.Signal) string {
	if n := unix.SignalName(s); n != "" {
		return n
	}
	return fmt.Sprintf("signal %d", int(s))
}
