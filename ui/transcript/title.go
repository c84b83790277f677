package transcript

import (
	"strconv"
	"strings"

	"keva/agent/event"
)

// deed is what one kind of step did, in words.
type deed struct {
	order    int
	one, few string // "read a file", "read %d files"
	titles   bool   // counts different titles, not calls: a file that was read twice is one file
}

func deedOf(s *WorkStep) (string, deed) {
	switch s.Tool {
	case event.ToolRead:
		return "read", deed{0, "read 1 file", "read % files", true}
	case event.ToolSearch:
		return "search", deed{1, "searched files", "searched files % times", false}
	case event.ToolImage:
		return "image", deed{2, "looked at 1 image", "looked at % images", true}
	case event.ToolWeb:
		return "web", deed{3, "searched the web", "searched the web % times", false}
	case event.ToolEdit:
		return "edit", deed{4, "changed 1 file", "changed % files", true}
	case event.ToolCommand:
		if runsTests(s.Title) {
			return "test", deed{6, "ran tests", "ran tests % times", false}
		}
		return "command", deed{5, "ran 1 command", "ran % commands", false}
	case event.ToolMCP:
		return "mcp", deed{7, "used 1 tool", "used % tools", true}
	case event.ToolAgent:
		return "agent", deed{8, "talked to 1 agent", "talked to agents % times", false}
	case event.ToolPlan:
		return "plan", deed{9, "changed the plan", "changed the plan % times", false}
	case event.ToolQuestion:
		return "question", deed{10, "asked a question", "asked % questions", false}
	case event.ToolOther:
	}
	return "other", deed{11, "used 1 other tool", "used % other tools", true}
}

// runsTests reports whether a command is a well-known way to run tests.
func runsTests(command string) bool {
	for _, c := range []string{
		"go test", "npm test", "npm run test", "yarn test", "pnpm test", "pytest", "cargo test", "make test", "make check",
		"mvn test", "gradle test", "./gradlew test", "dotnet test", "rspec", "jest", "vitest", "phpunit", "ctest", "deno test", "bun test",
	} {
		if i := strings.Index(command, c); i >= 0 && (i == 0 || strings.ContainsRune(" ;&|'\"(/", rune(command[i-1]))) {
			return true
		}
	}
	return false
}

// workTitle says what a run of steps did: "4 steps · read 2 files, ran tests".
func workTitle(steps []WorkStep) string {
	type tally struct {
		deed
		calls  int
		titles map[string]bool
	}
	var tallies []*tally
	byName := map[string]*tally{}
	for i := range steps {
		name, d := deedOf(&steps[i])
		t := byName[name]
		if t == nil {
			t = &tally{deed: d, titles: map[string]bool{}}
			byName[name] = t
			at := len(tallies)
			for at > 0 && tallies[at-1].order > d.order {
				at--
			}
			tallies = append(tallies[:at], append([]*tally{t}, tallies[at:]...)...)
		}
		t.calls++
		if t.deed.titles {
			t.titles[steps[i].Title] = true
		}
	}
	var words []string
	for _, t := range tallies {
		n := t.calls
		if t.deed.titles {
			n = len(t.titles)
		}
		if n == 1 {
			words = append(words, t.one)
		} else {
			words = append(words, strings.Replace(t.few, "%", strconv.Itoa(n), 1))
		}
	}
	said := strings.Join(words, ", ")
	if len(steps) == 1 {
		return strings.ToUpper(said[:1]) + said[1:]
	}
	return strconv.Itoa(len(steps)) + " steps · " + said
}
