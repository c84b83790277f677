package catalog

import (
	"context"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/slot"
	"keva/engines/userland/plan"
)

// located finds its engine anew at each start, so that one that was just installed, or a place that was just chosen, works
// without a restart.
type located struct {
	entry
	opt Options
}

func (l located) ID() string    { return l.id }
func (l located) Label() string { return l.label }

// find is where the engine runs, and its program there.
func (l located) find() (plan.Place, plan.Program, error) {
	var place plan.Place
	if l.opt.Place != nil {
		var err error
		if place, err = l.opt.Place(); err != nil {
			return plan.Place{}, plan.Program{}, err
		}
	}
	if place.Kind == plan.KindPack {
		p := l.pack.In(place.Root)
		p.ID, p.Label = l.id, l.label
		return place, p, nil
	}
	found, err := l.opt.Find(l.id)
	if err != nil {
		return plan.Place{}, plan.Program{}, err
	}
	return place, plan.Program{ID: l.id, Label: l.label, Binary: found.Binary, Path: found.Path}, nil
}

// ready is the engine's factory, when nothing that can be seen speaks against a launch, and the road that it goes by. The
// caller closes the road.
func (l located) ready() (f runtime.Factory, where func(error) error, road Road, err error) {
	place, program, err := l.find()
	if err == nil {
		err = plan.Blocked(plan.Static(place, program))
	}
	if err == nil {
		road, err = l.open()
	}
	if err != nil {
		return nil, nil, road, err
	}
	o := l.opt
	o.env = road.Env
	return l.make(o, place, program), func(err error) error { return plan.Explain(place, program, err) }, road, nil
}

func (l located) Start(ctx context.Context, lease *slot.Lease, s runtime.Start, sink runtime.Sink) (runtime.Runtime, error) {
	f, explain, road, err := l.ready()
	if err != nil {
		return nil, err
	}
	if s.Provider.Traffic == nil && road.Traffic != nil {
		s.Provider.Traffic = func() runtime.Traffic { return road.Traffic(l.hosts...) }
	}
	rt, err := f.Start(ctx, lease, s, func(e event.Event) {
		sink(e)
		if _, gone := e.Body.(event.EngineExited); gone {
			road.close()
		}
	})
	if err != nil {
		road.close()
	}
	return rt, explain(err)
}

func (l located) Check(ctx context.Context, lease *slot.Lease) (string, error) {
	f, explain, road, err := l.ready()
	if err != nil {
		return "", err
	}
	defer road.close()
	version, err := f.Check(ctx, lease)
	return version, explain(err)
}

// Problems are what stands in the way of the engine id, from its files to a trial: see plan.Check. The error says why it
// could not be looked at all, with the remedy: it is not installed, or there is no such engine.
func Problems(ctx context.Context, o Options, id string, c plan.Options) ([]plan.Problem, plan.Kind, error) {
	for _, e := range entries {
		if e.id != id {
			continue
		}
		place, program, err := located{e, o}.find()
		if err != nil {
			return nil, place.Kind, err
		}
		c.RecordDir = runs(o.StateDir)
		return plan.Check(ctx, place, program, c), place.Kind, nil
	}
	return nil, "", &event.Error{Class: event.ClassConfig, Message: "This engine does not exist. Choose another one.", Detail: id}
}
