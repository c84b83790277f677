package transcript

import (
	"encoding/json"
	"regexp"
	"strconv"

	"keva/agent/event"
)

var (
	exitEv = regexp.MustCompile(`^process exited code=(null|-?\d+) signal=(null|SIG[A-Z0-9]+)$`)
	sentBy = regexp.MustCompile(`^driver sends (SIG[A-Z0-9]+) to `)
)

// sentSignal returns the signal that a note says the recorder sent to the engine, "" when it says no such thing.
func sentSignal(note string) string {
	if m := sentBy.FindStringSubmatch(note); m != nil {
		return m[1]
	}
	return ""
}

// exitOf reads how the process ended. sent is the signal that the recorder had sent before, "" for none: an engine that
// is asked to end by a signal may catch it and exit with a code of its own (143), which is no failure.
func exitOf(note, sent string) (event.EngineExited, bool) {
	code, signal, ok := parseExit(note)
	if !ok {
		return event.EngineExited{}, false
	}
	e := event.EngineExited{Signal: signal}
	if code != nil {
		e.Code = *code
	}
	e.Class = exitClass(code, signal, sent)
	if e.Class == event.ExitStopped {
		e.Rung = sent
		if e.Rung == "" {
			e.Rung = signal
		}
	}
	return e, true
}

func parseExit(note string) (code *int, signal string, ok bool) {
	if m := exitEv.FindStringSubmatch(note); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			code = &n
		}
		if m[2] != "null" {
			signal = m[2]
		}
		return code, signal, true
	}
	var n struct {
		Exit   json.RawMessage `json:"exit"`
		Signal *string         `json:"signal"`
	}
	if json.Unmarshal([]byte(note), &n) != nil || n.Exit == nil {
		return nil, "", false
	}
	if json.Unmarshal(n.Exit, &code) != nil {
		return nil, "", false
	}
	if n.Signal != nil {
		signal = *n.Signal
	}
	return code, signal, true
}

// exitClass tells why the process ended. A SIGKILL stays ExitKilled, also when the recorder sent it: recordings use it to
// play the system's part. A code and a signal that are both missing are Unknown, never clean.
func exitClass(code *int, signal, sent string) event.ExitClass {
	switch signal {
	case "":
	case "SIGKILL":
		return event.ExitKilled
	case "SIGSYS":
		return event.ExitBlocked
	case "SIGINT", "SIGTERM", "SIGHUP":
		return event.ExitStopped
	default:
		return event.ExitCrashed
	}
	switch {
	case code == nil:
		return event.ExitUnknown
	case sent != "":
		return event.ExitStopped
	case *code == 0:
		return event.ExitClean
	}
	return event.ExitCode
}
