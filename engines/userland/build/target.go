package build

import (
	"fmt"
)

// target is what the builder must know of an architecture.
type target struct {
	arch    string // Go's and Debian's name
	triplet string // of its library folder
	loader  string // file name of glibc's dynamic linker, in the library folder
	npm     string // npm's name of the platform
	musl    string // folder of Codex's programs in its package
	strip   string
	policy  string // suffix of the policies that its call sites are made for
}

// The amd64 pack gets the call sites of arm64 phones, in amd64's numbers: the legacy calls that x86_64 Android traps
// besides are translated when they happen, because the C library can't do without them.
var targets = []target{
	{
		arch: "amd64", triplet: "x86_64-linux-gnu", loader: "ld-linux-x86-64.so.2", npm: "linux-x64",
		musl: "x86_64-unknown-linux-musl", strip: "x86_64-linux-gnu-strip", policy: "arm64eq",
	},
	{
		arch: "arm64", triplet: "aarch64-linux-gnu", loader: "ld-linux-aarch64.so.1", npm: "linux-arm64",
		musl: "aarch64-unknown-linux-musl", strip: "aarch64-linux-gnu-strip", policy: "arm64",
	},
}

func targetOf(arch string) (target, error) {
	for _, t := range targets {
		if t.arch == arch {
			return t, nil
		}
	}
	return target{}, fmt.Errorf("there is no pack for %q; choose arm64 or amd64", arch)
}

func (t target) libraries() string { return "usr/lib/" + t.triplet }
