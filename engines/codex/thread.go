package codex

import (
	"keva/agent/event"
)

// thread is what the mapper knows of one thread on the pipe: one of ours (opened by a request of ours), or a sub-agent.
type thread struct {
	id  string
	own bool

	// open is the running turn, "" when none runs. For our own threads these are the ids of Event.Turn.
	open       string
	stopped    string // the turn whose end we have asked for
	reviewOpen bool   // the running turn is a review whose own id is not known yet
	turns      map[string]*turnInfo
	alias      map[string]string // a turn id that turn/started used, to the id that everything else uses (review)
	asks       []ask             // messages of ours that no turn has taken yet
	queue      []string          // ids of messages that wait in the engine's queue

	items   map[string]*wireItem // open items
	seen    map[string]bool      // items whose start was told
	retries int
	err     *event.Error // the last error that ends a turn, until turn/completed
	ready   event.SessionReady

	child childInfo
}

// turnInfo is one turn of a thread.
type turnInfo struct {
	origin   event.Origin
	messages []string
	ended    bool
}

// ask is a turn/start of ours: which message it carried, and which turn the reply named.
type ask struct {
	call   string
	msg    string // "" for a review, which carries none
	turn   string
	review bool
}

func newThread(id string, own bool) *thread {
	return &thread{
		id: id, own: own,
		turns: map[string]*turnInfo{}, alias: map[string]string{}, items: map[string]*wireItem{},
		seen: map[string]bool{},
	}
}

// turnID gives the one id of a turn that the stream uses.
func (t *thread) turnID(id string) string {
	if to, ok := t.alias[id]; ok {
		return to
	}
	return id
}

// read notes that a turn has taken a message.
func (t *thread) read(turn, msg string) {
	info := t.turns[turn]
	if info == nil || msg == "" {
		return
	}
	for _, m := range info.messages {
		if m == msg {
			return
		}
	}
	info.messages = append(info.messages, msg)
}

// begin tells who asked for a turn that starts now, and hands it the messages that caused it. A turn/start whose reply
// has not come yet counts: the reply and the notification may come in either order (E7).
func (t *thread) begin(id string) *turnInfo {
	info := &turnInfo{origin: event.OriginEngine}
	t.turns[id] = info
	t.open = id
	t.retries, t.err, t.reviewOpen = 0, nil, false
	var rest []ask
	for _, a := range t.asks {
		if a.turn != "" && a.turn != id {
			rest = append(rest, a)
			continue
		}
		info.origin = event.OriginUser
		t.reviewOpen = a.review && a.turn == ""
		t.read(id, a.msg)
	}
	t.asks = rest
	if info.origin == event.OriginEngine && len(t.queue) > 0 {
		info.origin = event.OriginUser
		t.read(id, t.queue[0])
		t.queue = t.queue[1:]
	}
	return info
}

// answered notes which turn a turn/start led to.
func (t *thread) answered(call, turn string) {
	for i := range t.asks {
		if t.asks[i].call != call {
			continue
		}
		t.asks[i].turn = turn
		if t.turns[turn] != nil {
			t.read(turn, t.asks[i].msg)
			t.asks = append(t.asks[:i], t.asks[i+1:]...)
		}
		return
	}
}

// refused forgets a turn/start that the engine did not accept.
func (t *thread) refused(call string) {
	for i := range t.asks {
		if t.asks[i].call == call {
			t.asks = append(t.asks[:i], t.asks[i+1:]...)
			return
		}
	}
}
