package claude

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"keva/agent/runtime"
	launchplan "keva/engines/userland/plan"
)

// The whole launch in both places, by its words. What is new in an engine's environment must be new here.
func TestLaunchGolden(t *testing.T) {
	for name, value := range map[string]string{
		"PATH": "/usr/bin:/bin", "HOME": "/home/ada", "USER": "ada", "LOGNAME": "ada", "TMPDIR": "/var/tmp", "TZ": "", "LANG": "de_DE.UTF-8",
		"LC_ALL": "", "LC_CTYPE": "", "NODE_OPTIONS": "poison", "ANTHROPIC_AUTH_TOKEN": "poison", "CLAUDE_CODE_USE_BEDROCK": "poison",
		"BASH_ENV": "poison", "HTTPS_PROXY": "poison", "SSL_CERT_FILE": "poison", "SHELL": "poison", "GIT_CONFIG_GLOBAL": "poison",
	} {
		t.Setenv(name, value)
	}
	const root = "/data/user/0/app.keva/files/userland/versions/ID"
	for name, c := range map[string]struct {
		place  launchplan.Place
		binary string
	}{
		"host": {launchplan.Host(), "/cache/engines/claude/claude"},
		"pack": {launchplan.Pack(root, "/data/user/0/app.keva/files"), root + "/opt/claude/claude"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Binary: c.binary, Place: c.place, StateDir: filepath.Join(t.TempDir(), "state")}
			s := runtime.Start{
				Session: "s-1", Dir: "/project", Model: "m", Effort: "high", Resume: "r", Instructions: "Be kind.",
				Provider: runtime.Provider{BaseURL: "http://127.0.0.1:2", Key: "secret"},
			}
			spec, temp, err := o.spec(s)
			if err != nil {
				t.Fatal(err)
			}
			remove(temp)
			p, err := o.launchPlan(s, spec.Dir, spec.Args)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.NewReplacer(o.StateDir, "STATE", "SHELL="+launchplan.Host().Shell(), "SHELL=BASH").Replace(p.String())
			got = regexp.MustCompile(`-\d+\.(md|json)`).ReplaceAllString(got, "-N.$1")
			got = strings.ReplaceAll(got, root, "ROOT")
			file := filepath.Join("testdata", "launch", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("\n%s\nwant\n%s", got, want)
			}
			start, err := os.ReadFile(o.bashStart())
			if home := c.place.Home; err != nil || !strings.Contains(string(start), "export HOME='"+home+"'") {
				t.Errorf("a command's home is not %s: %s %v", home, start, err)
			}
		})
	}
}
