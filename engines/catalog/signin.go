package catalog

import (
	"context"

	"keva/agent/signin"
	"keva/agent/slot"
	"keva/engines/userland/plan"
)

// signsIn is what a factory can do whose engine has accounts of its own.
type signsIn interface{ SignIn() signin.Engine }

// SignIns returns the engines that can sign in by themselves, the default first. Nothing is looked for before one is used.
func SignIns(o Options) []signin.Engine {
	var list []signin.Engine
	for _, e := range entries {
		if f, ok := e.make(o, plan.Place{}, plan.Program{}).(signsIn); ok {
			list = append(list, account{located{e, o}, f.SignIn().Methods()})
		}
	}
	return list
}

// account finds its engine anew for each step, as located does.
type account struct {
	located
	methods []signin.Method
}

func (a account) Methods() []signin.Method { return append([]signin.Method{}, a.methods...) }

// with is the engine of now, how its errors are explained where it runs, and the road that it goes by.
func (a account) with() (signin.Engine, func(error) error, Road, error) {
	f, explain, road, err := a.ready()
	if err != nil {
		return nil, nil, road, err
	}
	return f.(signsIn).SignIn(), explain, road, nil
}

func (a account) SignIn(ctx context.Context, l *slot.Lease, method string, c signin.Conversation) (signin.Account, error) {
	e, explain, road, err := a.with()
	if err != nil {
		return signin.Account{}, err
	}
	defer road.close()
	who, err := e.SignIn(ctx, l, method, c)
	return who, explain(err)
}

func (a account) Account(ctx context.Context, l *slot.Lease) (signin.Account, error) {
	e, explain, road, err := a.with()
	if err != nil {
		return signin.Account{Presence: signin.PresenceUnknown}, err
	}
	defer road.close()
	who, err := e.Account(ctx, l)
	return who, explain(err)
}

func (a account) SignOut(ctx context.Context, l *slot.Lease) error {
	e, explain, road, err := a.with()
	if err != nil {
		return err
	}
	defer road.close()
	return explain(e.SignOut(ctx, l))
}
