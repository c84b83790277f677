package codex

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keva/agent/runtime"
	"keva/engines/userland/plan"
)

// The whole launch in both places, by its words. What is new in an engine's environment must be new here.
func TestLaunchGolden(t *testing.T) {
	for name, value := range map[string]string{
		"PATH": "/usr/bin:/bin", "HOME": "/home/ada", "USER": "ada", "LOGNAME": "ada", "TMPDIR": "/var/tmp", "TZ": "", "LANG": "de_DE.UTF-8",
		"LC_ALL": "", "LC_CTYPE": "", "NODE_OPTIONS": "poison", "OPENAI_API_KEY": "poison", "CODEX_HOME": "poison", "CODEX_API_KEY": "poison",
		"BASH_ENV": "poison", "HTTPS_PROXY": "poison", "SSL_CERT_FILE": "poison", "SHELL": "poison", "GIT_CONFIG_GLOBAL": "poison",
	} {
		t.Setenv(name, value)
	}
	const root = "/data/user/0/app.keva/files/userland/versions/ID"
	for name, c := range map[string]struct {
		place           plan.Place
		binary, helpers string
	}{
		"host": {plan.Host(), "/cache/engines/codex/bin/codex", "/cache/engines/codex/codex-path"},
		"pack": {plan.Pack(root, "/data/user/0/app.keva/files"), root + "/opt/codex/bin/codex", root + "/opt/codex/codex-path"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Binary: c.binary, Helpers: c.helpers, Place: c.place}
			s := runtime.Start{Session: "s-1", Dir: "/project", Provider: runtime.Provider{Name: "P", BaseURL: "http://127.0.0.1:2/v1", Key: "secret"}}
			p, err := o.plan("/state/home", s, s.Dir, arguments(s.Provider))
			if err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(p.String(), "SHELL="+plan.Host().Shell(), "SHELL=BASH")
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
		})
	}
}
