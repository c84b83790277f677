//go:build apktest

package toolchain

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What would break on the phone does not compile or link here, for both architectures: a function that Android does not
// have, a name of sysconf's that is numbered otherwise there, a layout that is not Android's.
func TestToolchain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ndk")
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir); err == nil {
		t.Error("a toolchain is written over another one")
	}
	for _, a := range Archs {
		for _, c := range []struct{ name, code, words string }{
			{"all is well", "#include <errno.h>\n#include <stdio.h>\n#include <unistd.h>\n#include <android/log.h>\n#include <EGL/egl.h>\nlong f(void) { errno = 0; puts(\"\"); return sysconf(_SC_PAGESIZE) + (long)eglGetError() + __android_log_write(0, 0, 0); }", ""},
			{"a function of glibc's", "#include <string.h>\nchar *f(char *s) { return strfry(s); }", "undefined symbol: strfry"},
			{"a function that is not listed", "#include <stdlib.h>\nint f(void) { return system(\"x\"); }", "undefined symbol: system"},
			{"another number", "#include <unistd.h>\nlong f(void) { return sysconf(_SC_OPEN_MAX); }", "does not know Android's number"},
			{"another layout", "#include <netdb.h>\n_Static_assert(__builtin_offsetof(struct addrinfo, ai_canonname) == 32, \"layout\");", "static_assert failed"},
		} {
			out := filepath.Join(t.TempDir(), "x.so")
			cmd := exec.Command(Compiler(dir, a), "-shared", "-fPIC", "-x", "c", "-", "-o", out, "-llog", "-lEGL")
			cmd.Stdin = strings.NewReader(c.code)
			text, err := cmd.CombinedOutput()
			if (err == nil) != (c.words == "") || !strings.Contains(string(text), c.words) {
				t.Errorf("%s, %s: %v: %s", a.ABI, c.name, err, text)
			}
			if c.words != "" {
				continue
			}
			lib, err := elf.Open(out)
			if err != nil {
				t.Fatal(err)
			}
			if want := map[string]elf.Machine{"arm64": elf.EM_AARCH64, "amd64": elf.EM_X86_64}[a.Go]; lib.Machine != want {
				t.Errorf("%s: %v", a.ABI, lib.Machine)
			}
			_ = lib.Close()
		}
	}
}

// The hash is the same each time, or the build cache would be of no use.
func TestHash(t *testing.T) {
	one, err := Hash()
	if err != nil {
		t.Fatal(err)
	}
	if two, err := Hash(); err != nil || one != two || len(one) != 12 {
		t.Errorf("%q, %q, %v", one, two, err)
	}
}
