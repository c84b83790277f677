package chat

import (
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/agent/event"
	"keva/agent/session"
	"keva/ui/theme"
	"keva/ui/transcript"
	"keva/ui/uitest"
)

// longSession is the events of a session of some n rows, of all common kinds.
func longSession(n int) []event.Body {
	var b []event.Body
	for i := 0; len(b) < n*2; i++ {
		id := fmt.Sprint(i)
		b = append(b, event.UserMessage{ID: "m" + id, Text: "Please look at part " + id}, event.TurnStarted{Origin: event.OriginUser},
			event.TextFinal{Block: "b" + id, Text: "First **look** at `part" + id + "`.\n\nThen the rest: " + strings.Repeat("words of an answer ", 12)},
			event.ToolStarted{ID: "c" + id, Tool: event.ToolCommand, Name: "Bash", Title: "go test ./part" + id},
			event.ToolEnded{ID: "c" + id, Outcome: event.Success, Output: strings.Repeat("ok  part 0.1s\n", 20)},
			event.FileChange{ID: "e" + id, Outcome: event.Success, Changes: []event.Change{{
				Path: "/home/ada/ledger/part" + id + ".go", Kind: event.ChangeUpdate, Added: 2, Removed: 1,
				Hunks: []event.Hunk{{OldStart: 1, NewStart: 1, Lines: []string{" a", "-b", "+c", "+d"}}},
			}}},
			event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser, Messages: []string{"m" + id}})
	}
	return b
}

// BenchmarkOpenSession opens a session of 5,000 rows: from stored events to the laid out screen.
func BenchmarkOpenSession(b *testing.B) {
	bodies := longSession(5000)
	var evs []event.Event
	for i, body := range bodies {
		evs = append(evs, event.Event{Seq: int64(i + 1), Turn: fmt.Sprint("t", i/7), Body: body})
	}
	for b.Loop() {
		test.NewTempApp(b).Settings().SetTheme(theme.New(theme.Options{}))
		loop := uitest.NewLoop(b)
		s := New(benchDeps(loop, uitest.NewSession(session.Meta{ID: "s", Dir: "/home/ada/ledger"}, loop.Now)))
		w := test.NewTempWindow(b, s.Object())
		w.SetPadded(false)
		w.Resize(fyne.NewSize(360, 780))
		rows := transcript.New("/home/ada/ledger")
		s.apply(batch{changes: rows.Apply(evs...), history: true})
		if s.Len() < 4000 || len(s.list.body.objects) == 0 {
			b.Fatalf("%d rows, %d in the tree", s.Len(), len(s.list.body.objects))
		}
	}
}

// BenchmarkStreamTick is one tick of a streaming answer at the end of a session of 5,000 rows.
func BenchmarkStreamTick(b *testing.B) {
	test.NewTempApp(b).Settings().SetTheme(theme.New(theme.Options{}))
	loop := uitest.NewLoop(b)
	s := New(benchDeps(loop, uitest.NewSession(session.Meta{ID: "s", Dir: "/home/ada/ledger"}, loop.Now)))
	w := test.NewTempWindow(b, s.Object())
	w.SetPadded(false)
	w.Resize(fyne.NewSize(360, 780))
	rows := transcript.New("/home/ada/ledger")
	var evs []event.Event
	for i, body := range longSession(5000) {
		evs = append(evs, event.Event{Seq: int64(i + 1), Turn: fmt.Sprint("t", i/7), Body: body})
	}
	s.apply(batch{changes: rows.Apply(evs...), history: true})
	seq, n := int64(len(evs)), 0
	for b.Loop() {
		seq++
		n++
		text := fmt.Sprintf("word%d ", n)
		if n%60 == 0 {
			text += "\n\n"
		}
		e := event.Event{Seq: seq, Turn: "last", Body: event.TextDelta{Block: "z", Text: text}}
		s.apply(batch{changes: rows.Apply(e)})
	}
}

func benchDeps(loop *uitest.Loop, f *uitest.Session) Deps {
	return Deps{
		Session: f, Now: loop.Now, Do: loop.Do, Post: loop.Post, Go: loop.Go, After: loop.After,
		Window: func() fyne.Canvas { return nil }, Engine: func(string) string { return "Claude" },
	}
}
