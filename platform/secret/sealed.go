package secret

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"keva/agent/event"
)

// Sealer locks secrets with a key that is kept elsewhere: in Android's Keystore, or in a passphrase that somebody knows.
// Name is bound to what is sealed: a blob that was moved to another name does not open. Implementations are safe for
// concurrent use, and make their key when they have none.
type Sealer interface {
	Seal(ctx context.Context, name string, plain []byte) (blob []byte, err error)
	// Open fails with ErrKeyLost when the key that sealed the blob is gone for good, or is not the one that it has.
	Open(ctx context.Context, name string, blob []byte) (plain []byte, err error)
}

// ErrKeyLost says that a blob can't be opened by anybody any more: the system has thrown the key away (a new screen lock,
// a restored backup), or the blob is damaged.
var ErrKeyLost = errors.New("the key that it was sealed with is gone")

// Lost says that a secret is there and can't be read any more. The user has to be asked for it again; keeping it again
// replaces what was lost.
type Lost struct{ Reason *event.Error }

func (e *Lost) Error() string { return e.Reason.Message }
func (e *Lost) Unwrap() error { return e.Reason }

func lost(detail error) error {
	return &Lost{&event.Error{
		Class:   event.ClassAuth,
		Message: "A kept key can't be read any more: this device no longer has what it was locked with. Enter the key again, or sign in again.",
		Detail:  detail.Error(),
	}}
}

// Sealed keeps sealed secrets in a file of mode 0600. It is safe for concurrent use by one process.
type Sealed struct {
	path string

	mu     sync.Mutex
	sealer Sealer
}

var _ Keyring = (*Sealed)(nil)

// NewSealed keeps secrets in the file at path, whose folder is made when something is kept.
func NewSealed(path string, s Sealer) *Sealed { return &Sealed{path: path, sealer: s} }

// sealedFile is the stored form.
type sealedFile struct {
	Format int               `json:"format"`
	Blobs  map[string][]byte `json:"blobs"`
}

const sealedFormat = 1

// Get returns *Lost for a secret that is there and can't be opened any more.
func (s *Sealed) Get(ctx context.Context, name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	blobs, err := s.load()
	if err != nil {
		return "", err
	}
	blob, ok := blobs[name]
	if !ok {
		return "", nil
	}
	plain, err := s.sealer.Open(ctx, name, blob)
	switch {
	case errors.Is(err, ErrKeyLost):
		return "", lost(err)
	case err != nil:
		return "", unsealed(err)
	}
	return string(plain), nil
}

// Set replaces what was kept under name, whether it could still be read or not.
func (s *Sealed) Set(ctx context.Context, name, value string) error {
	if value == "" {
		return s.Delete(ctx, name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	blob, err := s.sealer.Seal(ctx, name, []byte(value))
	if err != nil {
		return unsealed(err)
	}
	return s.change(func(blobs map[string][]byte) { blobs[name] = blob })
}

// Delete removes name, also one that can't be opened any more.
func (s *Sealed) Delete(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := os.Lstat(s.path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return s.change(func(blobs map[string][]byte) { delete(blobs, name) })
}

// Reseal locks everything with another sealer, as for a new passphrase. When it fails nothing has changed.
func (s *Sealed) Reseal(ctx context.Context, next Sealer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	blobs, err := s.load()
	if err != nil {
		return err
	}
	for name, blob := range blobs {
		plain, err := s.sealer.Open(ctx, name, blob)
		if errors.Is(err, ErrKeyLost) {
			return lost(err)
		}
		if err == nil {
			blobs[name], err = next.Seal(ctx, name, plain)
		}
		if err != nil {
			return unsealed(err)
		}
	}
	if err := s.write(blobs); err != nil {
		return err
	}
	s.sealer = next
	return nil
}

// load reads the file. One that is damaged is an error that asks again; it is put aside when something is kept.
func (s *Sealed) load() (map[string][]byte, error) {
	raw, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string][]byte{}, nil
	}
	if err != nil {
		return nil, fileError(s.path, err)
	}
	var f sealedFile
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&f); err != nil || f.Format != sealedFormat || f.Blobs == nil {
		if err == nil {
			err = errors.New("it is of another format")
		}
		return nil, lost(errors.Join(errors.New(s.path), err))
	}
	return f.Blobs, nil
}

func (s *Sealed) change(f func(map[string][]byte)) error {
	blobs, err := s.load()
	var gone *Lost
	if errors.As(err, &gone) {
		// Nothing in it can be read, but it is the user's: it stays beside the new one.
		if err := os.Rename(s.path, s.path+".damaged"); err != nil {
			return fileError(s.path, err)
		}
		blobs, err = map[string][]byte{}, nil
	}
	if err != nil {
		return err
	}
	f(blobs)
	return s.write(blobs)
}

// write replaces the file as a whole: whoever is killed leaves the old one or the new one.
func (s *Sealed) write(blobs map[string][]byte) error {
	raw, err := json.Marshal(sealedFile{sealedFormat, blobs})
	if err != nil {
		return err
	}
	dir := filepath.Dir(s.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fileError(s.path, err)
	}
	f, err := os.CreateTemp(dir, ".keys-*") // mode 0600
	if err != nil {
		return fileError(s.path, err)
	}
	_, err = f.Write(raw)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), s.path)
	}
	if err != nil {
		return fileError(s.path, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

func fileError(path string, err error) error {
	return &Unavailable{Reason: &event.Error{
		Class:   event.ClassConfig,
		Message: "The file of kept keys can't be read or written: " + path + ". Check free space and permissions, or keep the key for this run only.",
		Detail:  err.Error(),
	}}
}

// unsealed is a sealer that does not work now, but may later.
func unsealed(err error) error {
	var e *event.Error
	if errors.As(err, &e) {
		return err
	}
	return &Unavailable{Reason: &event.Error{
		Class:   event.ClassConfig,
		Message: "This device's keystore does not answer. Unlock the device and try again, or keep the key for this run only.",
		Detail:  err.Error(),
	}}
}
