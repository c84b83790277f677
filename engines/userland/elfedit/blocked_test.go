package elfedit

import (
	"bytes"
	"path/filepath"
	"testing"
)

// musl's way to block signals, and what looks like it: only constant masks of the blocking call may change.
const blocking = `
static const unsigned long all[] __attribute__((used)) = {~0UL}, app[] __attribute__((used)) = {0xfffffffc7fffffffUL};
static const unsigned long other[] __attribute__((used)) = {~0UL}, odd[] __attribute__((used)) = {0xff00000040000000UL};
__asm__(".text\n"
"block_all: mov $8,%r10d\n lea all(%rip),%rsi\n xor %edi,%edi\n mov $14,%eax\n syscall\n ret\n"
"block_app: mov $8,%r10d\n lea app(%rip),%rsi\n xor %edi,%edi\n mov $14,%eax\n syscall\n ret\n"
"block_odd: mov $8,%r10d\n lea odd(%rip),%rsi\n xor %edi,%edi\n mov $14,%eax\n syscall\n ret\n"
"mask: movslq %edi,%rdi\n mov $8,%r10d\n mov $14,%eax\n syscall\n ret\n"
"spawn: sub $40,%rsp\n lea 16(%rsp),%rsi\n xor %edi,%edi\n xor %edx,%edx\n movq $-1,16(%rsp)\n movq $-1,24(%rsp)\n call mask\n mov 16(%rsp),%rax\n add $40,%rsp\n ret\n"
"write_: sub $40,%rsp\n lea 16(%rsp),%rsi\n xor %edi,%edi\n movq $-1,16(%rsp)\n movq $-1,24(%rsp)\n call none\n mov 16(%rsp),%rax\n add $40,%rsp\n ret\n"
"none: ret\n .skip 64\n"
"unblock: mov $8,%r10d\n lea other(%rip),%rsi\n mov $1,%edi\n mov $14,%eax\n syscall\n ret\n");
void block_all(void), block_app(void), block_odd(void), unblock(void);
unsigned long spawn(void), write_(void);
static unsigned long get(const unsigned long *p) { __asm__("" : "+r"(p)); return *p; }
void _start(void) {
  block_all(); block_app(); block_odd(); unblock();
  long ok = spawn() == 0xffffffffbfffffffUL && write_() == ~0UL && get(all) == 0xffffffffbfffffffUL && get(app) == 0xfffffffc3fffffffUL && get(other) == ~0UL && get(odd) == 0xff00000040000000UL;
  __asm__ volatile("syscall" :: "a"(60L), "D"(ok ? 0L : 1L));
  for (;;) ;
}`

// With SIGSYS blocked, a refused call kills: Codex's spawned child died at its first dup2.
func TestStaticNeverBlocksSIGSYS(t *testing.T) {
	file := compile(t, "gcc", blocking, append(bareFlags, "-O0", "-fPIE", "-static-pie", "-Wl,-z,relro")...)
	m, err := parse(file)
	if err != nil {
		t.Fatal(err)
	}
	out := bytes.Clone(file)
	if n := m.unblockSIGSYS(out); n != 3 {
		t.Errorf("%d masks changed, want 3", n)
	}
	path := filepath.Join(t.TempDir(), "blocking")
	install(t, path, "", out, nil)
	output(t, path)
}

const dup2Program = `__asm__(".text\n.globl dup2_\ndup2_: mov $33,%eax\n syscall\n cmp $-4095,%rax\n jae 1f\n ret\n1: mov $-99,%rax\n ret\n");
long dup2_(int, int, long);
void _start(void) {
  long r = dup2_(1, 9, 12345) == 9 && dup2_(77, 9, 12345) == -99 ? 0 : 1;
  __asm__ volatile("syscall" :: "a"(60L), "D"(r));
  for (;;) ;
}`

// The child of glibc's posix_spawn has no handler when it calls dup2.
func TestDup2BecomesDup3(t *testing.T) {
	p := policy(t, "read 0\ndup2 33\ndup3 292\nexit 60\n")
	file := compile(t, "gcc", dup2Program, append(bareFlags, "-static")...)
	edited, report, err := NopAll(file, p)
	if err != nil || report.Dup2 != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	if bytes.Contains(edited, dup2Code) || !bytes.Contains(edited, dup3Code) {
		t.Error("dup2 is still there")
	}
	path := filepath.Join(t.TempDir(), "dup2")
	install(t, path, "", edited, nil)
	output(t, path)
	odd := `__asm__(".globl _start\n_start: mov $33,%eax\n syscall\n ret\n");`
	if _, _, err := NopAll(compile(t, "gcc", odd, append(bareFlags, "-static")...), p); err == nil {
		t.Error("an unknown dup2 was accepted")
	}
}
