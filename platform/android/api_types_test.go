//go:build apktest

package android

import (
	"bufio"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// api is what the types say of Android's classes: by class, by member ("constructor", a method's name, "field NAME").
type api struct {
	members map[string]map[string][]decl
	since   map[string]int
	super   map[string]string
}

type decl struct {
	args   []string
	result string
	since  int
}

var loaded *api

// loadAPI reads the types once. The file is that of an npm package; `make apk-test` fetches it.
func loadAPI(t *testing.T) *api {
	t.Helper()
	if loaded != nil {
		return loaded
	}
	f, err := os.Open(os.Getenv("KEVA_TYPES"))
	if err != nil {
		t.Fatalf("Android's types are missing; run this by `make apk-test`, which fetches them: %v", err)
	}
	defer f.Close()
	a := &api{map[string]map[string][]decl{}, map[string]int{}, map[string]string{}}
	var (
		scope  []string // names of the open modules and classes, "" for other braces
		classN []bool
		since  int

		sinceRE = regexp.MustCompile(`@since (\d+)`)
		module  = regexp.MustCompile(`^(?:declare|export) (?:module|namespace) (\w+) \{$`)
		class   = regexp.MustCompile(`^export (?:abstract )?(?:class|interface) (\w+)(?:<.*?>)?(?: extends ([\w.]+))?.*\{$`)
		method  = regexp.MustCompile(`^public (?:static )?(\w+)(?:<[^(]*>)?\((.*)\)(?:: (.*))?;$`)
		field   = regexp.MustCompile(`^public (?:static )?(\w+): (.*);$`)
	)
	name := func() string {
		var parts []string
		for _, s := range scope {
			if s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, ".")
	}
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		line := strings.TrimSpace(s.Text())
		if m := sinceRE.FindStringSubmatch(line); m != nil {
			since, _ = strconv.Atoi(m[1])
		}
		if strings.HasPrefix(line, "/*") || strings.HasPrefix(line, "*") {
			continue
		}
		if m := module.FindStringSubmatch(line); m != nil {
			scope, classN, since = append(scope, m[1]), append(classN, false), 0
			continue
		}
		if m := class.FindStringSubmatch(line); m != nil {
			scope, classN = append(scope, m[1]), append(classN, true)
			n := name()
			if a.members[n] == nil {
				a.members[n] = map[string][]decl{}
			}
			a.since[n], a.super[n], since = since, m[2], 0
			continue
		}
		switch {
		case strings.HasPrefix(line, "}"):
			if len(scope) > 0 {
				scope, classN = scope[:len(scope)-1], classN[:len(classN)-1]
			}
		case strings.HasSuffix(line, "{"):
			scope, classN, since = append(scope, ""), append(classN, false), 0
		case len(classN) > 0 && classN[len(classN)-1]:
			in := a.members[name()]
			if m := method.FindStringSubmatch(line); m != nil {
				in[m[1]] = append(in[m[1]], decl{arguments(m[2]), m[3], since})
			} else if m := field.FindStringSubmatch(line); m != nil {
				in["field "+m[1]] = append(in["field "+m[1]], decl{nil, m[2], since})
			}
			since = 0
		}
	}
	if err := s.Err(); err != nil || len(a.members) < 3000 {
		t.Fatalf("Android's types can't be read: %d classes, %v", len(a.members), err)
	}
	loaded = a
	return a
}

// arguments are the types in "a: number, b: Map<x,y>".
func arguments(list string) (all []string) {
	depth, from := 0, 0
	for i, c := range list + "," {
		switch {
		case strings.ContainsRune("<({[", c):
			depth++
		case strings.ContainsRune(">)}]", c):
			depth--
		case c == ',' && depth == 0:
			if _, typ, ok := strings.Cut(list[from:i], ":"); ok {
				all = append(all, strings.TrimSpace(typ))
			}
			from = i + 1
		}
	}
	return all
}

// find gives the API level from which a member is there, or why it is not.
func (a *api) find(class, name, sig string) (since int, why string) {
	dotted := strings.NewReplacer("/", ".", "$", ".").Replace(class)
	if a.members[dotted] == nil {
		return 0, "there is no such class"
	}
	key := name
	var args []string
	result := sig
	if strings.HasPrefix(sig, "(") {
		inner, after, _ := strings.Cut(sig[1:], ")")
		result = after
		for inner != "" {
			n := len(regexp.MustCompile(`^\[*(?:L[^;]*;|\w)`).FindString(inner))
			args, inner = append(args, inner[:n]), inner[n:]
		}
		if name == "<init>" {
			key = "constructor"
		}
	} else {
		key = "field " + name
	}
	best := -1
	for c := dotted; c != ""; c = a.super[c] {
		for _, d := range a.members[c][key] {
			if len(d.args) != len(args) || key != "constructor" && !fits(result, d.result) {
				continue
			}
			all := true
			for i := range args {
				all = all && fits(args[i], d.args[i])
			}
			if level := max(d.since, a.since[c], a.since[dotted]); all && (best < 0 || level < best) {
				best = level
			}
		}
		if key == "constructor" {
			break
		}
	}
	if best < 0 {
		return 0, "there is none with this signature"
	}
	return best, ""
}

// fits compares a type of Java's with one of TypeScript's, which knows one kind of number only.
func fits(java, ts string) bool {
	ts = strings.TrimSpace(strings.ReplaceAll(ts, "| null", ""))
	if ts == "any" || len(ts) == 1 && ts == strings.ToUpper(ts) { // a type parameter
		return strings.HasPrefix(java, "L")
	}
	if strings.HasPrefix(java, "[") {
		return strings.Contains(ts, "Array<")
	}
	if i := strings.IndexByte(ts, '<'); i >= 0 {
		ts = ts[:i]
	}
	switch java {
	case "I", "J", "B", "S", "F", "D":
		_, err := strconv.ParseFloat(ts, 64) // a constant's value
		return ts == "number" || err == nil
	case "Z":
		return ts == "boolean"
	case "V":
		return ts == "void" || ts == ""
	case "Ljava/lang/String;":
		return ts == "string"
	case "Ljava/lang/CharSequence;":
		return ts == "string" || ts == "java.lang.CharSequence" || ts == "CharSequence"
	}
	return ts == strings.NewReplacer("/", ".", "$", ".").Replace(strings.TrimSuffix(strings.TrimPrefix(java, "L"), ";"))
}
