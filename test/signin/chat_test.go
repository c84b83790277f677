package signin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/session"
	"keva/engines/demo"
	"keva/engines/install"
	"keva/platform/models"
	"keva/platform/settings"
)

// The evidence for provider.ChatOnly. This Codex has no setting for Chat Completions any more, and at an address that has
// nothing else it asks for Responses and fails with what reads like a wrong model: it must be refused before.
func TestCodexHasNoChatCompletions(t *testing.T) {
	p, err := install.Find(install.Default(), "codex", cache)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.Binary, "app-server",
		"-c", `model_providers.chat={name="chat",base_url="http://127.0.0.1:9/v1",wire_api="chat"}`, "-c", `model_provider="chat"`)
	home := t.TempDir()
	cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "CODEX_HOME=" + home, "PATH=/usr/bin:/bin"}
	cmd.Stdin = strings.NewReader(`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"keva","version":"0"}}}` + "\n" +
		`{"method":"initialized"}` + "\n" + fmt.Sprintf(`{"id":2,"method":"thread/start","params":{"cwd":%q}}`, home) + "\n")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // how it ends is not the point
	if all := out.String() + errs.String(); !strings.Contains(all, "no longer supported") || strings.Contains(all, `"thread":{"id"`) {
		t.Errorf("Chat Completions are taken after all: decide anew.\n%.2000s", all)
	}
}

// chatOnly is a server that has Chat Completions and nothing else, as many have.
func chatOnly(t *testing.T) (base string, asked func() []string) {
	var mu sync.Mutex
	var seen []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.Method+" "+r.URL.Path)
		mu.Unlock()
		if r.URL.Path == "/v1/chat/completions" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", func() []string { mu.Lock(); defer mu.Unlock(); return append([]string{}, seen...) }
}

func TestAChatOnlyAddressIsRefusedInWords(t *testing.T) {
	base, asked := chatOnly(t)
	own := provider.Provider{ID: provider.Custom, Name: "Chatty", Kinds: []provider.Kind{provider.Responses}, BaseURL: base, Key: provider.KeyOptional}
	dir := t.TempDir()
	a := open(t, dir, newVendors(t))
	l := models.New(models.Deps{
		Transport: http.DefaultTransport, Values: a.Store, Clock: time.Now,
		Key: func(context.Context, string) (string, error) { return "", nil },
	})
	err := l.Speaks(t.Context(), own, provider.Responses, "sk-x")
	if err == nil || !strings.Contains(err.Error(), "Chat Completions only") || !strings.Contains(err.Error(), "Use an address that has it") {
		t.Errorf("%v", err)
	}

	// What the user would see without the refusal.
	if err := a.set.Update(t.Context(), func(s *settings.Settings) { s.PutProvider(own) }); err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(t.TempDir(), "project")
	if err := demo.NewProject(project); err != nil {
		t.Fatal(err)
	}
	s, err := a.Service.Create(t.Context(), session.New{Dir: project, Engine: "codex", Provider: own.ID, Model: "gpt-5.5"})
	if err != nil {
		t.Fatal(err)
	}
	updates := s.Subscribe(t.Context())
	if err := s.Send(t.Context(), "hello"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.After(2 * time.Minute); ; {
		select {
		case u := <-updates:
			if u.View.Verdict == "" {
				continue
			}
			if u.View.Verdict != event.Failure || u.View.Turn.Error == nil {
				t.Fatalf("%s", u.View.Verdict)
			}
			raw, _ := json.Marshal(u.View.Turn.Error)
			t.Logf("without the refusal: %s; asked: %q", raw, asked())
			for _, r := range asked() {
				if r == "POST /v1/responses" {
					return
				}
			}
			t.Fatalf("Codex never asked for Responses: %q", asked())
		case <-deadline:
			t.Fatalf("not in time: %+v", s.View())
		}
	}
}
