package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keva/agent/runtime"
)

// An engine can be found by the next Keva while it runs, and gives evidence that it lives; after its stop it does neither.
func TestRecordAndVitals(t *testing.T) {
	f := factory(t, "plain")
	f.opts.RecordDir = filepath.Join(t.TempDir(), "run")
	rt, _ := start(t, f, runtime.Start{Session: "s-7"})
	v := rt.(runtime.Witness).Vitals()
	if v.PID < 2 || !v.CPUKnown {
		t.Errorf("vitals %+v of a running engine", v)
	}
	records, err := filepath.Glob(filepath.Join(f.opts.RecordDir, "*"))
	if err != nil || len(records) != 1 {
		t.Fatalf("records %v (%v), want one", records, err)
	}
	data, err := os.ReadFile(records[0])
	if err != nil || !strings.Contains(string(data), `"engine":"claude","session":"s-7"`) {
		t.Errorf("record %s (%v)", data, err)
	}
	if err := rt.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := rt.(runtime.Witness).Vitals(); v != (runtime.Vitals{}) {
		t.Errorf("vitals %+v of an engine that is gone", v)
	}
	if records, _ := filepath.Glob(filepath.Join(f.opts.RecordDir, "*")); len(records) != 0 {
		t.Errorf("records %v after the stop", records)
	}
}
