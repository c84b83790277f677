package demo

import (
	"strings"
	"testing"
	"testing/fstest"
)

// A script with a mistake is refused when it is loaded: in a running conversation nobody would see it.
func TestScriptMistakes(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"torn", `{"steps": [`, "EOF"},
		{"no steps", `{}`, "no steps"},
		{"misspelt condition", `{"steps":[{"id":"a","next":[{"deneid":true,"go":"a"}]}]}`, "unknown field"},
		{"goes nowhere", `{"steps":[{"id":"a","next":[{"go":"b"}]}]}`, "does not exist"},
		{"same step twice", `{"steps":[{"id":"a"},{"id":"a"}]}`, "twice"},
		{"a name with a dash", `{"steps":[{"id":"a-b"}]}`, "no usable id"},
		{"bad expression", `{"match":["("],"steps":[{"id":"a"}]}`, "missing closing"},
		{"bad capture", `{"steps":[{"id":"a","capture":[{"match":"["}]}]}`, "missing closing"},
		{"two kinds in one action", `{"steps":[{"id":"a","do":[{"run":{"command":"x"},"read":{"path":"y"}}]}]}`, "exactly one kind"},
		{"end with tools", `{"steps":[{"id":"a","end":true,"do":[{"run":{"command":"x"}}]}]}`, "can't use tools"},
		{"unknown sub-agent", `{"steps":[{"id":"a","do":[{"dispatch":[{"name":"n","script":"nobody"}]}]}]}`, "unknown script"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := loadScripts(fstest.MapFS{"scripts/x.json": {Data: []byte(test.script)}})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestChoose(t *testing.T) {
	s := startServer(t, Options{})
	tests := []struct{ prompt, script string }{
		{"Start the tour", "tour"},
		{"tour", "tour"},
		{"please give me a tour!", "tour"},
		{"run ls -l", "run"},
		{"Look at this.\n\n#agent reviewer", "reviewer"},
		{"#script overloaded", "overloaded"},
		{"#script nothing_like_this", "hello"},
		{"the contour of a tourist", "hello"},
		{"", "hello"},
		{strings.Repeat("x", 5000) + " tour", "hello"},
	}
	for _, test := range tests {
		if got, _ := s.choose(test.prompt); got.Name != test.script {
			t.Errorf("%.40q: %s", test.prompt, got.Name)
		}
	}
}

func TestRefTravelsInID(t *testing.T) {
	want := Ref{Script: "tour", Step: "edit_denied", Serial: 12, Phase: 3, Action: 999, Sub: 1}
	if got, ok := decodeRef(want.encode("call_", "ab1")); !ok || got != want {
		t.Errorf("%+v", got)
	}
	for _, id := range []string{"", "toolu_01abc", "call_tour-edit-1-0-0", "call_tour-edit-99999999999999999999-0-0-0-a", "call_Tour-edit-0-0-0-0-a", "call_tour-edit--1-0-0-0-a"} {
		if ref, ok := decodeRef(id); ok {
			t.Errorf("%q is read as %+v", id, ref)
		}
	}
}
