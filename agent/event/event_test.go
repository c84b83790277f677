package event

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// A kind without a body, or a body without a kind, would be an event that can't be stored: §5.2, the unrepresentable state.
func TestEveryKindHasABody(t *testing.T) {
	for _, k := range Kinds() {
		p := newBody(k)
		if p == nil {
			t.Fatalf("%s has no body", k)
		}
		b := deref(p)
		if b == nil || b.Kind() != k {
			t.Errorf("%s decodes as %v", k, b)
		}
		if rv := reflect.TypeOf(b); rv.Kind() != reflect.Struct {
			t.Errorf("%s is no struct", k)
		}
		e := Event{Seq: 1, Time: time.Unix(1, 0).UTC(), Session: "s", Body: b}
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var back Event
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(e, back) {
			t.Errorf("%s: wrote %+v, read %+v", k, e, back)
		}
	}
}

// A database written by a newer Keva must open in an older one: what is not known is kept as unrecognised.
func TestUnknownKindIsKept(t *testing.T) {
	var e Event
	if err := json.Unmarshal([]byte(`{"kind":"from_the_future","body":{"x":1}}`), &e); err != nil {
		t.Fatal(err)
	}
	u, ok := e.Body.(Unrecognised)
	if !ok || u.Type != "event from_the_future" || u.Raw != `{"x":1}` {
		t.Fatalf("%#v", e.Body)
	}
}

// I-2: the zero outcome is invalid, so a forgotten assignment can't read as success.
func TestZeroOutcomeIsInvalid(t *testing.T) {
	var o Outcome
	if o.Valid() || o == Success {
		t.Fatal("the zero outcome is valid")
	}
}
