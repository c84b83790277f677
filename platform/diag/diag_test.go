package diag

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keva/agent/doctor"
	"keva/agent/event"
	"keva/platform/logging"
)

// Secrets that somebody could have, in the places where they turn up. None may be in a report.
var planted = []struct{ secret, in string }{
	{"known-value-1", `{"level":"error","detail":"the server said known-value-1"}`},
	{"sk-ant-api03-abcdefghijklmnop", `key sk-ant-api03-abcdefghijklmnop was refused`},
	{"hunter2", "ENV PASSWORD_OF_MINE=hunter2 make"},
	{"s3cr3t", `export FOO_BAR="s3cr3t and more"`},
	{"and more", `export FOO_BAR="s3cr3t and more"`},
	{"dXNlcjpwYXNz", "Proxy-Authorization: Basic dXNlcjpwYXNz"},
	{"letmein", "X-Api-Key: letmein now"},
	{"session99", "cookie: id=session99; other=1"},
	{"pa55", "dial http://user:pa55@proxy.example:3128 failed"},
	{"token=abc", "GET https://api.example/v1/models?token=abc&x=1 404"},
	{"private-report", "GET https://git.example/private-report.git"},
	{"merger-with-acme", "no such folder /home/evelyn/work/merger-with-acme"},
	{"evelyn", "no such folder /home/evelyn/work/merger-with-acme"},
	{"takeover", "in /storage/emulated/0/Documents/takeover/plan.md:3"},
	{"secret-client", "/data/keva/projects/secret-client/main.go can't be read"},
	{"eva@example.org", "signed in as eva@example.org"},
	{"A1b2C3d4E5f6G7h8I9j0K1", "opaque A1b2C3d4E5f6G7h8I9j0K1 here"},
	{"correcthorsebatterystaple", "phrase correcthorsebatterystaple"},
	{"4eC39HqLyjWDarjtT1zdp7dc", `{"client":"4eC39HqLyjWDarjtT1zdp7dc"}`},
	{"thing.pem", "file:///home/evelyn/thing.pem"},
	{"x-ray", `{\"x-auth-token\":\"x-ray\"}`},
}

func scrubber() *Scrubber {
	var known logging.Redactor
	known.Protect("known-value-1")
	return &Scrubber{Known: &known, Folders: map[string]string{"$DATA": "/data/keva", "$CACHE": "/data/keva/cache"}}
}

func TestPlantedSecretsAreNowhere(t *testing.T) {
	var src Source
	for _, p := range planted {
		src.Log = append(src.Log, p.in)
		src.Events = append(src.Events, p.in)
		src.App = append(src.App, Fact{"Fact", p.in})
		src.Findings = append(src.Findings, doctor.Finding{Title: "T", State: doctor.Failed, Says: p.in, Remedy: p.in, Detail: p.in})
	}
	text := Report(src, scrubber())
	for _, p := range planted {
		if strings.Contains(text, p.secret) {
			for _, l := range strings.Split(text, "\n") {
				if strings.Contains(l, p.secret) {
					t.Errorf("%q is in %q", p.secret, l)
					break
				}
			}
		}
	}
}

// What a helper needs stays readable.
func TestWhatHelpsStays(t *testing.T) {
	for in, want := range map[string]string{
		`{"level":"warn","message":"The provider did not answer.","class":"timeout"}`: `{"level":"warn","message":"The provider did not answer.","class":"timeout"}`,
		"CONNECT https://api.anthropic.com:443 refused":                               "CONNECT https://api.anthropic.com:443 refused",
		"/usr/bin/git: exit=128 pid=77":                                               "/usr/bin/git: exit=128 pid=77",
		"/data/keva/userland/current":                                                 "$DATA/userland/current",
		"/data/keva/cache/engines":                                                    "$CACHE/engines",
		"/proc/self/exe":                                                              "/proc/self/exe",
		"session 1b671a64-40d5-491e-99b0-da01ff1f3341 ended":                          "session 1b671a64… ended",
		"Claude Code 2.1.197":                                                         "Claude Code 2.1.197",
		"and/or":                                                                      "and/or",
	} {
		if got := scrubber().Text(in); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
}

func TestAnEntryIsOneLine(t *testing.T) {
	text := Report(Source{Made: time.Unix(0, 0), Log: []string{"a\n\n== Checks\n[ok] all is well\r\nb\n"}, LostLog: 2}, scrubber())
	if strings.Count(text, "\n== Checks") != 1 || !strings.Contains(text, "a ⏎ == Checks ⏎ [ok] all is well ⏎ b\n") {
		t.Error(text)
	}
	if !strings.Contains(text, "Nothing is on record.") || !strings.Contains(text, "2 lines could not be written") {
		t.Error(text)
	}
	long := make([]string, maxLog+5)
	for i := range long {
		long[i] = fmt.Sprint("line ", i)
	}
	if text := Report(Source{Log: long}, scrubber()); !strings.Contains(text, "5 earlier lines are left out.") || !strings.HasSuffix(text, "line 304\n") {
		t.Error("the newest lines are not there")
	}
}

func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "reports")
	made := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	name, err := Save(dir, "text", made)
	if err != nil || filepath.Base(name) != "keva-report-20260102-030405.txt" {
		t.Fatal(name, err)
	}
	if fi, err := os.Stat(name); err != nil || fi.Mode().Perm() != 0o600 {
		t.Error(fi, err)
	}
	var known *event.Error
	if _, err := Save(filepath.Join(name, "below"), "text", made); !errors.As(err, &known) {
		t.Error(err)
	}
}

func FuzzScrub(f *testing.F) {
	for _, p := range planted {
		f.Add(p.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		s := scrubber()
		out := s.Text(in + " known-value-1 " + in)
		if strings.Contains(out, "known-value-1") {
			t.Errorf("%q", out)
		}
		if strings.Count(out, "\n") != strings.Count(in, "\n")*2 {
			t.Errorf("lines were lost: %q", out)
		}
	})
}
