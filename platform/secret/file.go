package secret

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"

	"keva/agent/event"
)

// File is a file of keys that is locked with a passphrase. It exists only when the user has agreed to it (Unlock makes
// it), and can be read only after the passphrase was given in this run. It is safe for concurrent use.
type File struct {
	path string

	mu   sync.Mutex
	open *Sealed
}

var _ Keyring = (*File)(nil)

// NewFile is the file at path, which need not exist.
func NewFile(path string) *File { return &File{path: path} }

// check is the name of an entry that tells a right passphrase from a wrong one.
const check = "passphrase"

// Exists reports whether the user has agreed to such a file.
func (f *File) Exists() bool {
	_, err := os.Lstat(f.path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Locked reports whether the passphrase has yet to be given.
func (f *File) Locked() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open == nil
}

// Unlock takes the passphrase, and makes the file when there is none. A wrong one is an *event.Error of event.ClassAuth.
func (f *File) Unlock(ctx context.Context, phrase string) error {
	p, err := NewPassphrase(phrase)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	s := NewSealed(f.path, p)
	if !f.Exists() {
		if err := s.Set(ctx, check, "ok"); err != nil {
			return err
		}
		f.open = s
		return nil
	}
	said, err := s.Get(ctx, check)
	if gone := (*Lost)(nil); errors.As(err, &gone) || err == nil && said == "" {
		return &event.Error{
			Class:   event.ClassAuth,
			Message: "This passphrase does not open the file of kept keys. Try again, or forget the file and enter the keys again.",
		}
	}
	if err == nil {
		f.open = s
	}
	return err
}

// Change gives the file another passphrase. It must be unlocked.
func (f *File) Change(ctx context.Context, phrase string) error {
	p, err := NewPassphrase(phrase)
	if err != nil {
		return err
	}
	s, err := f.keys()
	if err != nil {
		return err
	}
	return s.Reseal(ctx, p)
}

// Forget removes the file with all of its keys.
func (f *File) Forget() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open = nil
	if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fileError(f.path, err)
	}
	return nil
}

func (f *File) keys() (*Sealed, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil {
		return nil, &Unavailable{Reason: &event.Error{
			Class: event.ClassConfig, Message: "The file of kept keys is locked. Write its passphrase, or keep the key for this run only.", Detail: f.path,
		}}
	}
	return f.open, nil
}

// Get implements Keyring.
func (f *File) Get(ctx context.Context, name string) (string, error) {
	if !f.Exists() {
		return "", nil
	}
	s, err := f.keys()
	if err != nil {
		return "", err
	}
	return s.Get(ctx, name)
}

// Set implements Keyring.
func (f *File) Set(ctx context.Context, name, value string) error {
	s, err := f.keys()
	if err != nil {
		return err
	}
	return s.Set(ctx, name, value)
}

// Delete implements Keyring.
func (f *File) Delete(ctx context.Context, name string) error {
	if !f.Exists() {
		return nil
	}
	s, err := f.keys()
	if err != nil {
		return err
	}
	return s.Delete(ctx, name)
}
