package elfedit

import (
	"strings"
	"testing"
)

func TestShebang(t *testing.T) {
	inside := func(p string) bool { return p == "/bin/sh" || p == "/usr/bin/env" }
	for text, want := range map[string]int64{
		"#!/bin/sh\n": 2, "#! /bin/sh\n": 3, "#!\t /bin/sh -e\n": 4, "#!/usr/bin/env -S a b\nx": 2, "#!/bin/sh": 2, "#!/bin/sh\r\n": 2,
		"": -1, "#!": -1, "#!\n": -1, "#! \n": -1, "#!sh\n": -1, "#!/bin/other\n": -1, " #!/bin/sh\n": -1, "\x7fELF": -1,
		"#!" + strings.Repeat(" ", 300) + "/bin/sh\n": -1,
	} {
		r, err := Shebang([]byte(text), inside)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := int64(-1); r != nil && r.Offset != want || r == nil && got != want {
			t.Errorf("%q: %+v, want %d", text, r, want)
		}
	}
	// The kernel would cut the line, and run another program or none.
	if _, err := Shebang([]byte("#!/bin/sh "+strings.Repeat("x", 60)+"\n"), inside); err == nil {
		t.Error("a line that grows over the kernel's limit was accepted")
	}
}
