package secret

import (
	"context"
	"sync"
)

// Volatile keeps secrets in memory until the program ends. The zero value is empty.
type Volatile struct {
	mu     sync.Mutex
	values map[string]string
}

var _ Keyring = (*Volatile)(nil)

// Get never fails.
func (v *Volatile) Get(_ context.Context, name string) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.values[name], nil
}

// Set never fails.
func (v *Volatile) Set(_ context.Context, name, value string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if value == "" {
		delete(v.values, name)
		return nil
	}
	if v.values == nil {
		v.values = map[string]string{}
	}
	v.values[name] = value
	return nil
}

// Delete never fails.
func (v *Volatile) Delete(ctx context.Context, name string) error { return v.Set(ctx, name, "") }

// String keeps the values out of anything that prints the keyring.
func (v *Volatile) String() string { return "secret.Volatile" }

// GoString is String for %#v.
func (v *Volatile) GoString() string { return v.String() }

// Layered is the keyring of the system, with keys that the user chose to keep for this run before it.
type Layered struct {
	System Keyring
	run    Volatile
}

var _ Keyring = (*Layered)(nil)

// Get prefers what is kept for this run.
func (l *Layered) Get(ctx context.Context, name string) (string, error) {
	if value, _ := l.run.Get(ctx, name); value != "" { // memory never fails
		return value, nil
	}
	return l.System.Get(ctx, name)
}

// Set writes to the system's keyring. When that worked, a key of this run has no more use.
func (l *Layered) Set(ctx context.Context, name, value string) error {
	if err := l.System.Set(ctx, name, value); err != nil {
		return err
	}
	return l.run.Delete(ctx, name)
}

// Delete removes both. The key of this run goes first: it must not stay because the keyring is locked.
func (l *Layered) Delete(ctx context.Context, name string) error {
	_ = l.run.Delete(ctx, name) // memory never fails
	return l.System.Delete(ctx, name)
}

// KeepForRun keeps value until the program ends: the user's answer to Unavailable.
func (l *Layered) KeepForRun(name, value string) {
	_ = l.run.Set(context.Background(), name, value) // memory never fails
}

// String keeps the values out of anything that prints the keyring.
func (l *Layered) String() string { return "secret.Layered" }

// GoString is String for %#v.
func (l *Layered) GoString() string { return l.String() }
