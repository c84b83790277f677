package doctor

import (
	"context"
	"testing"
	"time"
)

func one(f Finding) func(context.Context) []Finding {
	return func(context.Context) []Finding { return []Finding{f} }
}

func TestFindingsKeepTheOrderOfTheChecks(t *testing.T) {
	gate := make(chan struct{})
	list := run(t.Context(), []Check{
		{ID: "a", Group: "G", Title: "A", Run: func(context.Context) []Finding {
			<-gate
			return []Finding{{State: OK, Says: "first"}, {ID: "a2", Title: "A2", State: Failed, Says: "second"}}
		}},
		{ID: "b", Group: "H", Title: "B", Run: func(context.Context) []Finding {
			close(gate)
			return []Finding{{State: Warning}}
		}},
	}, time.Minute)
	if len(list) != 3 || list[0].ID != "a" || list[1].ID != "a2" || list[1].Group != "G" || list[1].Title != "A2" || list[2].Title != "B" {
		t.Errorf("%+v", list)
	}
	if w := Worst(list); w != Failed {
		t.Error(w)
	}
}

// What can't be found out is unknown, never fine: a check that hangs, breaks, says nothing or forgets to say.
func TestABrokenCheckIsUnknown(t *testing.T) {
	forever := make(chan struct{})
	defer close(forever)
	list := run(t.Context(), []Check{
		{ID: "hangs", Run: func(context.Context) []Finding { <-forever; return nil }},
		{ID: "breaks", Run: func(context.Context) []Finding { panic("x") }},
		{ID: "silent", Run: func(context.Context) []Finding { return nil }},
		{ID: "forgets", Run: one(Finding{Says: "?"})},
		{ID: "fine", Run: one(Finding{State: OK})},
	}, 200*time.Millisecond)
	if len(list) != 5 {
		t.Fatalf("%+v", list)
	}
	for _, f := range list[:4] {
		if f.State != Unknown || f.Says == "" {
			t.Errorf("%+v", f)
		}
	}
	if list[4].State != OK {
		t.Errorf("%+v", list[4])
	}
	if Worst(nil) != Absent || Worst(list) != Unknown {
		t.Error(Worst(list))
	}
}
