package transcript_test

import (
	"testing"

	"keva/agent/event"
)

func TestText(t *testing.T) {
	check(t, []rule{
		{"a delta is live, and only the last block", stream(begin(), delta("b", "one\n\ntwo")), `
text "one"
text "two" live`},
		{"a final that is equal moves nothing", stream(begin(), delta("b", "one\n\n"), delta("b", "two"), final("b", "one\n\ntwo")), `
text "one"
text "two"`},
		{"a final goes on where the deltas stopped", stream(begin(), delta("b", "one\n\ntw"), final("b", "one\n\ntwo\n\nthree")), `
text "one"
text "two"
text "three"`},
		{"a final replaces deltas that differ", stream(begin(), delta("b", "one\n\ntwo\n\nthree"), final("b", "one\n\n2")), `
text "one"
text "2"`},
		{"a final without deltas comes whole", stream(begin(), final("b", "# A\ntext")), `
text "# A"
text "text"`},
		{"a final that comes twice is one", stream(begin(), final("b", "one"), final("b", "one")), `
text "one"`},
		// Regression: scripted providers use a block id again; the second answer must not vanish.
		{"an id that is used again is another block", stream(begin(), final("b", "one"), delta("b", "tw"), final("b", "two")), `
text "one"
text "two"`},
		{"also without deltas", stream(begin(), final("b", "one"), final("b", "two")), `
text "one"
text "two"`},
		{"a block that the turn's end cuts", stream(begin(), delta("b", "one\n\ntw"), done(event.Interrupted)), `
text "one"
text "tw" cut
end interrupted user`},
		{"what was held back is shown when the block is cut", stream(begin(), delta("b", "one\n12"), done(event.Failure)), `
text "one\n12" cut
end failure user`},
		{"a block that the engine's death cuts", stream(begin(), delta("b", "on"), event.EngineExited{Class: event.ExitKilled, Advice: "Gone."}), `
text "on" cut
notice error Gone.
end unknown user`},
		{"a final after the cut heals it", stream(begin(), delta("b", "on"), done(event.Success), final("b", "one")), `
text "one"
end success user`},
		{"a new voice ends the one before", stream(begin(), delta("a", "on"), delta("b", "two")), `
text "on" cut
text "two" live`},
		{
			"a block goes on below itself, not below what came between",
			stream(begin(), delta("b", "one\n\n"), ask("r", "", event.ToolMCP), delta("b", "two")), `
text "one"
text "two" live
approval ask  "" of the main agent`,
		},
		{"white space is no row", stream(begin(), delta("b", "\n \n"), final("b", "\n \n")), ``},
		{"the same block id in another turn", stream(begin(), final("b", "one"), "turn t2", begin(), final("b", "one")), `
text "one"
text "one"`},
		{
			"thinking is live until something else comes",
			stream(begin(), event.ReasoningDelta{Block: "r", Text: "hm"}, delta("b", "one")), `
thought "hm"
text "one" live`,
		},
		{"thinking is replaced by its final", stream(begin(), event.ReasoningDelta{Block: "r", Text: "hm"},
			event.ReasoningFinal{Block: "r", Text: "hmm"}), `
thought "hmm"`},
	})
}
