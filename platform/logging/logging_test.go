package logging

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"keva/agent/event"
)

func TestLinesReachFileAndMemory(t *testing.T) {
	dir := t.TempDir()
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var more bytes.Buffer
	logger := l.Logger(zerolog.InfoLevel, &more)
	logger.Debug().Msg("too fine")
	logger.Info().Str("engine", "e").Msg("started")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	logger.Info().Msg("after close")
	data, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil || strings.Count(string(data), "\n") != 1 || !strings.Contains(string(data), `"engine":"e"`) {
		t.Errorf("%s, %v", data, err)
	}
	if lines := l.Lines(); len(lines) != 2 || lines[0] != string(data) || !strings.HasPrefix(more.String(), lines[0]) {
		t.Errorf("%q, %q", lines, more.String())
	}
	if fi, err := os.Stat(filepath.Join(dir, FileName)); err != nil || fi.Mode().Perm() != 0o600 {
		t.Error(fi.Mode(), err)
	}
}

func TestLogIsBounded(t *testing.T) {
	dir := t.TempDir()
	f, err := openRotating(dir, 1000, 2)
	if err != nil {
		t.Fatal(err)
	}
	l := &Log{file: f, ring: ring{max: 3}}
	for i := range 200 {
		_, _ = fmt.Fprintf(l, "line %03d %s\n", i, strings.Repeat("x", 50))
	}
	_, _ = l.Write(bytes.Repeat([]byte("y"), 5*maxLine))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) != 3 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, n := range names {
		fi, err := os.Stat(n)
		if err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v", n, err)
		}
		if fi.Size() > 1000 && fi.Size() > maxLine+20 {
			t.Errorf("%s has %d bytes", n, fi.Size())
		}
	}
	newest, err := os.ReadFile(filepath.Join(dir, FileName+".1"))
	if err != nil || !strings.Contains(string(newest), "line 199") {
		t.Errorf("the newest lines are not in the newest file: %v", err)
	}
	lines := l.Lines()
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "line 198") || !strings.HasSuffix(lines[2], "(cut)\n") {
		t.Errorf("%.40q", lines)
	}
	if n, err := l.Lost(); n != 0 || err != nil {
		t.Error(n, err)
	}
	if l, err := Open(dir); err != nil { // goes on behind what is there
		t.Error(err)
	} else if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// A log that can't be written must not stop the program, and must not be silent about it.
func TestUnwritableLogWorksInMemory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := Open(filepath.Join(file, "logs"))
	var known *event.Error
	if !errors.As(err, &known) || known.Detail == "" {
		t.Fatalf("%v", err)
	}
	logger := l.Logger(zerolog.InfoLevel)
	logger.Info().Msg("still here")
	if lines := l.Lines(); len(lines) != 1 {
		t.Error(lines)
	}

	dir := t.TempDir()
	l, err = Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.file.f.Close(); err != nil { // the disk goes away
		t.Fatal(err)
	}
	logger = l.Logger(zerolog.InfoLevel)
	logger.Info().Msg("lost")
	if n, err := l.Lost(); n != 1 || err == nil {
		t.Error(n, err)
	}
}

func TestSecretsAreStruckOut(t *testing.T) {
	var r Redactor
	const secret = `pa"ss\word/+ß&x`
	r.Protect(secret)
	r.Protect("prefix-1")
	r.Protect("prefix-1-and-more")
	r.Protect("") // would strike everything
	r.Protect("a")
	for in, want := range map[string]string{
		"a plain line, 12345":                         "a plain line, 12345",
		"value " + secret:                             "value •••",
		`{"m":"pa\"ss\\word/+ß\u0026x"}`:              `{"m":"•••"}`,
		"GET /?k=pa%22ss%5Cword%2F%2B%C3%9F%26x":      "GET /?k=•••",
		"prefix-1-and-more":                           "•••",
		"key sk-ant-api03-abcdefgh_IJKL-x":            "key sk-•••",
		"Authorization: Bearer abc.def-ghi==":         "Authorization: Bearer •••",
		`"authorization":"bearer abcdefghij"`:         `"authorization":"bearer •••"`,
		"ANTHROPIC_API_KEY=abc OTHER=1":               "ANTHROPIC_API_KEY=••• OTHER=1",
		`{"x-api-key": "abc", "b": 1}`:                `{"x-api-key": "•••", "b": 1}`,
		`{\"api_key\":\"abc\",\"b\":1}`:               `{\"api_key\":\"•••\",\"b\":1}`,
		"proxy http://user:pw@proxy.example:8080/":    "proxy http://•••@proxy.example:8080/",
		"https://example.com/@scope/x":                "https://example.com/@scope/x",
		"ghp_0123456789abcdef":                        "ghp_•••",
		"eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.sig-x y": "••• y",
		"max_tokens=4096 tokens: 12":                  "max_tokens=4096 tokens: 12",
	} {
		if got := r.String(in); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

// The guarantee of the log, whatever the path of a value into it.
func TestNoPathPutsASecretIntoTheLog(t *testing.T) {
	dir := t.TempDir()
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	secret := "correct horse \"battery\" <staple>"
	l.Protect(secret)
	var more bytes.Buffer
	logger := l.Logger(zerolog.DebugLevel, &more)
	logger.Error().Err(errors.New("with "+secret)).Str("s", secret).Bytes("b", []byte(secret)).
		Interface("i", map[string]string{secret: secret}).Str("frame", `{"key":"correct horse \"battery\" <staple>"}`).Msg(secret)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"file": string(data), "memory": strings.Join(l.Lines(), ""), "more": more.String()} {
		if strings.Contains(text, "battery") || strings.Count(text, Struck) < 7 {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestLogTakesManyWriters(t *testing.T) {
	l, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	logger := l.Logger(zerolog.InfoLevel)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				logger.Info().Int("i", i).Msg("x")
				l.Protect(fmt.Sprint("secret-", i))
				l.Lines()
			}
		})
	}
	wg.Wait()
	if n := len(l.Lines()); n != 400 {
		t.Error(n)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func FuzzRedactor(f *testing.F) {
	f.Add("secret-value", "before", "after")
	f.Add("aaaaaa", "a", "a")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		if len(secret) < minSecret || strings.Contains(before+Struck+after, secret) || strings.Contains(Struck, secret) {
			return
		}
		var r Redactor
		r.Protect(secret)
		got := r.String(before + secret + after)
		// Struck may join with its surroundings only into what was not there before.
		if strings.Contains(strings.ReplaceAll(got, Struck, "\x00"), secret) && !strings.Contains(secret, "\x00") {
			t.Fatalf("%q in %q", secret, got)
		}
	})
}
