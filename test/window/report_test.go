package window

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keva/agent/doctor"
	"keva/agent/provider"
	"keva/platform/settings"
)

// terminal is the program on a terminal, for a user of its own.
type terminal struct {
	t           *testing.T
	home        string
	environment []string
}

func newTerminal(t *testing.T, environment ...string) *terminal {
	user := t.TempDir()
	home := filepath.Join(user, "keva")
	return &terminal{t, home, append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + user, "LANG=C.UTF-8", "TMPDIR=" + os.TempDir(), "KEVA_HOME=" + home, "KEVA_CACHE=" + cache,
	}, environment...)}
}

// run runs the program and returns all that it printed. It must end with one of the codes.
func (d *terminal) run(codes []int, args ...string) string {
	d.t.Helper()
	cmd := exec.CommandContext(d.t.Context(), binary, args...)
	cmd.Env = d.environment
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || !slices.Contains(codes, cmd.ProcessState.ExitCode()) {
		d.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (d *terminal) findings() (all []doctor.Finding, text string) {
	d.t.Helper()
	text = d.run([]int{0, 1, 3}, "doctor", "-json")
	var found struct{ Findings []doctor.Finding }
	if err := json.Unmarshal([]byte(text), &found); err != nil || len(found.Findings) == 0 {
		d.t.Fatalf("%v\n%s", err, text)
	}
	return found.Findings, text
}

// A device that was never used: the doctor looks at everything and finds nothing that failed, and the report says that
// there is nothing to tell.
func TestDoctorOnAnEmptyDevice(t *testing.T) {
	d := newTerminal(t)
	found, text := d.findings()
	if doctor.Worst(found) == doctor.Failed {
		t.Errorf("something failed on an empty device:\n%s", text)
	}
	for _, id := range []string{"engine.claude", "engine.codex", "network.policy", "storage", "keyring", "log"} {
		if !slices.ContainsFunc(found, func(f doctor.Finding) bool { return f.ID == id }) {
			t.Errorf("%s was not looked at:\n%s", id, text)
		}
	}
	if report := d.run([]int{0}, "doctor", "-report"); !strings.Contains(report, "Nothing is on record.") {
		t.Error(report)
	}
}

// A device that was used, with secrets in all places where people have them. None is in what may be shared, though the
// report tells what failed.
func TestReportOfAUsedDevice(t *testing.T) {
	secrets := map[string]string{
		"key in the prompt":        "sk-ant-api03-PlantedKeyInThePrompt0001",
		"password in the prompt":   "hunter2-planted",
		"name of the project":      "merger-with-acme-planted",
		"key in the environment":   "sk-proj-PlantedKeyInTheEnvironment0002",
		"token in the environment": "ghp_PlantedTokenOfTheEnvironment0003",
		"password of the proxy":    "proxy-password-planted",
		"user of the proxy":        "proxy-user-planted",
		"path of an address":       "path-of-an-address-planted",
		"header":                   "header-value-planted",
		"name of a provider":       "provider-name-planted",
	}
	d := newTerminal(t, "OPENAI_API_KEY="+secrets["key in the environment"], "GITHUB_TOKEN="+secrets["token in the environment"],
		"HTTPS_PROXY=http://"+secrets["user of the proxy"]+":"+secrets["password of the proxy"]+"@127.0.0.1:9")
	set(t, d.home, func(s *settings.Settings) {
		p := provider.Provider{
			ID: provider.Custom, Name: secrets["name of a provider"], Kinds: []provider.Kind{provider.Anthropic}, Key: provider.KeyOptional,
			BaseURL: "https://planted.example/" + secrets["path of an address"], Headers: map[string]string{"X-Team": secrets["header"]},
		}
		s.PutProvider(p)
		choice := s.Choices["claude"]
		choice.Provider = p.ID
		s.Engine = "claude"
		if s.Choices == nil {
			s.Choices = map[string]settings.Choice{}
		}
		s.Choices["claude"] = choice
	})
	dir := filepath.Join(t.TempDir(), secrets["name of the project"])
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	prompt := "Start the tour. My key is " + secrets["key in the prompt"] + ", password=" + secrets["password in the prompt"]
	d.run([]int{0, 1, 3}, "run", "-demo", "-allow", "all", "-timeout", "2m", "-C", dir, prompt) // a tour in a folder without its project
	d.run([]int{1, 3, 5, 6}, "run", "-engine", "claude", "-timeout", "10s", "-C", dir, prompt)  // a provider that nobody can reach, or whose key nobody can ask for

	stored := ""
	files, err := filepath.Glob(filepath.Join(d.home, "data", "keva.db*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		stored += string(b)
	}
	for _, what := range []string{"key in the prompt", "password in the prompt", "name of the project", "path of an address", "header"} {
		if !strings.Contains(stored, secrets[what]) {
			t.Errorf("the %s is not on the device: that it is not in the report proves nothing", what)
		}
	}
	_, text := d.findings()
	report := d.run([]int{0}, "doctor", "-report")
	if keep := os.Getenv("KEVA_KEEP_REPORT"); keep != "" {
		if err := os.WriteFile(keep, []byte(text+"\n"+report), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(report, "Nothing is on record.") || !strings.Contains(report, "planted.example") {
		t.Errorf("it does not tell what failed:\n%s", report)
	}
	for what, secret := range secrets {
		if strings.Contains(strings.ToLower(report), strings.ToLower(secret)) {
			t.Errorf("the %s is in the report:\n%s", what, report)
		}
		if strings.Contains(strings.ToLower(text), strings.ToLower(secret)) {
			t.Errorf("the %s is in the findings:\n%s", what, text)
		}
	}
}
