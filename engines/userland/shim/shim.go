// Package shim holds the C code that programs of the userland run with, and compiles it for the pack.
//
// k.so is loaded into every dynamic program, ldk is an interpreter (docs/userland-shim.md says what each intercepts and
// why). The package decides which program gets which of them; it knows nothing of how a pack is made or unpacked.
package shim

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"keva/agent/event"
	"keva/engines/userland/elfedit"
	"keva/engines/userland/pack"
)

// Names of the two products; in a pack they lie in the library folder.
const (
	Preload = "k.so"
	Stub    = "ldk"
)

// Library is the link at the tree's top that leads to the folder with all libraries.
const Library = "l"

//go:embed src
var sources embed.FS

// machine is what differs between the processors.
type machine struct {
	compiler, packages string
	linker             string // of glibc, in the tree
}

var machines = map[string]machine{
	"amd64": {compiler: "x86_64-linux-gnu-gcc", packages: "gcc and libc6-dev", linker: "/lib64/ld-linux-x86-64.so.2"},
	"arm64": {compiler: "aarch64-linux-gnu-gcc", packages: "gcc-aarch64-linux-gnu and libc6-dev-arm64-cross", linker: "/lib/ld-linux-aarch64.so.1"},
}

func find(arch string) (machine, error) {
	m, ok := machines[arch]
	if !ok {
		return machine{}, &event.Error{Class: event.ClassConfig, Message: fmt.Sprintf("There is no userland for %q, only for amd64 and arm64.", arch)}
	}
	return m, nil
}

// Options says what a program gets, by its path in the tree ("usr/bin/git"). Every program gets ldk for its interpreter: on
// x86_64 Android glibc's linker can't start otherwise, and one mechanism for all is one to test.
func Options(arch, path string) (elfedit.Options, error) {
	if _, err := find(arch); err != nil {
		return elfedit.Options{}, err
	}
	stub := "/" + Library + "/" + Stub
	return elfedit.Options{Path: path, Interp: stub, Static: stub, Library: Library, Preload: Preload}, nil
}

// Slots are the places where a product learns the installation path. name is Preload or Stub.
func Slots(arch, name string, file []byte) ([]pack.Reloc, error) {
	m, err := find(arch)
	if err != nil {
		return nil, err
	}
	suffix := "" // k.so wants the tree's place
	if name == Stub {
		suffix = m.linker
	}
	r, err := elfedit.RootSlot(file, ".keva.root", suffix)
	if err != nil {
		return nil, err
	}
	return []pack.Reloc{r}, nil
}

// Compile makes both products for a processor ("amd64", "arm64") in dir, which exists. The same compiler gives the same
// bytes, wherever dir is. The error of a missing or failing compiler names the packages to install, or the compiler's words.
func Compile(ctx context.Context, arch, dir string) error {
	m, err := find(arch)
	if err != nil {
		return err
	}
	compiler, err := exec.LookPath(m.compiler)
	if err != nil {
		return &event.Error{
			Class:   event.ClassConfig,
			Message: fmt.Sprintf("The compiler for %s is missing. Install %s.", arch, m.packages),
			Detail:  err.Error(),
		}
	}
	work, err := os.MkdirTemp("", "shim")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.CopyFS(work, sources); err != nil {
		return err
	}
	out, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for name, p := range products {
		args := slices.Concat([]string{"-o", filepath.Join(out, name)}, warnings, p.flags, p.sources)
		cmd := exec.CommandContext(ctx, compiler, args...)
		cmd.Dir = filepath.Join(work, "src")
		if said, err := cmd.CombinedOutput(); err != nil {
			return &event.Error{Class: event.ClassOther, Message: "The compiler refused " + name + " for " + arch + ".", Detail: fmt.Sprintf("%v\n%s", err, said)}
		}
	}
	return nil
}

// warnings is the highest level that makes sense; each is an error.
var warnings = []string{
	"-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wcast-qual", "-Wundef",
	"-Wstrict-prototypes", "-Wmissing-prototypes", "-Wformat=2", "-Werror",
}

// product is how one of the two is made: the flags decide what it may do.
type product struct {
	flags, sources []string
}

// Segments are aligned for pages of up to 64 KiB.
var products = map[string]product{
	Preload: {
		flags: []string{
			"-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-U_FORTIFY_SOURCE", "-s", "-Wl,-soname," + Preload,
			"-Wl,-z,relro,-z,now", "-Wl,-z,noseparate-code", "-Wl,-z,max-page-size=65536", "-Wl,--build-id=none",
		},
		sources: []string{
			"accounts.c", "descriptors.c", "exec.c", "files.c", "names.c", "nameservers.c", "place.c", "real.c", "refused.c", "root.c", "shared.c",
			"shebang.c", "sigsys.c", "spawn.c", "start.c", "temp.c", "walk.c",
		},
	},
	Stub: { // no libc, and no relocations: nobody would apply them
		flags: []string{
			"-O2", "-fPIE", "-static-pie", "-nostdlib", "-nostartfiles", "-ffreestanding", "-fno-stack-protector",
			"-fno-asynchronous-unwind-tables", "-fvisibility=hidden", "-s", "-Wl,-z,norelro", "-Wl,-z,noexecstack",
			"-Wl,-z,noseparate-code", "-Wl,-z,max-page-size=65536", "-Wl,--build-id=none",
		},
		sources: []string{"ldk.c", "load.c", "refused.c", "root.c"},
	},
}
