package budget

import (
	"fmt"
	"strings"
)

// Markdown is the table for people: docs/BUDGETS.md, compared by a test.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Budgets\n\nEvery timeout and limit, and what happens when it is spent. Written by `go test ./test/docs -update`\n" +
		"from `agent/budget`; change it there.\n\n| Budget | Value | What happens | Enforced by |\n|---|---|---|---|\n")
	for _, x := range All() {
		fmt.Fprintf(&b, "| %s | %s | %s | `%s` |\n", x.Name, x.Value(), x.Meaning, strings.ReplaceAll(x.Owner, ", ", "`, `"))
	}
	return b.String()
}

// Value is the time or the size as people write it.
func (b Budget) Value() string {
	switch {
	case b.Time > 0:
		s := b.Time.String()
		s = strings.Replace(s, "m0s", "m", 1)
		if i := strings.IndexFunc(s, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); i == strings.LastIndexAny(s, "0123456789.")+1 {
			s = s[:i] + " " + unit(s[i:])
		}
		return s
	case b.Unit == "bytes" && b.Size%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", b.Size>>20)
	case b.Unit == "bytes" && b.Size%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", b.Size>>10)
	}
	return fmt.Sprintf("%d %s", b.Size, b.Unit)
}

func unit(s string) string {
	if s == "m" {
		return "min"
	}
	return s
}
