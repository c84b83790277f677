package codex

import (
	"keva/agent/runtime"
	"keva/engines/proc"
)

var _ runtime.Witness = (*adapter)(nil)

// Vitals implements runtime.Witness.
func (a *adapter) Vitals() runtime.Vitals {
	cpu, children, ok := a.p.Vitals()
	if !ok {
		return runtime.Vitals{}
	}
	return runtime.Vitals{PID: a.p.PID(), CPU: cpu, CPUKnown: true, Children: children}
}

// record asks for a run record of a process of this engine.
func (o Options) record(session string) proc.RecordSpec {
	return proc.RecordSpec{Dir: o.RecordDir, Engine: "codex", Session: session}
}
