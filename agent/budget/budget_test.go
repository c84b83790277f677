package budget

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// A number without a meaning or an owner is a magic number again.
func TestEveryBudgetIsWhole(t *testing.T) {
	names := map[string]bool{}
	for _, b := range All() {
		if b.Name == "" || b.Meaning == "" || b.Owner == "" {
			t.Errorf("%+v has no name, meaning or owner", b)
		}
		if names[b.Name] {
			t.Errorf("%q is there twice", b.Name)
		}
		names[b.Name] = true
		if (b.Time > 0) == (b.Size > 0) || b.Time < 0 || b.Size < 0 || (b.Size > 0) != (b.Unit != "") {
			t.Errorf("%s: exactly one of a time and a size with a unit is needed: %+v", b.Name, b)
		}
		if strings.ContainsAny(b.Name+b.Meaning+b.Owner, "|\n") {
			t.Errorf("%s breaks the table of the docs", b.Name)
		}
		for _, dir := range strings.Split(b.Owner, ", ") {
			if info, err := os.Stat(filepath.Join("../..", dir)); err != nil || !info.IsDir() {
				t.Errorf("%s: its owner %s is not a package", b.Name, dir)
			}
		}
	}
}

// A budget that All forgets is missing in the docs and in the diagnostics.
func TestAllListsEveryBudget(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "budget.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared, listed := map[string]bool{}, map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			if lit, ok := n.Values[0].(*ast.CompositeLit); ok && len(n.Values) == 1 {
				if id, ok := lit.Type.(*ast.Ident); ok && id.Name == "Budget" {
					declared[n.Names[0].Name] = true
				}
			}
		case *ast.ReturnStmt:
			for _, e := range n.Results[0].(*ast.CompositeLit).Elts {
				listed[e.(*ast.Ident).Name] = true
			}
		}
		return true
	})
	if len(declared) == 0 || !reflect.DeepEqual(declared, listed) {
		t.Errorf("declared %v, listed %v", declared, listed)
	}
}

// Each budget is used by its owner: one that nobody reads would promise what nobody keeps.
func TestOwnersUseTheirBudgets(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "budget.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var vars []string // in the order of All
	ast.Inspect(f, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok {
			for _, e := range r.Results[0].(*ast.CompositeLit).Elts {
				vars = append(vars, e.(*ast.Ident).Name)
			}
		}
		return true
	})
	for i, b := range All() {
		for _, dir := range strings.Split(b.Owner, ", ") {
			files, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
			if err != nil {
				t.Fatal(err)
			}
			used := false
			for _, file := range files {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				used = used || !strings.HasSuffix(file, "_test.go") && strings.Contains(string(data), "budget."+vars[i]+".")
			}
			if !used {
				t.Errorf("%s does not use budget.%s", dir, vars[i])
			}
		}
	}
}

// Who waits for a stop must wait longer than the ladder takes, or it tells of an engine that is still ending.
func TestTheLadderFitsIntoTheStop(t *testing.T) {
	ladder := Farewell.Time + StopStdin.Time + StopInt.Time + StopTerm.Time + StopKill.Time + StopKin.Time
	if ladder > EngineStop.Time {
		t.Errorf("the ladder takes up to %v, closing a session waits %v", ladder, EngineStop.Time)
	}
}

func TestValue(t *testing.T) {
	for want, b := range map[string]Budget{
		"30 min":      {Time: 30 * time.Minute},
		"2 s":         {Time: 2 * time.Second},
		"1.5 s":       {Time: 1500 * time.Millisecond},
		"500 ms":      {Time: 500 * time.Millisecond},
		"1m30s":       {Time: 90 * time.Second},
		"8 KiB":       {Size: 8 << 10, Unit: "bytes"},
		"1 MiB":       {Size: 1 << 20, Unit: "bytes"},
		"12 messages": {Size: 12, Unit: "messages"},
	} {
		if got := b.Value(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
