package toolchain

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// headers fills include: ours, and links to those of the packages that are Android's own.
func headers(include string) error {
	if err := os.MkdirAll(filepath.Join(include, "android"), 0o755); err != nil {
		return err
	}
	const from = "/usr/include/android/android"
	found, err := filepath.Glob(from + "/*.h")
	if err != nil || len(found) == 0 {
		return fmt.Errorf("there are no Android headers in %s: run ./setup.sh apk (%v)", from, err)
	}
	for _, h := range found {
		if err := os.Symlink(h, filepath.Join(include, "android", filepath.Base(h))); err != nil {
			return err
		}
	}
	links := map[string]string{"jni.h": "/usr/include/android/nativehelper/jni.h"}
	for _, d := range []string{"EGL", "GLES2", "GLES3", "KHR"} {
		links[d] = "/usr/include/" + d
	}
	for name, to := range links {
		if _, err := os.Stat(to); err != nil {
			return fmt.Errorf("a header is missing: run ./setup.sh apk (%w)", err)
		}
		if err := os.Symlink(to, filepath.Join(include, name)); err != nil {
			return err
		}
	}
	for name, to := range map[string]string{"keva_abi.h": "keva_abi.h", "errno.h": "errno.h", "native_window.h": "android/native_window.h"} {
		text, err := abi.ReadFile("abi/" + name)
		if err != nil {
			return err
		}
		to = filepath.Join(include, to)
		_ = os.Remove(to)                                     // a link to the packages' own, where they have one
		if err := os.WriteFile(to, text, 0o644); err != nil { //nolint:gosec // a header
			return err
		}
	}
	return nil
}

// Framework libraries hold what their headers declare; the C library holds what symbols.txt names.
var framework = map[string][]string{
	"log": {"android/log.h"},
	"android": {
		"android/asset_manager.h", "android/asset_manager_jni.h", "android/configuration.h", "android/input.h",
		"android/looper.h", "android/native_activity.h", "android/native_window.h",
	},
	"EGL":    {"EGL/egl.h"},
	"GLESv2": {"GLES2/gl2.h"},
}

// libraries writes stand-ins to link against. On the phone the loader takes Android's.
func libraries(dir string, a Arch) error {
	if err := os.MkdirAll(filepath.Join(dir, "lib", a.Go), 0o755); err != nil {
		return err
	}
	names := Symbols()
	delete(names, NDK)
	for lib, hs := range framework {
		list, err := declared(dir, a, hs)
		if err != nil {
			return err
		}
		names[lib] = list
	}
	for lib, list := range names {
		var c strings.Builder
		for _, n := range list {
			fmt.Fprintf(&c, "void %s(void){}\n", n)
		}
		out := filepath.Join(dir, "lib", a.Go, "lib"+lib+".so")
		cmd := exec.Command("clang", fmt.Sprintf("--target=%s%d", a.Triple, API), "-ffreestanding", "-fno-builtin", "-w", "-fuse-ld=lld", //nolint:gosec // names from our own list and Debian's headers
			"-nostdlib", "-shared", "-fPIC", "-x", "c", "-", "-Wl,-soname,lib"+lib+".so", "-o", out)
		cmd.Stdin = strings.NewReader(c.String())
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("stand-in for lib%s.so: %w: %s", lib, err, text)
		}
	}
	return nil
}

var function = regexp.MustCompile("(?m)^[|`]-FunctionDecl .*? ((?:A[A-Z][A-Za-z]*_|__android_log_|egl|gl)[A-Za-z0-9_]*) '")

// declared are the functions that headers declare, as the compiler reads them.
func declared(dir string, a Arch, headers []string) ([]string, error) {
	var c strings.Builder
	for _, h := range headers {
		fmt.Fprintf(&c, "#include <%s>\n", h)
	}
	cmd := exec.Command(Compiler(dir, a), "-fsyntax-only", "-Xclang", "-ast-dump", "-fno-color-diagnostics", "-w", "-x", "c", "-") //nolint:gosec // our own wrapper
	cmd.Stdin = strings.NewReader(c.String())
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("reading %v: %w: %s", headers, err, complaints.String())
	}
	var list []string
	for _, m := range function.FindAllStringSubmatch(string(out), -1) {
		list = append(list, m[1])
	}
	slices.Sort(list)
	if list = slices.Compact(list); len(list) == 0 {
		return nil, fmt.Errorf("%v declare nothing", headers)
	}
	return list, nil
}
