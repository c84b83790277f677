package install

import "context"

// For is the engine and what it needs on the platform ("linux-arm64"), whatever this machine is. The userland's builder
// packs engines for machines that it does not run on.
func (m Manifest) For(id, platform string) (Engine, Platform, error) {
	return m.pick(id, []string{platform})
}

// Tarball lets the npm client put the package's tarball into dir, which must be empty, and verifies it against its pin. A
// wrong one is deleted. Errors are *event.Error.
func Tarball(ctx context.Context, p Package, dir string) (string, error) {
	tarball, err := fetch(ctx, p, dir)
	if err != nil {
		return "", err
	}
	return tarball, verify(ctx, tarball, p)
}
