package elfedit

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"keva/engines/userland/pack"
)

// compile makes a small ELF file out of C; what the tests edit is what a real compiler and linker made.
func compile(t testing.TB, cc, source string, flags ...string) []byte {
	t.Helper()
	path, err := exec.LookPath(cc)
	if err != nil {
		t.Fatalf("%s is missing; install gcc and libc6-dev (for arm64: gcc-aarch64-linux-gnu and libc6-dev-arm64-cross)", cc)
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.c"), filepath.Join(dir, "out")
	if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(path, append([]string{"-O1", "-o", out, in}, flags...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cc, err, said)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// install writes relocations as the phone does, and the file.
func install(t *testing.T, path, prefix string, file []byte, relocs []pack.Reloc) {
	t.Helper()
	file = bytes.Clone(file)
	for _, r := range relocs {
		switch r.Kind {
		case pack.Slot:
			room := file[r.Offset : r.Offset+int64(r.Room)]
			if len(bytes.Trim(room, "\x00")) != 0 {
				t.Fatalf("the slot of %s isn't empty", path)
			}
			copy(room, prefix+r.Suffix)
		case pack.Insert:
			file = append(append(bytes.Clone(file[:r.Offset]), prefix...), file[r.Offset:]...)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file, 0o700); err != nil {
		t.Fatal(err)
	}
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = []string{}
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, said)
	}
	return string(said)
}
