package headless

import (
	"encoding/json"
	"io"
	"strconv"

	"keva/agent/event"
	"keva/agent/turn"
	"keva/ui/transcript"
)

// Replay prints recorded events: with asJSON every event as one line of JSON and then one line with the state that they
// lead to, else the worklog as it would have been printed live. It returns the first error of w.
func Replay(w io.Writer, evs []event.Event, asJSON, colour bool) error {
	log := newWorklog(pen{w: w, colour: colour})
	view := transcript.New("")
	for _, e := range evs {
		changes := view.Apply(e)
		if asJSON {
			log.event(e)
		} else {
			log.show(changes)
		}
	}
	if asJSON {
		data, err := json.Marshal(struct {
			State turn.State `json:"state"`
		}{complete(*view.State())})
		if err != nil {
			return err
		}
		log.json(data)
		return log.err
	}
	st := view.State()
	if n := len(st.LiveTasks()); n > 0 {
		log.line("? " + count(n, "task was", "tasks were") + " still running where the recording ends")
	}
	for _, r := range st.PendingRequests() {
		log.line("? a request was still open where the recording ends: " + oneLine(requestTitle(r), 160))
	}
	sum := 0
	for _, n := range st.Unrecognised {
		sum += n
	}
	if sum > 0 {
		log.line(strconv.Itoa(sum) + " parts of the recording were not recognised; -json lists them")
	}
	return log.err
}

func requestTitle(r turn.Request) string {
	switch {
	case r.Approval != nil:
		return r.Approval.Title
	case r.Question != nil && len(r.Question.Questions) > 0:
		return r.Question.Questions[0].Text
	}
	return r.ID
}

// complete makes empty lists of missing ones, so that a reader of the JSON finds every list.
func complete(st turn.State) turn.State {
	if st.Turns == nil {
		st.Turns = []turn.Turn{}
	}
	if st.Tasks == nil {
		st.Tasks = []turn.Task{}
	}
	if st.Items == nil {
		st.Items = []turn.Item{}
	}
	if st.Requests == nil {
		st.Requests = []turn.Request{}
	}
	if st.Unrecognised == nil {
		st.Unrecognised = map[string]int{}
	}
	return st
}
