//go:build linux && amd64

package lab

import (
	"fmt"
	"os"
	"path/filepath"

	"keva/engines/userland/elfedit"
)

// Busybox is where Debian's static busybox lies.
const Busybox = "/bin/busybox"

// busybox is a shell that is foreign to the userland, as Android's own is. It is linked with glibc, so the calls that
// Android traps are taken out, by the product's own tool.
func busybox(source string) ([]byte, error) {
	file, err := os.ReadFile(Busybox)
	if err != nil {
		return nil, fmt.Errorf("a static busybox is needed, run ./setup.sh jail: %w", err)
	}
	name := Oldest
	text, err := os.ReadFile(filepath.Join(source, "test/jail/policies", name+".policy"))
	if err != nil {
		return nil, err
	}
	policy, err := elfedit.ParsePolicy(name, text)
	if err != nil {
		return nil, err
	}
	edited, _, err := elfedit.NopAll(file, policy)
	return edited, err
}
