// Command build makes Keva's APK: Fyne's packaging tool compiles and packages a copy of the source tree, then the second
// dex file and the userland are added, libraries are stripped and packed, and the result is aligned and signed. All but
// the signature is the same each time (docs/android.md). It must never change the source tree.
//
//	go run ./platform/android/build -abi arm64 [-pack build/keva-userland-arm64.tar.zst] [-o FILE]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"keva/platform/android/apk"
	"keva/platform/android/toolchain"
)

func main() {
	var b build
	abi := flag.String("abi", "arm64", "arm64 (phones) or x86_64 (the emulator)")
	flag.StringVar(&b.pack, "pack", "", "the userland, one compressed archive; without it the APK is the shell alone")
	flag.StringVar(&b.out, "o", "", "the APK; build/keva-ABI.apk by default, keva-ABI-shell.apk without the userland")
	flag.StringVar(&b.work, "work", "", "scratch folder, emptied first; build/android/work-ABI by default")
	flag.StringVar(&b.cache, "cache", "", "Go's build cache; by default one for each toolchain")
	flag.StringVar(&b.fyne, "fyne", "", "Fyne's packaging tool, as `MODULE@VERSION`")
	flag.Parse()
	arch, err := toolchain.Find(*abi)
	if err == nil {
		b.arch = arch
		err = b.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "The APK was not made:", err)
		os.Exit(1)
	}
}

// build is one run: what is asked for, and where things lie. All paths are absolute once run has begun.
type build struct {
	arch                         toolchain.Arch
	pack, out, work, cache, fyne string

	root    string // the module
	ndk     string // the toolchain, or a real NDK
	version string // as FyneApp.toml says
	held    *os.File
}

func (b *build) run() error {
	root, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	b.root = filepath.Dir(strings.TrimSpace(string(root)))
	if b.version, err = version(filepath.Join(b.root, "FyneApp.toml")); err != nil {
		return err
	}
	if err := b.paths(); err != nil {
		return err
	}
	if err := b.toolchain(); err != nil {
		return err
	}
	defer b.tidy()
	tree := filepath.Join(b.work, "tree")
	if err := b.copyTree(tree); err != nil {
		return err
	}
	raw, err := b.runFyne(tree)
	if err != nil {
		return err
	}
	dex, err := b.dex()
	if err != nil {
		return err
	}
	unsigned := filepath.Join(b.work, "unsigned.apk")
	if err := b.assemble(raw, dex, unsigned); err != nil {
		return err
	}
	if err := sign(unsigned, b.out); err != nil {
		return err
	}
	a, err := apk.Open(b.out)
	if err != nil {
		return err
	}
	defer a.Close()
	fmt.Print(a.Sizes())
	return nil
}

// tidy leaves the APK without signature only: a second copy of the source would be found by whoever looks through folders.
func (b *build) tidy() {
	for _, name := range []string{"tree", "parts", "sdk", "bin", "loose.apk", "classes2.dex"} {
		if err := os.RemoveAll(filepath.Join(b.work, name)); err != nil {
			fmt.Fprintln(os.Stderr, "left behind:", err)
		}
	}
}

// paths fills in what was not given, and makes everything absolute and ready.
func (b *build) paths() error {
	under := filepath.Join(b.root, "build", "android")
	if b.work == "" {
		b.work = filepath.Join(under, "work-"+b.arch.ABI)
	}
	if b.out == "" {
		name := "keva-" + b.arch.ABI
		if b.pack == "" {
			name += "-shell"
		}
		b.out = filepath.Join(b.root, "build", name+".apk")
	}
	for _, p := range []*string{&b.work, &b.out, &b.pack} {
		if *p == "" {
			continue
		}
		full, err := filepath.Abs(*p)
		if err != nil {
			return err
		}
		*p = full
	}
	if b.pack != "" {
		if err := apk.CheckPack(b.pack); err != nil {
			return err
		}
	}
	if err := b.lock(); err != nil {
		return err
	}
	if err := os.RemoveAll(b.work); err != nil {
		return err
	}
	for _, dir := range []string{b.work, filepath.Dir(b.out)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// lock keeps two builds out of one scratch folder, until this process ends.
func (b *build) lock() error {
	if err := os.MkdirAll(filepath.Dir(b.work), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(b.work+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return fmt.Errorf("another build works in %s (%w)", b.work, err)
	}
	b.held = f
	return nil
}

// tool runs a program and shows what it said only if it failed.
func tool(dir string, env []string, name string, args ...string) error {
	cmd := exec.Command(name, args...) //nolint:gosec // the tools of this build
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return nil
}
