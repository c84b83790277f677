package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"keva/engines/install"
)

// engineBinary finds a real engine, or skips: the whole project's set-up brings the engines, a lone checkout has none.
func engineBinary(t *testing.T, engine string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a real engine is started")
	}
	if path := os.Getenv("KEVA_TEST_" + strings.ToUpper(engine)); path != "" {
		return path
	}
	cache, err := install.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := install.Find(install.Default(), engine, cache)
	if err != nil {
		t.Skip(err)
	}
	return paths.Binary
}

func always(string) bool { return true }

func startServer(t *testing.T, opt Options) *Server {
	t.Helper()
	s, err := Start(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeServer(t, s) })
	return s
}

func closeServer(t *testing.T, s *Server) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("closing the server: %v", err)
	}
}

func newProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := NewProject(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func expect(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("not said: %q, but:\n%s", part, text)
			return
		}
	}
}

// live is a running engine that a test talks to line by line, without the product's adapters.
type live struct {
	t     *testing.T
	lines chan map[string]any
	in    io.WriteCloser
	cmd   *exec.Cmd
	mu    sync.Mutex
	all   []string
}

func startLive(t *testing.T, dir string, env []string, path string, args ...string) *live {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = dir, env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l := &live{t: t, in: in, cmd: cmd, lines: make(chan map[string]any, 1000)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(l.lines)
		reader := bufio.NewReader(out)
		for {
			line, err := reader.ReadBytes('\n')
			if err != nil {
				return
			}
			l.mu.Lock()
			l.all = append(l.all, string(line))
			l.mu.Unlock()
			var message map[string]any
			if json.Unmarshal(line, &message) == nil {
				l.lines <- message
			}
		}
	}()
	t.Cleanup(func() {
		_ = in.Close()
		go func() { // nobody reads any more: the engine must not hang on a full pipe
			for range l.lines { //nolint:revive // drained
			}
		}()
		select {
		case <-read:
		case <-time.After(10 * time.Second):
		}
		cancel()
		_ = cmd.Wait()
		if t.Failed() {
			l.mu.Lock()
			defer l.mu.Unlock()
			t.Logf("the last lines of %s:", filepath.Base(path))
			for _, line := range l.all[max(0, len(l.all)-20):] {
				t.Log(short(line))
			}
			t.Logf("stderr: %s", stderr.String())
		}
	})
	return l
}

// kill ends the engine at once, as a phone does.
func (l *live) kill() {
	l.t.Helper()
	if err := l.cmd.Process.Kill(); err != nil {
		l.t.Fatal(err)
	}
}

func (l *live) send(message any) {
	l.t.Helper()
	data, err := json.Marshal(message)
	if err != nil {
		l.t.Fatal(err)
	}
	if _, err := l.in.Write(append(data, '\n')); err != nil {
		l.t.Fatalf("the engine does not take input: %v", err)
	}
}

// each hands every message to f until f says that it is enough.
func (l *live) each(limit time.Duration, f func(map[string]any) bool) {
	l.t.Helper()
	timeout := time.After(limit)
	for {
		select {
		case message, ok := <-l.lines:
			if !ok {
				l.t.Fatal("the engine ended")
			}
			if f(message) {
				return
			}
		case <-timeout:
			l.t.Fatal("the engine did not come to an end")
		}
	}
}

// at walks into decoded JSON.
func at(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

func str(v any, path ...string) string {
	s, _ := at(v, path...).(string)
	return s
}

func testsPass(t *testing.T, dir string) bool {
	t.Helper()
	cmd := exec.Command("sh", "tests/run.sh")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	return err == nil
}
