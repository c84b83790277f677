package transcript_test

import (
	"testing"

	"keva/agent/event"
)

func TestTurns(t *testing.T) {
	retry := func(n int) event.Body {
		return event.Retrying{Attempt: n, Max: 10, Cause: event.Error{Class: event.ClassOverloaded, Message: "The provider is overloaded."}}
	}
	exit := func(c event.ExitClass, advice string) event.Body { return event.EngineExited{Class: c, Advice: advice} }
	check(t, []rule{
		{"a whole turn", stream(prompt("hi"), begin(), final("b", "Hello."), done(event.Success)), `
user hi
text "Hello."
end success user`},
		{"what became of a message comes with its id alone", stream(event.UserMessage{ID: "m", Text: "hi", Delivery: event.DeliveryPrompt},
			event.UserMessage{ID: "m", Delivery: event.DeliveryUnknown}), `
user hi`},
		{"an end that comes twice is one", stream(begin(), done(event.Failure), done(event.Success)), `
end failure user`},
		// I-7: an extra turn has a heading and an end of its own.
		{"a turn that nobody asked for", stream(begin(), done(event.Success), "turn t2", event.TurnStarted{Origin: event.OriginTask},
			final("b", "It is done."), event.TurnCompleted{Outcome: event.Success, Origin: event.OriginTask}), `
end success user
notice info A background task ended, so the engine goes on by itself.
text "It is done."
end success task`},
		{"trying again is one row", stream(begin(), retry(1), retry(2)), `
notice warning The provider is overloaded. Trying again, 2 of 10.`},
		{"which goes when work goes on", stream(begin(), retry(1), delta("b", "So")), `
text "So" live`},
		{"also with a tool", stream(begin(), retry(1), command("1", "ls")), `
work running: Ran 1 command
    ls running`},
		{"and when the turn ends", stream(begin(), retry(1), done(event.Failure)), `
end failure user`},
		{"shortening is one row", stream(begin(), event.Compaction{State: event.CompactionStarted},
			event.Compaction{State: event.CompactionDone, Before: 900, After: 100}, event.Compaction{State: event.CompactionStarted}), `
notice info The conversation was shortened from 900 to 100 tokens.
notice info The conversation is being shortened so that it fits.`},
		{"a clean end says nothing", stream(begin(), done(event.Success), exit(event.ExitClean, "")), `
end success user`},
		{"a stop says nothing but how the turn went", stream(begin(), exit(event.ExitStopped, "")), `
end interrupted user`},
		{"a clean end inside a turn is no clean end", stream(begin(), exit(event.ExitClean, "")), `
notice error The engine ended before it was done. Send a message to go on.
end unknown user`},
		{"a death with advice", stream(begin(), done(event.Success), exit(event.ExitKilled, "Close other apps.")), `
end success user
notice error Close other apps.`},
		{"what a message became", stream(begin(), event.UserMessage{ID: "m", Text: "more", Delivery: event.DeliveryQueued},
			event.UserMessage{ID: "m", Text: "more", Delivery: event.DeliverySteer}), `
user more`},
		{"notices of a task name it", stream(begin(), agent("a", "", "Look"), "in a", event.Notice{Level: event.LevelWarning, Text: "Slow."}), `
tasks
  a running "Look"
notice warning Look: Slow.`},
		{"nothing of the status line is a row", stream(begin(), event.Usage{}, event.Limits{}, event.Heartbeat{}, event.EngineState{Activity: event.Idle},
			event.Unrecognised{Type: "x"}), ``},
	})
}
