package build

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"keva/engines/userland/shim"
)

// shim compiles k.so and ldk for the target and puts them beside the libraries.
func (b *builder) shim(ctx context.Context) (err error) {
	b.Say("Compiling k.so and ldk.")
	work, err := os.MkdirTemp("", "keva-shim-")
	if err != nil {
		return diskError(os.TempDir(), err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if err := shim.Compile(ctx, b.target.arch, work); err != nil {
		return err
	}
	for _, name := range []string{shim.Preload, shim.Stub} {
		data, err := os.ReadFile(filepath.Join(work, name))
		if err != nil {
			return diskError(work, err)
		}
		path := b.target.libraries() + "/" + name
		if err := b.tree.set(path, 0o755, data); err != nil {
			return err
		}
		n := b.tree[path]
		n.ours = true
		if n.relocs, err = shim.Slots(b.target.arch, name, data); err != nil {
			return err
		}
	}
	return nil
}
