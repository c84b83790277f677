package claude

import (
	"keva/agent/runtime"
	"keva/engines/proc"
)

var _ runtime.Witness = (*engine)(nil)

// Vitals implements runtime.Witness.
func (e *engine) Vitals() runtime.Vitals {
	cpu, children, ok := e.proc.Vitals()
	if !ok {
		return runtime.Vitals{}
	}
	return runtime.Vitals{PID: e.proc.PID(), CPU: cpu, CPUKnown: true, Children: children}
}

// record asks for a run record of a process of this engine.
func (o Options) record(session string) proc.RecordSpec {
	return proc.RecordSpec{Dir: o.RecordDir, Engine: "claude", Session: session}
}
