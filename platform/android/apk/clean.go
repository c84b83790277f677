package apk

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// secrets are shapes of keys and tokens.
var secrets = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/]{20}|sk-(ant-|proj-)?[A-Za-z0-9_-]{32,}|gh[pousr]_[A-Za-z0-9]{36}|AKIA[0-9A-Z]{16}|xox[abp]-[0-9]{6,}`)

// checkClean looks through all that is not the userland.
func (a *APK) checkClean() []string {
	words, err := machine()
	if err != nil {
		return []string{err.Error()}
	}
	var bad []string
	for _, f := range a.zip.File {
		if f.Name == PackEntry {
			continue
		}
		data, err := read(f)
		if err != nil {
			bad = append(bad, err.Error())
			continue
		}
		for what, word := range words {
			if at := bytes.Index(data, []byte(word)); at >= 0 {
				bad = append(bad, fmt.Sprintf("%s has %s: %q", f.Name, what, around(data, at, len(word))))
			}
		}
		if at := secrets.FindIndex(data); at != nil {
			bad = append(bad, fmt.Sprintf("%s has what looks like a key at %d", f.Name, at[0]))
		}
	}
	return bad
}

// machine are words that only this machine knows. Short ones are in every program, and left out.
func machine() (map[string]string, error) {
	words := map[string]string{}
	put := func(what, word string) {
		if len(word) >= 6 && word != "localhost" {
			words[what] = word
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	if home != "/root" { // which programs name that were built elsewhere
		put("the user's folder", home+"/")
	}
	if host, err := os.Hostname(); err == nil {
		put("the machine's name", host)
	}
	out, err := exec.Command("go", "env", "GOMOD", "GOMODCACHE", "GOROOT", "GOCACHE", "GOPROXY").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	lines := strings.Split(string(out), "\n")
	put("the source's folder", filepath.Dir(lines[0])+"/")
	put("the modules' folder", lines[1])
	put("Go's folder", lines[2]+"/")
	put("the build cache", lines[3])
	if proxy, _, _ := strings.Cut(lines[4], ","); strings.HasPrefix(proxy, "http") {
		put("a module proxy", proxy)
	}
	return words, nil
}

func around(data []byte, at, n int) []byte {
	return data[max(0, at-20):min(len(data), at+n+20)]
}
