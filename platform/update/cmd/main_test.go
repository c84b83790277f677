package main

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keva/platform/update"
)

// What the command signs is what an app with the printed key believes; and it signs nothing that an app would refuse.
func TestSignsWhatAppsBelieve(t *testing.T) {
	dir := t.TempDir()
	key, notes := filepath.Join(dir, "key"), filepath.Join(dir, "notes")
	var out bytes.Buffer
	if err := run([]string{"-new", key}, &out, time.Now()); err != nil {
		t.Fatal(err)
	}
	pub, err := base64.StdEncoding.DecodeString(strings.TrimSpace(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if err := run([]string{"-new", key}, &out, time.Now()); err == nil {
		t.Error("a key was written over")
	}
	if err := os.WriteFile(notes, []byte("Better.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := run([]string{"-key", key, "-version", "0.2.0", "-sequence", "7", "-page", "https://keva.test/", "-notes", notes}, &out, now); err != nil {
		t.Fatal(err)
	}
	m, err := update.Verify(out.Bytes(), pub)
	if err != nil || m.Version != "0.2.0" || m.Sequence != 7 || m.Notes != "Better.\n" || !m.Expires.Equal(now.AddDate(0, 0, 90)) {
		t.Errorf("%+v %v", m, err)
	}
	for _, bad := range [][]string{
		{"-version", "0.2", "-sequence", "1"}, {"-version", "0.2.0"}, {"-version", "0.2.0", "-sequence", "1", "-page", "http://keva.test/"},
	} {
		out.Reset()
		if err := run(append([]string{"-key", key}, bad...), &out, now); err == nil || out.Len() > 0 {
			t.Errorf("%v: %s", bad, out.String())
		}
	}
	if err := run([]string{"-key", notes, "-version", "0.2.0", "-sequence", "1"}, &out, now); err == nil {
		t.Error("notes are no key")
	}
}
