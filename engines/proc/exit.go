package proc

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"keva/agent/event"
)

// classify says how the process ended. rung is the rung of the ladder that was climbed last, sent the signals that the
// ladder sent: a death that they don't explain is not called a stop.
func classify(st *os.ProcessState, waitErr error, rung string, sent map[os.Signal]bool) event.EngineExited {
	ws, ok := syscall.WaitStatus(0), false
	if st != nil {
		ws, ok = st.Sys().(syscall.WaitStatus)
	}
	e := event.EngineExited{Class: event.ExitUnknown}
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
		e.Class = event.ExitCode
		e.Advice = fmt.Sprintf("The engine gave up with exit code %d. Its last lines say why; when they don't, start it again.", e.Code)
	}
	if e.Class == event.ExitStopped {
		e.Rung = rung
	}
	return e
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
