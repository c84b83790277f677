package power

import (
	"sync"

	"keva/agent/event"
)

// Device is the machine's side. Its methods may block for a moment; they are called one at a time.
type Device interface {
	// Show makes the process one that the system keeps, with a notification that says why; again = a change.
	Show(w Work) error
	// Hide takes both back.
	Hide() error
	// Awake holds the processor awake, or lets it sleep.
	Awake(on bool) error
	// Tell shows a notification that stays after the work.
	Tell(title, text string) error
}

// Keeper brings a Device to what goes on. It is safe for concurrent use.
type Keeper struct {
	Device Device
	// Failed is told of an error, at most once until the same thing works again. It may be nil.
	Failed func(what string, err error)

	mu     sync.Mutex
	shown  Work
	live   bool
	awake  bool
	failed map[string]error
}

// Set brings the device to w. Nothing is done twice; what failed is tried again at the next call.
func (k *Keeper) Set(w Work) {
	k.mu.Lock()
	defer k.mu.Unlock()
	// Awake first and asleep last: in between the processor must not stop.
	if on := w.Running > 0; on && !k.awake {
		k.awake = k.try("wake lock", k.Device.Awake(true))
	}
	switch {
	case w.Live() && (!k.live || !same(w, k.shown)):
		if k.try("foreground service", k.Device.Show(w)) {
			k.live, k.shown = true, w
		}
	case !w.Live() && k.live:
		if k.try("foreground service", k.Device.Hide()) {
			k.live, k.shown = false, Work{}
		}
	}
	if w.Running == 0 && k.awake {
		k.awake = !k.try("wake lock", k.Device.Awake(false))
	}
}

// Lost is to be called when the system took back what Show had got: the next Set asks for it again.
func (k *Keeper) Lost() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.live, k.shown = false, Work{}
}

// Tell shows what ended.
func (k *Keeper) Tell(title, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.try("notification", k.Device.Tell(title, text))
}

// Close lets everything go, whatever goes on.
func (k *Keeper) Close() { k.Set(Work{}) }

// State is what is held now, and what failed last by its name.
func (k *Keeper) State() (live, awake bool, failed map[string]error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	failed = map[string]error{}
	for what, err := range k.failed {
		failed[what] = err
	}
	return k.live, k.awake, failed
}

func (k *Keeper) try(what string, err error) bool {
	if k.failed == nil {
		k.failed = map[string]error{}
	}
	before, had := k.failed[what]
	if err == nil {
		delete(k.failed, what)
		return true
	}
	k.failed[what] = err
	if k.Failed != nil && (!had || before.Error() != err.Error()) {
		k.Failed(what, err)
	}
	return false
}

func same(a, b Work) bool {
	x, y := a.Ask, b.Ask
	a.Ask, b.Ask = nil, nil
	return a == b && (x == nil) == (y == nil) && (x == nil || *x == *y)
}

// ErrUnsupported is what a Device answers where the machine has no such thing: the work goes on, and the doctor says it.
var ErrUnsupported = &event.Error{Class: event.ClassConfig, Message: "This system offers nothing of the kind."}
