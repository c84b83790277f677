// Package toolchain makes a folder that looks like an Android NDK as far as Fyne's packaging tool and cgo look at it:
// clang under the NDK's names, headers, and libraries to link against. It is made of Debian packages and a small header
// of our own (abi/keva_abi.h), so that an APK can be built where no NDK may be downloaded. It must never be needed where
// ANDROID_NDK_HOME names a real one.
package toolchain

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed abi
var abi embed.FS

// API is the oldest Android that the libraries are linked for: Android 9.
const API = 28

// Arch is one of the processor architectures that Keva is built for.
type Arch struct {
	Go      string // as GOARCH and Fyne call it
	ABI     string // as an APK calls it
	Triple  string // as clang calls it
	Machine string // as the headers' folder calls it
	include []string
}

// The two: phones, and the emulator on a PC.
var (
	ARM64 = Arch{"arm64", "arm64-v8a", "aarch64-linux-android", "aarch64", []string{"/usr/aarch64-linux-gnu/include"}}
	AMD64 = Arch{"amd64", "x86_64", "x86_64-linux-android", "x86_64", []string{"/usr/include/x86_64-linux-gnu", "/usr/include"}}
)

// Archs are all of them.
var Archs = []Arch{ARM64, AMD64}

// Find gives the architecture that name means: arm64, x86_64, or one of their other names.
func Find(name string) (Arch, error) {
	for _, a := range Archs {
		if name == a.Go || name == a.ABI || name == a.Machine {
			return a, nil
		}
	}
	return Arch{}, fmt.Errorf("there is no architecture %q: arm64 (phones) or x86_64 (the emulator)", name)
}

// NDK is the group of names that only a real NDK's compiler calls.
const NDK = "ndk"

// Symbols are the names that the app may import from each library of Android ("c", "m", "dl", and NDK), from abi/symbols.txt.
func Symbols() map[string][]string {
	text, err := abi.ReadFile("abi/symbols.txt")
	if err != nil {
		panic(err) // it is part of this program
	}
	list := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if lib, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && lib != "#" {
			list[lib] = append(list[lib], name)
		}
	}
	return list
}

// Hash names what compiles: our own part, the compiler's version, the packages that bring headers. Go's build cache does
// not notice when any of these changes, so each hash needs a cache of its own.
func Hash() (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %d\n", wrapper, API)
	err := fs.WalkDir(abi, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := abi.ReadFile(path)
		fmt.Fprintln(sum, path, len(text))
		sum.Write(text)
		return err
	})
	if err != nil {
		return "", err
	}
	for _, cmd := range [][]string{
		{"clang", "--version"},
		append([]string{"dpkg-query", "-W", "-f", "${Package} ${Version}\n"}, Packages...),
	} {
		out, err := exec.Command(cmd[0], cmd[1:]...).Output() //nolint:gosec // both are named here
		if err != nil {
			return "", fmt.Errorf("%s: %w; ./setup.sh apk installs what is missing", cmd[0], err)
		}
		sum.Write(out)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}

// Packages bring the headers.
var Packages = []string{
	"libc6-dev", "libc6-dev-arm64-cross", "linux-libc-dev", "linux-libc-dev-arm64-cross", "libegl-dev", "libgles-dev",
	"android-libnativehelper-dev", "android-liblog-dev", "android-platform-frameworks-native-headers",
}

const prebuilt = "toolchains/llvm/prebuilt/linux-x86_64/bin"

// wrapper is a compiler under the NDK's name. --no-undefined makes a function that Android may not have an error now.
const wrapper = `#!/bin/sh
exec /usr/bin/%[1]s --target=%[2]s%[3]d -fuse-ld=lld --sysroot=/nonexistent -nostdlib %[4]s \
	-Wno-unused-command-line-argument -Wno-macro-redefined -D_GNU_SOURCE= -D_LARGEFILE64_SOURCE -U_FORTIFY_SOURCE \
	-include %[5]s/include/keva_abi.h -isystem %[5]s/include %[6]s -L%[5]s/lib/%[7]s "$@" \
	-Wl,--no-undefined -Wl,--build-id=none -ldl -lc -lm
`

// Write makes the folder. dir must not exist: a toolchain is never changed in place (see Hash). A failed one is removed.
func Write(dir string) (err error) {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists already", dir)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	include := filepath.Join(dir, "include")
	if err := headers(include); err != nil {
		return err
	}
	bin := filepath.Join(dir, prebuilt)
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	for _, a := range Archs {
		for _, compiler := range []string{"clang", "clang++"} {
			if err := os.WriteFile(filepath.Join(bin, fmt.Sprintf("%s%d-%s", a.Triple, API, compiler)), []byte(a.wrap(dir, compiler)), 0o755); err != nil { //nolint:gosec // a program
				return err
			}
		}
		if err := libraries(dir, a); err != nil {
			return err
		}
	}
	// Fyne's tool looks for compilers of the 32-bit architectures too, and calls none of them.
	refuse := []byte("#!/bin/sh\necho 'Keva is built for 64-bit Android only.' >&2\nexit 1\n")
	for _, triple := range []string{"armv7a-linux-androideabi", "i686-linux-android"} {
		for _, compiler := range []string{"clang", "clang++"} {
			if err := os.WriteFile(filepath.Join(bin, fmt.Sprintf("%s%d-%s", triple, API, compiler)), refuse, 0o755); err != nil { //nolint:gosec // a program
				return err
			}
		}
	}
	return os.Symlink("/usr/bin/llvm-nm", filepath.Join(bin, "llvm-nm"))
}

func (a Arch) wrap(dir, compiler string) string {
	special, include := "", ""
	if a.Go == "arm64" { // atomics as instructions or loops: the helpers are in a library that is not there
		special = "-mno-outline-atomics"
	}
	for _, i := range a.include {
		include += " -isystem " + i
	}
	return fmt.Sprintf(wrapper, compiler, a.Triple, API, special, dir, strings.TrimSpace(include), a.Go)
}

// Compiler is the clang for a, in a folder that Write made or in a real NDK.
func Compiler(ndk string, a Arch) string {
	return filepath.Join(ndk, prebuilt, fmt.Sprintf("%s%d-clang", a.Triple, API))
}
