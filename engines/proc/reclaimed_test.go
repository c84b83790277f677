package proc

import "testing"

// What happened behind the user's back is told in plain words; what needs nobody's attention is not.
func TestReclaimedNotice(t *testing.T) {
	for _, c := range []struct {
		r    Reclaimed
		want string
	}{
		{Reclaimed{Found: FoundGone}, ""},
		{Reclaimed{Found: FoundNotOurs, Why: "x"}, ""},
		{Reclaimed{Found: FoundTorn, Why: "x"}, ""},
		{
			Reclaimed{Found: FoundReclaimed, PID: 7, Ended: []int{7}},
			"The engine was still running after Keva was gone. Keva ended it now. What it did in between is not in the transcript; look at the project's changes.",
		},
		{
			Reclaimed{Found: FoundReclaimed, PID: 7, Ended: []int{7, 8, 9}},
			"The engine was still running after Keva was gone. Keva ended it now, with 2 processes of its tools. What it did in between is not in the transcript; look at the project's changes.",
		},
		{
			Reclaimed{Found: FoundReclaimed, PID: 7, Ended: []int{8}},
			"The engine had left one process behind when Keva was gone. Keva ended it now.",
		},
		{
			Reclaimed{Found: FoundSurvived, PID: 7, Left: []int{8}},
			"The engine left one process behind that the system does not let go. Restart the device if it stays busy.",
		},
		{
			Reclaimed{Found: FoundUnverified, PID: 7, Why: "x"},
			"Keva can't tell whether an engine that it started earlier still runs, so it left it alone. If the project changes by itself, restart the device.",
		},
		{Reclaimed{Found: FoundInUse}, "Another Keva that still runs has started an engine here. Close it before you go on."},
	} {
		n, ok := c.r.Notice()
		if n.Text != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %v", c.r.Found, n.Text, ok)
		}
		if ok && n.Detail == "" {
			t.Errorf("%s: no detail", c.r.Found)
		}
	}
}
