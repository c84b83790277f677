//go:build linux && amd64

package lab

import (
	"errors"
	"strings"
	"testing"
)

func TestBatteryIsReadable(t *testing.T) {
	checks, err := (&Lab{Source: "../../.."}).Battery()
	if err != nil {
		t.Fatal(err)
	}
	core := 0
	for _, c := range checks {
		if strings.TrimSpace(c.Script) == "" {
			t.Errorf("%s/%s does nothing", c.Group, c.Name)
		}
		if c.Core {
			core++
		}
	}
	if len(checks) < 66 || core < 30 || core >= len(checks) {
		t.Errorf("%d checks, %d of them in the short set", len(checks), core)
	}
}

func TestParseBattery(t *testing.T) {
	list, err := parseBattery("g", "== a core\n#= ^x$\necho x\n\n== b\ntrue\n")
	if err != nil || len(list) != 2 || !list[0].Core || list[1].Core || list[0].Script != "echo x\n\n" {
		t.Fatalf("%+v %v", list, err)
	}
	if p := list[0].Problem(nil, "x\n"); p != "" {
		t.Error(p)
	}
	if list[0].Problem(nil, "y\n") == "" || list[0].Problem(errors.New("exit 1"), "x\n") == "" {
		t.Error("a check passes without its output, or with a failure")
	}
	for _, bad := range []string{"echo 1\n", "== \n", "== a b\n", "== a\n== a\n", "== a\n#= (\n"} {
		if _, err := parseBattery("g", bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
