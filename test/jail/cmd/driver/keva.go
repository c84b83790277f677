package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/runtime"
	"keva/agent/session"
	"keva/agent/slot"
	"keva/agent/turn"
	"keva/engines/access"
	"keva/engines/catalog"
	"keva/engines/demo"
	"keva/engines/install"
	"keva/engines/userland/plan"
	"keva/platform/project"
	"keva/test/jail/drive"
)

// keva serves one prompt and allows all that is asked.
func keva(t drive.Task, out *json.Encoder) error {
	ctx := context.Background()
	if err := os.MkdirAll(t.Data, 0o700); err != nil {
		return err
	}
	if t.Slow {
		budget.Handshake.Time, budget.VersionCheck.Time = patience, patience
	}
	var mu sync.Mutex
	say := func(s drive.Said) {
		mu.Lock()
		defer mu.Unlock()
		if err := out.Encode(s); err != nil {
			fmt.Fprintln(os.Stderr, "driver:", err)
			os.Exit(1)
		}
	}
	say(drive.Said{Reclaimed: catalog.Reclaim(t.Data)})
	if t.Prompt == "" {
		return nil
	}
	if !demo.IsProject(t.Project) {
		if err := os.MkdirAll(filepath.Dir(t.Project), 0o700); err != nil {
			return err
		}
		if err := demo.NewProject(t.Project); err != nil {
			return err
		}
	}
	acc := access.New(access.Options{
		Providers: func() []provider.Provider { return provider.Hydrate(nil) },
		Key:       func(context.Context, string) (string, error) { return "", nil },
		Kind:      catalog.Kind,
	})
	defer acc.Close()
	svc := session.NewService(session.Deps{
		Store: files{dir: filepath.Join(t.Data, "sessions")}, Slot: &slot.Slot{}, Factories: factories(t), Provider: acc.Resolve,
		CheckDir: project.Check, Instructions: project.Instructions,
		Clock: func() time.Time { return time.Now().UTC() }, NewID: newID,
		Log: func(what string, err error) { fmt.Fprintln(os.Stderr, "driver: log:", what, err) },
	})
	s, err := open(ctx, svc, t)
	if err != nil {
		return err
	}
	if err := serve(ctx, s, t, say); err != nil {
		return err
	}
	end, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return svc.Close(end)
}

// factories are the product's own, in the userland.
func factories(t drive.Task) []runtime.Factory {
	return catalog.Factories(catalog.Options{
		StateDir: t.Data, Version: "jail",
		Place: func() (plan.Place, error) { return plan.Pack(t.Tree, t.Data), nil },
		Find: func(id string) (install.Paths, error) {
			return install.Paths{}, fmt.Errorf("%s was looked for outside of the userland", id)
		},
	})
}

func open(ctx context.Context, svc *session.Service, t drive.Task) (*session.Session, error) {
	if t.Session != "" {
		return svc.Open(ctx, t.Session)
	}
	return svc.Create(ctx, session.New{Dir: t.Project, Engine: t.Engine, Provider: provider.Demo, Model: t.Model})
}

// patience is how long nothing may happen, on a machine that does other things as well.
const patience = 7 * time.Minute

// serve sends the prompt and tells what comes, until it is settled.
func serve(ctx context.Context, s *session.Session, t drive.Task, say func(drive.Said)) error {
	updates := s.Subscribe(ctx)
	state := &turn.State{}
	apply := func(evs []event.Event) {
		for _, e := range evs {
			state.Apply(e)
			say(drive.Said{Event: &e})
		}
	}
	apply((<-updates).Events) // what was there before
	say(drive.Said{Session: s.ID()})
	if err := s.Send(ctx, t.Prompt); err != nil {
		return explain(err)
	}
	asked := map[string]bool{}
	for {
		select {
		case u, ok := <-updates:
			if !ok {
				return errors.New("the updates ended")
			}
			apply(u.Events)
			for _, r := range u.View.Pending {
				if asked[r.ID] {
					continue
				}
				asked[r.ID] = true
				file, err := os.ReadFile(filepath.Join(t.Project, "src/parse.sh"))
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				say(drive.Said{Asked: &drive.Asked{Request: r, File: string(file)}})
				if _, err := s.Answer(ctx, r.ID, runtime.Answer{Decision: event.Allow, By: event.ByUser}); err != nil {
					fmt.Fprintln(os.Stderr, "driver: answer:", explain(err)) // the engine may have been killed
				}
			}
			if u.View.Phase == turn.PhaseSettled && u.View.Queued == 0 && len(u.Events) > 0 {
				say(drive.Said{Settled: &drive.Settled{Verdict: u.View.Verdict, Turn: u.View.Turn, Tasks: state.Tasks}})
				return nil
			}
		case <-time.After(patience):
			return fmt.Errorf("nothing happened for %s: %+v", patience, s.View())
		}
	}
}

// explain adds the detail of an error for people.
func explain(err error) error {
	if e := (*event.Error)(nil); errors.As(err, &e) {
		return fmt.Errorf("%w (%s: %s)", err, e.Class, e.Detail)
	}
	return err
}

// newID is a random UUID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
