package trust

import "testing"

func report() Report {
	return Report{Dir: "/p", Hash: "h1", Entries: []Entry{
		{Engine: "a", Kind: KindHook, Name: "start", Text: "make", File: "s.json", Line: 3},
		{Engine: "a", Kind: KindMode, Text: "bypass", File: "s.json", Refused: "It would switch asking off."},
	}}
}

// Consent is for content: whatever is not the same asks again.
func TestConsentHoldsForTheSameContentOnly(t *testing.T) {
	c, ok := Agree(report())
	if !ok || len(c.Entries) != 1 || c.Entries[0].Text != "make" {
		t.Fatalf("%+v", c)
	}
	if got := Granted(report(), []Consent{{Dir: "/q", Hash: "h1"}, c}); len(got) != 1 || got[0].Text != "make" {
		t.Errorf("%+v", got)
	}
	for name, change := range map[string]func(*Report, *Consent){
		"content changed":     func(r *Report, _ *Consent) { r.Hash = "h2" },
		"another folder":      func(r *Report, _ *Consent) { r.Dir = "/other" },
		"something unread":    func(r *Report, _ *Consent) { r.Problems = []Problem{{"x", "too big"}} },
		"no hash":             func(r *Report, c *Consent) { r.Hash, c.Hash = "", "" },
		"no folder":           func(r *Report, c *Consent) { r.Dir, c.Dir = "", "" },
		"consent to nothing":  func(_ *Report, c *Consent) { *c = Consent{} },
		"consent is of older": func(_ *Report, c *Consent) { c.Hash = "h0" },
	} {
		r, changed := report(), c
		change(&r, &changed)
		if Allowed(r, changed) || Granted(r, []Consent{changed}) != nil {
			t.Errorf("%s: consent is kept after a change", name)
		}
	}
}

// What was not offered was not agreed to, and what could not be read can't be.
func TestAgree(t *testing.T) {
	r := report()
	r.Entries = r.Entries[1:]
	if _, ok := Agree(r); ok {
		t.Error("consent to what is never turned on")
	}
	r = report()
	r.Problems = []Problem{{"x", "it is a link out of the project"}}
	if _, ok := Agree(r); ok || r.Offered() != nil {
		t.Error("consent to what nobody has seen")
	}
	if !(Report{}).Empty() || r.Empty() || (Report{Problems: r.Problems}).Empty() {
		t.Error("empty")
	}
}

func TestPutAndRevoke(t *testing.T) {
	list := Put(Put(Put(nil, Consent{Dir: "/a", Hash: "1"}), Consent{Dir: "/b", Hash: "1"}), Consent{Dir: "/a", Hash: "2"})
	if len(list) != 2 || list[1].Hash != "2" {
		t.Errorf("%+v", list)
	}
	if list = Revoke(list, "/a"); len(list) != 1 || list[0].Dir != "/b" {
		t.Errorf("%+v", list)
	}
}
