package catalog

import "keva/agent/runtime"

// Road is how one launch of an engine, and all that it starts, reaches the network.
type Road struct {
	Env []string // proxies and certificates, for the engine's environment
	// Traffic tells what passes on it between the engine and the given hosts; it may be nil.
	Traffic func(hosts ...string) runtime.Traffic
	Close   func() // the launch is over: what it was let in with is worth nothing any more. It may be nil.
}

func (r Road) close() {
	if r.Close != nil {
		r.Close()
	}
}

// open makes the road of a launch.
func (l located) open() (Road, error) {
	if l.opt.Road == nil {
		return Road{}, nil
	}
	return l.opt.Road(l.label)
}
