// Command mutants re-introduces known faults, one at a time, and requires the named tests to notice (paper §8.2: a test that
// can't fail is no evidence). Each .mutant file is one fault of a few lines. Nothing in the work tree is changed: the
// mutated file is laid over it by the compiler.
//
// It exits with 1 when a mutant survives, dies of something else than its symptom, or no longer applies.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"
)

// mutant is one fault.
type mutant struct {
	name    string
	guards  string // invariants and paper sections
	pkg     string
	test    string // -run expression
	symptom *regexp.Regexp
	file    string
	old     string
	new     string
}

func main() {
	dir := flag.String("dir", "test/mutants", "folder of the .mutant files")
	only := flag.String("run", "", "only mutants whose name matches")
	tags := flag.String("tags", "sqlite_fts5 migrated_fynedo", "build tags")
	each := flag.Duration("timeout", 3*time.Minute, "for one mutant")
	workers := flag.Int("p", max(1, runtime.NumCPU()), "how many at once")
	flag.Parse()
	list, err := load(*dir, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	verdicts := make([]string, len(list))
	killed := 0
	var wg sync.WaitGroup
	var mu sync.Mutex
	next := make(chan int)
	for range *workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				v := try(list[i], *tags, *each)
				mu.Lock()
				verdicts[i] = v
				if v == "" {
					killed++
					fmt.Printf("killed    %-48s %s\n", list[i].name, list[i].guards)
				} else {
					fmt.Printf("SURVIVED  %-48s %s\n%s\n", list[i].name, list[i].guards, v)
				}
				mu.Unlock()
			}
		}()
	}
	for i := range list {
		next <- i
	}
	close(next)
	wg.Wait()
	fmt.Printf("%d mutants: %d killed, %d survived\n", len(list), killed, len(list)-killed)
	if killed != len(list) || len(list) == 0 {
		os.Exit(1)
	}
}

// try returns "" when the mutant was killed by its symptom, else why not.
func try(m mutant, tags string, limit time.Duration) string {
	src, err := os.ReadFile(m.file)
	if err != nil {
		return err.Error()
	}
	if n := bytes.Count(src, []byte(m.old)); n != 1 {
		return fmt.Sprintf("its lines stand %d times in %s: mend the mutant", n, m.file)
	}
	tmp, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(tmp)
	mutated := filepath.Join(tmp, filepath.Base(m.file))
	if err := os.WriteFile(mutated, bytes.Replace(src, []byte(m.old), []byte(m.new), 1), 0o600); err != nil {
		return err.Error()
	}
	abs, err := filepath.Abs(m.file)
	if err != nil {
		return err.Error()
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {abs: mutated}})
	if err != nil {
		return err.Error()
	}
	over := filepath.Join(tmp, "overlay.json")
	if err := os.WriteFile(over, overlay, 0o600); err != nil {
		return err.Error()
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-tags", tags, "-overlay", over, "-count=1", "-vet=off", "-run", m.test, m.pkg)
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return "it did not end in " + limit.String()
	case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
		return "it does not compile:\n" + tail(out)
	case err == nil && bytes.Contains(out, []byte("no tests to run")):
		return "no test is named " + m.test
	case err == nil:
		return "the tests pass with the fault in place"
	case !m.symptom.Match(out):
		return "the tests fail, but not with the symptom " + m.symptom.String() + ":\n" + tail(out)
	}
	return ""
}

func tail(b []byte) string {
	if len(b) > 1500 {
		b = b[len(b)-1500:]
	}
	return string(b)
}

// load reads the .mutant files: "key: value" lines, a line "---", the old lines, a line "+++", the new lines.
func load(dir, only string) ([]mutant, error) {
	match, err := regexp.Compile(only)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.mutant"))
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	var list []mutant
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		m := mutant{name: strings.TrimSuffix(filepath.Base(f), ".mutant")}
		head, rest, ok := strings.Cut(string(data), "\n---\n")
		was, now, ok2 := strings.Cut(rest, "\n+++\n")
		if !ok || !ok2 {
			return nil, fmt.Errorf("%s: needs the lines --- and +++", f)
		}
		m.old, m.new = was, strings.TrimSuffix(now, "\n")
		for _, l := range strings.Split(head, "\n") {
			k, v, ok := strings.Cut(l, ": ")
			if !ok {
				return nil, fmt.Errorf("%s: %q is no “key: value”", f, l)
			}
			switch k {
			case "guards":
				m.guards = v
			case "package":
				m.pkg = v
			case "test":
				m.test = v
			case "file":
				m.file = v
			case "symptom":
				if m.symptom, err = regexp.Compile(v); err != nil {
					return nil, fmt.Errorf("%s: %w", f, err)
				}
			default:
				return nil, fmt.Errorf("%s: unknown key %q", f, k)
			}
		}
		if m.guards == "" || m.pkg == "" || m.test == "" || m.file == "" || m.symptom == nil {
			return nil, fmt.Errorf("%s: guards, package, test, file and symptom are all needed", f)
		}
		if match.MatchString(m.name) {
			list = append(list, m)
		}
	}
	return list, nil
}
