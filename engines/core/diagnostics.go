package core

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"keva/platform/network"
)

// diagnosticsKey is where the diagnostic events lie in the store.
const diagnosticsKey = "diagnostics"

// maxDiagnostics is how many are kept: the newest.
const maxDiagnostics = 200

// diagnostics keeps what failed over restarts: what a person is asked about happened yesterday. Each is one attempt of the
// network's ledger, which holds no credential, path or query. It is safe for concurrent use.
type diagnostics struct {
	mu   sync.Mutex
	list []network.Attempt // oldest first
	wake chan struct{}
}

// openDiagnostics reads what earlier runs left and writes what comes, one at a time, until ctx ends. What can't be read is
// begun anew, and said in the log.
func (c *Core) openDiagnostics(ctx context.Context) {
	c.diagnostics.wake = make(chan struct{}, 1)
	raw, err := c.Store.Value(ctx, diagnosticsKey)
	if err == nil && raw != nil {
		err = json.Unmarshal(raw, &c.diagnostics.list)
	}
	if err != nil {
		c.Log.Error().Err(err).Msg("earlier diagnostic events can't be read")
	}
	done := make(chan struct{})
	write, stop := context.WithCancel(ctx)
	go func() {
		defer close(done)
		for {
			select {
			case <-write.Done():
				return
			case <-c.diagnostics.wake:
				c.storeDiagnostics()
			}
		}
	}()
	c.closers = append(c.closers, func() {
		stop()
		<-done
		c.storeDiagnostics()
	})
}

// failed takes one failure. It must not block: it is called from where the attempt was made.
func (d *diagnostics) failed(a network.Attempt) {
	d.mu.Lock()
	d.list = append(d.list, a)
	if n := len(d.list) - maxDiagnostics; n > 0 {
		d.list = append([]network.Attempt{}, d.list[n:]...)
	}
	d.mu.Unlock()
	select {
	case d.wake <- struct{}{}:
	default: // it is about to be written
	}
}

func (c *Core) storeDiagnostics() {
	c.diagnostics.mu.Lock()
	raw, err := json.Marshal(c.diagnostics.list)
	c.diagnostics.mu.Unlock()
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		err = c.Store.PutValue(ctx, diagnosticsKey, raw)
	}
	if err != nil {
		c.Log.Error().Err(err).Msg("diagnostic events can't be kept")
	}
}

// events are what failed lately, a line each, oldest first.
func (c *Core) events() []string {
	c.diagnostics.mu.Lock()
	defer c.diagnostics.mu.Unlock()
	var list []string
	for _, a := range c.diagnostics.list {
		via := "direct"
		if a.Via != "" {
			via = "via " + a.Via
		}
		list = append(list, fmt.Sprintf("%s %s: %s %s %s policy %d, %s", a.At.UTC().Format(time.RFC3339), a.Purpose, a.Class, a.Host, via, a.Policy, a.Detail))
	}
	return list
}
