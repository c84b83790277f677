package build

import (
	"errors"
	"strings"
	"testing"

	"keva/agent/event"
)

// mustSay fails unless err is an *event.Error whose sentence has the words.
func mustSay(t *testing.T, err error, words ...string) {
	t.Helper()
	var e *event.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T %v, want *event.Error", err, err)
	}
	for _, w := range words {
		if !strings.Contains(e.Message, w) {
			t.Errorf("%q does not say %q (%s)", e.Message, w, e.Detail)
		}
	}
}
