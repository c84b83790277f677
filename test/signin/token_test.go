package signin

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/session"
	"keva/engines/demo"
)

// What an engine was signed in with lies in its own folder, and only the engine can renew it. The model must not get at it
// unasked: neither with the tool that reads files, which reads a project without asking, nor with a command that only looks.
func TestTheEnginesTokenIsNotReadUnasked(t *testing.T) {
	for method, file := range map[string]string{
		"claude/code":  "engines/claude/config/.credentials.json",
		"codex/device": "engines/codex/home/auth.json",
	} {
		for _, way := range []string{"read", "cat"} {
			t.Run(method+" "+way, func(t *testing.T) {
				dir := t.TempDir()
				secretFile := filepath.Join(dir, filepath.FromSlash(file))
				do := `{"read":{"path":"` + secretFile + `"}}`
				if way == "cat" {
					do = `{"run":{"command":"cat ` + secretFile + `","title":"Look"}}`
				}
				v := newVendors(t)
				d, err := demo.Start(t.Context(), demo.Options{Scripts: scripts(t, "steal", `{"match":["(?i)^steal"],"steps":[{"id":"look","do":[`+do+`]},{"id":"end","say":"done","end":true}]}`)})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = d.Close() })
				v.set(func(v *vendors) { v.model = d })
				a := open(t, dir, v)
				w := a.asked(t, method)
				a.person(t, v, method, w.State)
				if end := a.until(t, "ended", ended); reasonOf(end.State) != nil {
					t.Fatalf("%+v", reasonOf(end.State))
				}
				if raw, err := os.ReadFile(secretFile); err != nil || !strings.Contains(string(raw), secretToken) && method == "claude/code" {
					t.Fatalf("nothing to steal: %v", err)
				}
				project := filepath.Join(t.TempDir(), "project")
				if err := demo.NewProject(project); err != nil {
					t.Fatal(err)
				}
				s, err := a.Service.Create(t.Context(), session.New{Dir: project, Engine: w.Method.Engine, Provider: w.Method.Provider})
				if err != nil {
					t.Fatal(err)
				}
				updates := s.Subscribe(t.Context())
				if err := s.Send(t.Context(), "steal"); err != nil {
					t.Fatal(err)
				}
				decide := event.Deny
				if method == "claude/code" {
					decide = event.Allow // its own rule is stronger than a user who allows every look
				}
				asked := decided(t, s, updates, decide)
				for _, r := range d.Requests() {
					if strings.Contains(string(r.Body), "rt-"+secretToken) || strings.Contains(string(r.Body), "sk-ant-oat01-"+secretToken) {
						t.Fatalf("the model got the token; asked: %v", asked)
					}
				}
				t.Logf("asked %d times", asked)
			})
		}
	}
}

// scripts are the demo's own, and one more.
func scripts(t *testing.T, name, script string) fs.FS {
	t.Helper()
	out := fstest.MapFS{"scripts/" + name + ".json": {Data: []byte(script)}}
	const dir = "../../assets/demo"
	err := fs.WalkDir(os.DirFS(dir), "scripts", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(filepath.Join(dir, path))
		out[path] = &fstest.MapFile{Data: raw}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// decided says the same to everything until the turn has ended, and counts.
func decided(t *testing.T, s *session.Session, updates <-chan session.Update, say event.Decision) int {
	t.Helper()
	asked := map[string]bool{}
	for deadline := time.After(2 * time.Minute); ; {
		select {
		case u := <-updates:
			for _, r := range u.View.Pending {
				if !asked[r.ID] {
					asked[r.ID] = true
					if _, err := s.Answer(t.Context(), r.ID, runtime.Answer{Decision: say, By: event.ByUser, Reason: "no"}); err != nil {
						t.Fatal(err)
					}
				}
			}
			if u.View.Verdict != "" {
				return len(asked)
			}
		case <-deadline:
			t.Fatalf("not in time: %+v", s.View())
		}
	}
}
