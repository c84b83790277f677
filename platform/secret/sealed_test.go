package secret

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keva/agent/event"
)

// keystore stands for Android's: its key can be thrown away, and it may not answer.
type keystore struct {
	key  byte
	gone error
}

func (k *keystore) Seal(_ context.Context, name string, plain []byte) ([]byte, error) {
	if k.gone != nil {
		return nil, k.gone
	}
	out := []byte{k.key, byte(len(name))}
	for _, b := range plain {
		out = append(out, b^k.key)
	}
	return out, nil
}

func (k *keystore) Open(_ context.Context, name string, blob []byte) ([]byte, error) {
	if k.gone != nil {
		return nil, k.gone
	}
	if blob[0] != k.key || int(blob[1]) != len(name) {
		return nil, fmt.Errorf("%w: key invalidated", ErrKeyLost)
	}
	var out []byte
	for _, b := range blob[2:] {
		out = append(out, b^k.key)
	}
	return out, nil
}

func asks(t *testing.T, err error) {
	t.Helper()
	var l *Lost
	var e *event.Error
	if !errors.As(err, &l) || !errors.As(err, &e) || e.Class != event.ClassAuth || !strings.Contains(e.Message, "again") {
		t.Errorf("%T: %v", err, err)
	}
}

// A Keystore key that the system threw away: the user is asked again, nothing crashes, and what is kept anew works.
func TestALostKeyIsAskedForAgain(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "keys", "sealed.json")
	ks := &keystore{key: 0x5a}
	s := NewSealed(path, ks)
	for name, value := range map[string]string{"provider/a": key, "provider/bb": "other"} {
		if err := s.Set(ctx, name, value); err != nil {
			t.Fatal(err)
		}
	}
	if got := get(t, NewSealed(path, ks), "provider/a"); got != key {
		t.Fatalf("%q after a restart", got)
	}
	ks.key = 0x33 // a new screen lock
	for _, name := range []string{"provider/a", "provider/bb"} {
		v, err := s.Get(ctx, name)
		if asks(t, err); v != "" {
			t.Errorf("%q", v)
		}
	}
	if got := get(t, s, "provider/never"); got != "" {
		t.Errorf("%q", got)
	}
	if err := s.Set(ctx, "provider/a", "newer"); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, "provider/a"); got != "newer" {
		t.Errorf("%q", got)
	}
	_, err := s.Get(ctx, "provider/bb")
	asks(t, err)
	if err := s.Delete(ctx, "provider/bb"); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, "provider/bb"); got != "" {
		t.Errorf("%q", got)
	}
	ks.gone = errors.New("device locked")
	_, err = s.Get(ctx, "provider/a")
	unavailable(t, err, "does not answer")
	unavailable(t, s.Set(ctx, "provider/a", key), "does not answer")
	ks.gone = nil
	if got := get(t, s, "provider/a"); got != "newer" {
		t.Errorf("%q: what could not be replaced was lost", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// A blob that was moved to another name does not open: nobody gets a key that is somebody else's.
func TestABlobBelongsToItsName(t *testing.T) {
	p, err := NewPassphrase("long enough words")
	if err != nil {
		t.Fatal(err)
	}
	blob, err := p.Seal(t.Context(), "provider/a", []byte(key))
	if err != nil || bytes.Contains(blob, []byte(key)) {
		t.Fatal(err)
	}
	if _, err := p.Open(t.Context(), "provider/b", blob); !errors.Is(err, ErrKeyLost) {
		t.Error(err)
	}
	for i := range blob {
		bad := bytes.Clone(blob)
		bad[i] ^= 1
		if i < saltLen && i > 0 {
			continue // each other salt costs a derivation
		}
		if _, err := p.Open(t.Context(), "provider/a", bad); !errors.Is(err, ErrKeyLost) {
			t.Errorf("byte %d: %v", i, err)
		}
	}
	again, err := p.Seal(t.Context(), "provider/a", []byte(key))
	if err != nil || bytes.Equal(again, blob) {
		t.Error("the same text is sealed the same way")
	}
	if printed := fmt.Sprintf("%v %+v %#v", p, p, p); strings.Contains(printed, "words") {
		t.Error(printed)
	}
}

// A file that is damaged asks again and stays beside the new one.
func TestADamagedFileIsAskedForAgain(t *testing.T) {
	for _, raw := range []string{"", "{", "null", `{"format":2,"blobs":{}}`, `{"format":1}`, "\x00\x00"} {
		path := filepath.Join(t.TempDir(), "k")
		if err := os.WriteFile(path, []byte(raw), 0o600); err != nil {
			t.Fatal(err)
		}
		s := NewSealed(path, &keystore{key: 1})
		_, err := s.Get(t.Context(), "n")
		asks(t, err)
		if err := s.Set(t.Context(), "n", key); err != nil {
			t.Fatal(err)
		}
		if got := get(t, s, "n"); got != key {
			t.Errorf("%q", got)
		}
		if old, err := os.ReadFile(path + ".damaged"); err != nil || string(old) != raw {
			t.Errorf("%q: what was there is lost: %v", raw, err)
		}
	}
}

func TestFileWithAPassphrase(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "keys.json")
	f := NewFile(path)
	if got := get(t, f, "n"); got != "" || f.Exists() {
		t.Fatalf("%q, %v: a file that nobody has agreed to", got, f.Exists())
	}
	unavailable(t, f.Set(ctx, "n", key), "passphrase")
	if f.Exists() {
		t.Fatal("it was made without a passphrase")
	}
	var e *event.Error
	if err := f.Unlock(ctx, "short"); !errors.As(err, &e) || e.Class != event.ClassRequest {
		t.Error(err)
	}
	if err := f.Unlock(ctx, "correct horse"); err != nil {
		t.Fatal(err)
	}
	if err := f.Set(ctx, "n", key); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil || bytes.Contains(raw, []byte(key)) {
		t.Fatalf("%s %v", raw, err)
	}

	f = NewFile(path) // a restart
	_, err = f.Get(ctx, "n")
	unavailable(t, err, "locked")
	unavailable(t, f.Delete(ctx, "n"), "locked")
	if err := f.Unlock(ctx, "wrong horse"); !errors.As(err, &e) || e.Class != event.ClassAuth || !f.Locked() {
		t.Error(err)
	}
	if err := f.Unlock(ctx, "correct horse"); err != nil {
		t.Fatal(err)
	}
	if got := get(t, f, "n"); got != key {
		t.Errorf("%q", got)
	}
	if err := f.Change(ctx, "another battery"); err != nil {
		t.Fatal(err)
	}
	if got := get(t, f, "n"); got != key {
		t.Errorf("%q after the change", got)
	}
	f = NewFile(path)
	if err := f.Unlock(ctx, "correct horse"); err == nil {
		t.Error("the old passphrase still opens it")
	}
	if err := f.Unlock(ctx, "another battery"); err != nil {
		t.Fatal(err)
	}
	if err := f.Forget(); err != nil || f.Exists() || !f.Locked() {
		t.Errorf("%v", err)
	}
}

// Where there is no keyring the user chooses, and a key lies in one place only.
func TestTheUserChoosesWhereAKeyIsKept(t *testing.T) {
	ctx := t.Context()
	none := errors.New("The name org.freedesktop.secrets was not provided by any .service files")
	mock(t, none)
	path := filepath.Join(t.TempDir(), "keys.json")
	l := &Layered{System: System{}, File: NewFile(path)}
	unavailable(t, l.Keep(ctx, "n", key, ChoiceKeyring), "no keyring service")
	if err := l.Keep(ctx, "n", key, ChoiceMemory); err != nil || get(t, l, "n") != key {
		t.Fatal(err)
	}
	unavailable(t, l.Keep(ctx, "n", "newer", ChoiceFile), "passphrase")
	if got := get(t, l, "n"); got != key {
		t.Errorf("%q: what could not be kept replaced what was", got)
	}
	if err := l.File.Unlock(ctx, "correct horse"); err != nil {
		t.Fatal(err)
	}
	if err := l.Keep(ctx, "n", "newer", ChoiceFile); err != nil || get(t, l, "n") != "newer" {
		t.Fatal(err)
	}
	if err := l.Keep(ctx, "n", key, "cloud"); err == nil {
		t.Error("an unknown place was taken")
	}
	restarted := &Layered{System: System{}, File: NewFile(path)}
	_, err := restarted.Get(ctx, "n")
	unavailable(t, err, "passphrase")
	if err := l.Delete(ctx, "n"); err != nil {
		t.Fatal(err)
	}
	if v, err := l.Get(ctx, "n"); v != "" {
		t.Errorf("%q %v", v, err)
	}
	if err := (&Layered{System: System{}}).Keep(ctx, "n", key, ChoiceFile); err == nil {
		t.Error("a file that is not offered was taken")
	}

	// A keyring comes back: the key moves there, and the file has no more use of it.
	if err := l.Keep(ctx, "n", "of the file", ChoiceFile); err != nil {
		t.Fatal(err)
	}
	mock(t, nil)
	if err := l.Keep(ctx, "n", "of the keyring", ChoiceKeyring); err != nil || get(t, l, "n") != "of the keyring" || get(t, l.File, "n") != "" {
		t.Errorf("%v", err)
	}
	// And away again: the one in the keyring must not win over the newer one of the file.
	if err := l.Keep(ctx, "n", "newest", ChoiceFile); err != nil || get(t, l, "n") != "newest" {
		t.Errorf("%v", err)
	}
	mock(t, errors.New("locked: prompt dismissed"))
	unavailable(t, l.Keep(ctx, "n", "too early", ChoiceFile), "locked")
	if got := get(t, l.File, "n"); got != "newest" {
		t.Errorf("%q", got)
	}
	unavailable(t, l.Delete(ctx, "n"), "locked")
}
