package headless

import (
	"errors"
	"strings"
	"testing"

	"keva/agent/doctor"
)

func TestDoctor(t *testing.T) {
	found := []doctor.Finding{
		{ID: "a", Group: "Engines", Title: "Claude Code", State: doctor.OK, Says: "2.1.197 runs."},
		{ID: "b", Group: "Engines", Title: "Codex", State: doctor.Unknown, Says: "It took \x1b[2Jtoo long.", Remedy: "Try again."},
		{ID: "c", Group: "Network", Title: "Proxy", State: doctor.Warning, Says: "Slow.", Remedy: "Wait."},
	}
	var out strings.Builder
	code, err := Doctor(&out, found, false, false)
	if err != nil || code != Unknown || strings.Contains(out.String(), "\x1b") {
		t.Error(code, err, out.String())
	}
	for _, want := range []string{"Engines\n  ✓ Claude Code: 2.1.197 runs.\n", "? Codex", "      Try again.", "▲ Proxy"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %q", want, out.String())
		}
	}
	out.Reset()
	if code, err := Doctor(&out, append(found, doctor.Finding{State: doctor.Failed}), true, false); err != nil || code != Failure ||
		!strings.HasPrefix(out.String(), `{"state":"failed","findings":[{"id":"a"`) {
		t.Error(code, err, out.String())
	}
	if code, _ := Doctor(&out, found[:1], false, false); code != Success {
		t.Error(code)
	}
	if _, err := Doctor(full{}, found, false, false); err == nil {
		t.Error("a full disk is no error")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }
