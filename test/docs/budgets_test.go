// Package docs compares the documents that are written by a generator with what they are written from.
package docs

import (
	"flag"
	"os"
	"testing"

	"keva/agent/budget"
)

var update = flag.Bool("update", false, "write the documents anew")

// A table in the docs that is not the one in the code is worse than none.
func TestBudgets(t *testing.T) {
	const path = "../../docs/BUDGETS.md"
	want := budget.Markdown()
	if *update {
		if err := os.MkdirAll("../../docs", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/BUDGETS.md is not what agent/budget says: run go test ./test/docs -update")
	}
}
