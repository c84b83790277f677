package proc

import (
	"bufio"
	"bytes"
	"debug/elf"
	"io"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// Interpreter is the loader or script interpreter that the program at path names, "" when it names none or can't be
// read.
func Interpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	if line, err := bufio.NewReader(io.LimitReader(f, 256)).ReadString('\n'); err == nil || err == io.EOF {
		if rest, ok := strings.CutPrefix(line, "#!"); ok {
			if words := strings.Fields(rest); len(words) > 0 {
				return words[0]
			}
			return ""
		}
	}
	e, err := elf.NewFile(f)
	if err != nil {
		return ""
	}
	for _, p := range e.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		// A path; what is longer is damage.
		data, err := io.ReadAll(io.LimitReader(p.Open(), 4096))
		if err != nil {
			return ""
		}
		return string(bytes.TrimRight(data, "\x00"))
	}
	return ""
}

// ForeignMachine names the processor that the program at path is made for when it is not this one, else "".
func ForeignMachine(path string) string {
	e, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = e.Close() }()
	own := map[string]elf.Machine{
		"amd64": elf.EM_X86_64,
		"arm64": elf.EM_AARCH64,
		"arm":   elf.EM_ARM,
		"386":   elf.EM_386,
	}
	if m, ok := own[runtime.GOARCH]; ok && m != e.Machine {
		return strings.TrimPrefix(e.Machine.String(), "EM_")
	}
	return ""
}

func enterable(dir string) bool { return unix.Access(dir, unix.X_OK) == nil }
