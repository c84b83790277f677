package elfedit

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// calls is a program with every form of a call that compilers and glibc make. exit's status says what getpid returned.
const callsAMD64 = `__asm__(".text\n"
".globl mov32\nmov32: mov $39,%eax\n xor %edi,%edi\n syscall\n ret\n"
".globl mov64\nmov64: mov $39,%rax\n syscall\n ret\n"
".globl any\nany: mov %edi,%eax\n syscall\n ret\n"
".globl lost\nlost: mov $39,%eax\n mov $1,%al\n add $38,%eax\n syscall\n ret\n");
long mov32(void), mov64(void), any(int), lost(void);
void _start(void) { long r = mov32() == -38 && mov64() == -38 && any(39) > 0 && lost() > 0 ? 0 : 1; __asm__ volatile("syscall" :: "a"(60L), "D"(r)); for (;;) ; }`

const callsARM64 = `__asm__(".text\n"
".globl mov32\nmov32: mov w8,#172\n mov x1,#0\n svc #0\n ret\n"
".globl mov64\nmov64: mov x8,#172\n svc #0\n ret\n"
".globl any\nany: mov w8,w0\n svc #0\n ret\n"
".globl lost\nlost: mov x8,#171\n add x8,x8,#1\n svc #0\n ret\n");
long mov32(void), mov64(void), any(int), lost(void);
void _start(void) { register long x0 __asm__("x0") = mov32() == -38 && mov64() == -38 && any(172) > 0 && lost() > 0 ? 0 : 1; register long x8 __asm__("x8") = 93; __asm__ volatile("svc #0" :: "r"(x0), "r"(x8)); for (;;) ; }`

func policy(t testing.TB, lines string) Policy {
	t.Helper()
	p, err := ParsePolicy("test", []byte(lines))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// machines: how to compile for and run each processor.
var machines = map[string]struct {
	cc, source, run, policy string
	getpid                  int
}{
	"amd64": {"gcc", callsAMD64, "", "read 0\nexit 60\n", 39},
	"arm64": {"aarch64-linux-gnu-gcc", callsARM64, "qemu-aarch64-static", "read 63\nexit 93\n", 172},
}

// A refused call returns -ENOSYS; one whose number isn't constant is left alone and reported.
func TestNopAllRuns(t *testing.T) {
	for arch, m := range machines {
		t.Run(arch, func(t *testing.T) {
			file := compile(t, m.cc, m.source, append(bareFlags, "-static")...)
			edited, report, err := NopAll(file, policy(t, m.policy))
			if err != nil {
				t.Fatal(err)
			}
			if got := report.Calls(); len(got) != 1 || got[m.getpid] != 2 {
				t.Errorf("patched %v, want getpid twice", got)
			}
			if len(report.Unknown) != 2 || report.Allowed != 1 {
				t.Errorf("unknown %v, allowed %d; want 2 and exit", report.Unknown, report.Allowed)
			}
			path := filepath.Join(t.TempDir(), "calls")
			install(t, path, "", edited, nil)
			if m.run == "" {
				output(t, path)
				return
			}
			if _, err := exec.LookPath(m.run); err != nil {
				t.Fatalf("%s is missing; install qemu-user-static", m.run)
			}
			output(t, m.run, path)
		})
	}
}

func TestNopAllBytes(t *testing.T) {
	p, arm := policy(t, "read 0"), policy(t, "read 63")
	for _, c := range []struct {
		name      string
		policy    Policy
		old, want string
	}{
		{"mov32", p, "b8 27 00 00 00 31 ff 0f 05 c3", "b8 da ff ff ff 31 ff 48 98 c3"},
		{"mov64", p, "48 c7 c0 27 00 00 00 0f 05 c3", "48 c7 c0 da ff ff ff 48 98 c3"},
		{"allowed", p, "31 c0 0f 05 c3", "31 c0 0f 05 c3"},
		{"arm", arm, "88 15 80 d2 01 00 00 d4 c0 03 5f d6", "88 15 80 d2 a0 04 80 92 c0 03 5f d6"},
	} {
		var old, want []byte
		scan(t, c.old, &old)
		scan(t, c.want, &want)
		sites := sitesAMD64(old, 0x1000, 0)
		if c.name == "arm" {
			sites = sitesARM64(old, 0x1000, 0)
		}
		if len(sites) != 1 {
			t.Fatalf("%s: %d sites", c.name, len(sites))
		}
		if !c.policy.Allows(sites[0].Call) {
			sites[0].patch(old)
		}
		if !bytes.Equal(old, want) {
			t.Errorf("%s: % x, want % x", c.name, old, want)
		}
	}
}

func scan(t *testing.T, s string, out *[]byte) {
	t.Helper()
	for _, f := range strings.Fields(s) {
		var b byte
		if _, err := fmt.Sscanf(f, "%02x", &b); err != nil {
			t.Fatal(err)
		}
		*out = append(*out, b)
	}
}

// A forbidden call that can't be patched must stop the build: on the phone the program would die there, with signals
// blocked and so without a word.
func TestNopAllRefusesWhatItCannotPatch(t *testing.T) {
	for name, c := range map[string]struct{ cc, source, policy string }{
		"amd64 shared":  {"gcc", `__asm__(".globl _start\n_start: cmp $1,%edi\n je 1f\n mov $39,%eax\n jmp 2f\n1: mov $40,%eax\n2: syscall\n ret\n");`, "read 0"},
		"amd64 xor":     {"gcc", `__asm__(".globl _start\n_start: xor %eax,%eax\n syscall\n ret\n");`, "read 63"},
		"arm64 shared":  {"aarch64-linux-gnu-gcc", `__asm__(".globl _start\n_start: cmp w0,#1\n mov x8,#172\n b.eq 2f\n mov x8,#173\n2: svc #0\n ret\n");`, "read 63"},
		"other machine": {"gcc", `__asm__(".globl _start\n_start: mov $39,%eax\n syscall\n ret\n");`, "read 63"},
	} {
		_, report, err := NopAll(compile(t, c.cc, c.source, append(bareFlags, "-static")...), policy(t, c.policy))
		if err == nil {
			t.Errorf("%s: accepted, %+v", name, report)
		}
	}
}

func TestParsePolicy(t *testing.T) {
	p := policy(t, "# a comment\nread 63\n\nopenat 56 # trailing\n")
	if !p.Allows(56) || p.Allows(57) {
		t.Error("the policy is another one")
	}
	for name, text := range map[string]string{
		"empty": "", "no number": "read\n", "negative": "read -1\n", "huge": "read 63\nx 99999\n", "words": "read sixty\n",
		"twice": "read 63\nread 63\n", "number twice": "read 63\nx 63\n", "no read": "openat 56\n", "odd read": "read 3\n",
	} {
		if _, err := ParsePolicy(name, []byte(text)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
