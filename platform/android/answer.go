package android

import (
	"crypto/rand"
	"crypto/subtle"
	"sync"
)

// Choice is what was tapped on the notification.
type Choice string

// The buttons of the notification.
const (
	ChoiceUnknown   Choice = ""
	ChoiceStop      Choice = "stop"
	ChoiceAllowOnce Choice = "allow_once"
	ChoiceDeny      Choice = "deny"
)

// Tap is an answer from the notification. One that may not count says why, and must not be acted upon.
type Tap struct {
	Request string // the approval that it answers; "" for Stop
	Choice  Choice
	Refused string // "" if it counts; else why it does not, for the log
}

// ServiceState is what the service told.
type ServiceState string

// What can become of the service.
const (
	ServiceUnknown     ServiceState = ""
	ServiceStarted     ServiceState = "started"
	ServiceRefused     ServiceState = "refused"      // Android did not take the notification; the detail says why
	ServiceTimeout     ServiceState = "timeout"      // Android 15 ends it after six hours a day
	ServiceTaskRemoved ServiceState = "task_removed" // the app was swiped away; the service goes on
	ServiceDestroyed   ServiceState = "destroyed"
)

// Listener takes what Java tells. It is called on a goroutine of its own, one call at a time, in order.
type Listener struct {
	Tap     func(Tap)
	Service func(state ServiceState, detail string)
}

// answers decides which taps count: those of this launch, for the request that is being shown, once. A notification may
// outlive what it asked for, and a pending intent may be sent twice.
type answers struct {
	mu      sync.Mutex
	nonce   string // of this launch; nobody else knows it
	request string // shown now; "" for none
	stop    bool   // Stop is shown, and was not taken
}

func newAnswers() *answers { return &answers{nonce: rand.Text()} }

// show says what the notification offers from now on.
func (a *answers) show(request string, stop bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.request, a.stop = request, stop
}

// take judges a tap, and uses up what it answers.
func (a *answers) take(nonce, request, choice string) Tap {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := Tap{Request: request, Choice: Choice(choice)}
	refuse := func(why string) Tap { t.Refused = why; return t }
	if subtle.ConstantTimeCompare([]byte(nonce), []byte(a.nonce)) != 1 {
		return refuse("it is not from this launch of the app")
	}
	switch t.Choice {
	case ChoiceStop:
		if request != "" {
			return refuse("stop answers no request")
		}
		if !a.stop {
			return refuse("stop is not offered, or was taken already")
		}
		a.stop = false
	case ChoiceAllowOnce, ChoiceDeny:
		if request == "" || request != a.request {
			return refuse("this request is not being asked, or was answered already")
		}
		a.request = ""
	case ChoiceUnknown:
		return refuse("it says nothing")
	default:
		return refuse("it is no answer that is offered")
	}
	return t
}

// message is one call from Java.
type message struct{ kind, a, b, c string }

// inbox takes calls from Java's main thread, which must never wait, to the listener.
type inbox struct {
	answers *answers
	queue   chan message

	mu       sync.Mutex
	listener Listener
	lost     int // messages that found the queue full
}

func newInbox() *inbox {
	in := &inbox{answers: newAnswers(), queue: make(chan message, 64)}
	go func() {
		for m := range in.queue {
			in.handle(m)
		}
	}()
	return in
}

// put never blocks.
func (in *inbox) put(m message) {
	select {
	case in.queue <- m:
	default:
		in.mu.Lock()
		in.lost++
		in.mu.Unlock()
	}
}

func (in *inbox) handle(m message) {
	in.mu.Lock()
	l, lost := in.listener, in.lost
	in.lost = 0
	in.mu.Unlock()
	if lost > 0 && l.Tap != nil {
		l.Tap(Tap{Refused: "too many at once: some were lost"})
	}
	switch m.kind {
	case "answer":
		if t := in.answers.take(m.a, m.b, m.c); l.Tap != nil {
			l.Tap(t)
		}
	case "service":
		s := ServiceState(m.a)
		switch s {
		case ServiceStarted, ServiceRefused, ServiceTimeout, ServiceTaskRemoved, ServiceDestroyed:
		case ServiceUnknown:
		default:
			s, m.b = ServiceUnknown, m.a
		}
		if l.Service != nil {
			l.Service(s, m.b)
		}
	default:
		if l.Tap != nil {
			l.Tap(Tap{Refused: "it is of no kind that is known: " + m.kind})
		}
	}
}

var received = newInbox()

// Listen sets who takes what Java tells; the last one counts. Without one, answers are used up and dropped.
func Listen(l Listener) {
	received.mu.Lock()
	defer received.mu.Unlock()
	received.listener = l
}
