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
