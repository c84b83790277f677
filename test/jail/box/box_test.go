//go:build linux && amd64

package box

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// judge runs a filter on one call, as the kernel would.
func judge(t *testing.T, filter []unix.SockFilter, arch, call uint32) uint32 {
	t.Helper()
	var program []bpf.Instruction
	for _, f := range filter {
		program = append(program, bpf.RawInstruction{Op: f.Code, Jt: f.Jt, Jf: f.Jf, K: f.K}.Disassemble())
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 64) // struct seccomp_data; the kernel loads words as they lie, the machine of this package as network does
	binary.BigEndian.PutUint32(data[offNumber:], call)
	binary.BigEndian.PutUint32(data[offArch:], arch)
	action, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(action)
}

// Every policy that we have becomes a filter that lets exactly its calls pass.
func TestFilterIsThePolicy(t *testing.T) {
	files, err := filepath.Glob("../policies/*.policy")
	if err != nil || len(files) < 16 {
		t.Fatalf("%d policies: %v", len(files), err)
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ParsePolicy(f)
		_ = f.Close()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		filter := p.filter(unix.SECCOMP_RET_TRAP)
		for call := range uint32(600) {
			want := uint32(unix.SECCOMP_RET_TRAP)
			if p.Names[int(call)] != "" {
				want = unix.SECCOMP_RET_ALLOW
			}
			if got := judge(t, filter, unix.AUDIT_ARCH_X86_64, call); got != want {
				t.Errorf("%s: call %d: %#x, want %#x", path, call, got, want)
			}
		}
		if got := judge(t, filter, unix.AUDIT_ARCH_I386, unix.SYS_READ); got != unix.SECCOMP_RET_TRAP {
			t.Errorf("%s: a call of another architecture passes: %#x", path, got)
		}
		if len(filter) > unix.BPF_MAXINSNS {
			t.Errorf("%s: %d instructions", path, len(filter))
		}
	}
}

// What no app may call is in no policy: else the data are not Android's.
func TestPoliciesDenyWhatAndroidDenies(t *testing.T) {
	files, err := filepath.Glob("../policies/*.policy")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ParsePolicy(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		has := map[string]bool{}
		for _, name := range p.Names {
			has[name] = true
		}
		for _, name := range []string{"set_robust_list", "rseq", "mount", "chroot", "reboot", "faccessat2", "io_uring_setup"} {
			if has[name] {
				t.Errorf("%s allows %s", path, name)
			}
		}
		for _, name := range []string{"read", "openat", "execve", "futex", "mmap", "seccomp"} {
			if !has[name] {
				t.Errorf("%s does not allow %s", path, name)
			}
		}
		// A legacy call of x86 is allowed where the one that arm64 has in its place is, and nowhere else.
		for legacy, present := range map[string]string{"open": "openat", "fork": "clone", "pipe": "pipe2", "unlink": "unlinkat"} {
			if strings.Contains(path, "arm64eq") && has[legacy] != has[present] {
				t.Errorf("%s: %s %v, %s %v", path, legacy, has[legacy], present, has[present])
			}
		}
	}
}

func TestDenials(t *testing.T) {
	const allow, deny = uint32(unix.SECCOMP_RET_ALLOW), uint32(unix.SECCOMP_RET_ERRNO)
	plain, flat := refuse(Config{}.denials()), refuse(Config{Flat: true, Ptrace: true}.denials())
	for _, c := range []struct {
		name        string
		call        uint32
		plain, flat uint32
	}{
		{"linkat", unix.SYS_LINKAT, deny | uint32(unix.EACCES), deny | uint32(unix.EACCES)},
		{"unshare", unix.SYS_UNSHARE, deny | uint32(unix.EPERM), deny | uint32(unix.EPERM)},
		{"setns", unix.SYS_SETNS, deny | uint32(unix.EPERM), deny | uint32(unix.EPERM)},
		{"ptrace", unix.SYS_PTRACE, deny | uint32(unix.EPERM), allow},
		{"chmod", unix.SYS_CHMOD, allow, deny},
		{"symlinkat", unix.SYS_SYMLINKAT, allow, deny | uint32(unix.EPERM)},
		{"read", unix.SYS_READ, allow, allow},
	} {
		if got := judge(t, plain, unix.AUDIT_ARCH_X86_64, c.call); got != c.plain {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.plain)
		}
		if got := judge(t, flat, unix.AUDIT_ARCH_X86_64, c.call); got != c.flat {
			t.Errorf("%s on shared storage: %#x, want %#x", c.name, got, c.flat)
		}
	}
}

func TestParsePolicyRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "allows nothing",
		"# only words\n":    "allows nothing",
		"read\n":            "line 1",
		"read 0\nopen x\n":  "line 2",
		"read -1\n":         "no system call number",
		"read 0 1\nopen 2 ": "line 1",
	} {
		if _, err := ParsePolicy(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A box that would confine less than it was asked to is not made.
func TestNoBoxWithoutAPolicy(t *testing.T) {
	for name, c := range map[string]Config{
		"no policy":  {Root: "/x", Mode: ModeTrap, Args: []string{"/x"}},
		"no mode":    {Root: "/x", Args: []string{"/x"}},
		"no command": {Root: "/x", Mode: ModeOff},
		"no root":    {Mode: ModeOff, Args: []string{"/x"}},
	} {
		if _, err := c.Command(t.Context(), "/x"); err == nil {
			t.Errorf("%s: a box is made", name)
		}
	}
	if _, err := ParseMode("lenient"); err == nil {
		t.Error("a mode that does not exist is taken")
	}
}
