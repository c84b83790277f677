package approval

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"keva/agent/event"
)

// Risks are plain warnings about a request, for the person who decides. They help to look twice; that there are none
// proves nothing, since a program may do anything. projectDir is the absolute path of the project, "" if not known.
func Risks(a event.ApprovalAsked, projectDir string) []string {
	r := risks{project: projectDir, dir: a.Dir}
	if r.dir == "" {
		r.dir = projectDir
	}
	texts := []string{a.Title, a.Command, a.Dir}
	for _, c := range a.Changes {
		texts = append(texts, c.Path, c.MovedTo)
		for _, h := range c.Hunks {
			texts = append(texts, h.Lines...)
		}
	}
	if slices.ContainsFunc(texts, func(s string) bool { _, hidden := Display(s); return hidden }) {
		r.add("It contains characters that can't be seen. They are shown as ‹U+…›.")
	}
	for _, c := range a.Changes {
		r.change(c)
	}
	r.place(a.Dir)
	if a.Command != "" {
		r.script(a.Command, 0)
	}
	if len(r.outside) > 0 {
		r.add("It names paths outside the project: " + list(r.outside) + ".")
	}
	return r.found
}

// maxGuess is how much of a script is looked through, in bytes.
const maxGuess = 64 << 10

type risks struct {
	project, dir string
	found        []string
	outside      []string
}

func (r *risks) add(sentence string) {
	if !slices.Contains(r.found, sentence) {
		r.found = append(r.found, sentence)
	}
}

func (r *risks) change(c event.Change) {
	for _, p := range []string{c.Path, c.MovedTo} {
		if p == "" {
			continue
		}
		r.place(p)
		if slices.Contains(strings.Split(path.Clean(p), "/"), ".git") {
			r.add("It changes Git's own files (.git), which can make Git run programs.")
		}
	}
	if c.Kind == event.ChangeDelete {
		r.add("It deletes files.")
	}
}

// script looks at every simple command of a script, also of scripts inside of it.
func (r *risks) script(text string, depth int) {
	if len(text) > maxGuess {
		r.add("It is too long to be looked through. Read it yourself.")
		text = text[:maxGuess]
	}
	for _, c := range split(text) {
		r.command(c, depth)
	}
}

// starters run what follows them; the words are their options that take a value.
var starters = map[string][]string{
	"sudo": {"-u", "-g", "-h", "-p", "-C", "-T", "-D", "-R"}, "doas": {"-u", "-C"}, "pkexec": {"--user"},
	"env": {"-u", "-C", "--unset", "--chdir"}, "nohup": nil, "time": nil, "command": nil, "builtin": nil, "exec": {"-a"},
	"nice": {"-n"}, "ionice": {"-c", "-n", "-p"}, "setsid": nil, "timeout": {"-s", "-k", "--signal", "--kill-after"},
	"xargs": {"-I", "-n", "-P", "-d", "-L", "-s", "-E", "-a"}, "stdbuf": {"-i", "-o", "-e"}, "busybox": nil, "toybox": nil,
	"then": nil, "do": nil, "else": nil, "if": nil, "while": nil, "until": nil, "!": nil, "eval": nil,
}

func (r *risks) command(c simple, depth int) {
	r.places(c.words)
	words := c.words
	for len(words) > 0 {
		if name, _, ok := strings.Cut(words[0], "="); ok && name != "" && !strings.ContainsAny(name, "/-. ") {
			words = words[1:] // an assignment before the command
			continue
		}
		name := path.Base(words[0])
		values, starts := starters[name]
		if !starts {
			break
		}
		if name == "sudo" || name == "doas" || name == "pkexec" {
			r.add("It runs with the rights of the administrator (" + name + ").")
		}
		words = words[1:]
		for len(words) > 0 && strings.HasPrefix(words[0], "-") {
			skip := 1
			if slices.Contains(values, words[0]) {
				skip = 2
			}
			words = words[min(skip, len(words)):]
		}
		if name == "timeout" && len(words) > 0 {
			words = words[1:] // the duration
		}
	}
	if len(words) == 0 {
		return
	}
	name, args := path.Base(words[0]), words[1:]
	if strings.ContainsFunc(words[0], func(r rune) bool { return r > unicode.MaxASCII }) {
		r.add("The name of a program has letters that may only look like the usual ones: " + list(words[:1]) + ".")
	}
	r.known(name, args)
	if isShell(name) {
		switch i := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") && strings.HasSuffix(a, "c") }); {
		case i >= 0 && i+1 < len(args) && depth < 4:
			r.script(args[i+1], depth+1)
		case c.piped && c.fetched:
			r.add("It runs what it downloads, unseen.")
		}
	}
}

func isShell(name string) bool {
	switch name {
	case "sh", "bash", "dash", "zsh", "ash", "ksh", "fish", "python", "python3", "node", "perl", "ruby":
		return true
	}
	return false
}

// places notes the paths in a command. A program of the system is no place.
func (r *risks) places(words []string) {
	for i, w := range words {
		if i == 0 {
			switch path.Dir(w) {
			case "/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin":
				continue
			}
		}
		r.place(w)
	}
}

// place notes a path that is outside the project.
func (r *risks) place(p string) {
	if _, value, ok := strings.Cut(p, "="); ok && !strings.HasPrefix(p, "/") {
		p = value // --file=/etc/x, if=/dev/x
	}
	home := strings.HasPrefix(p, "~") || strings.HasPrefix(p, "$HOME") || strings.HasPrefix(p, "${HOME}")
	if p == "" || r.project == "" && !home {
		return
	}
	switch {
	case home:
	case strings.HasPrefix(p, "/"):
		if p = path.Clean(p); harmlessFile(p) || inside(p, r.project) {
			return
		}
	case strings.Contains(p, "..") && !strings.Contains(p, "://"):
		if inside(path.Join(r.dir, p), r.project) {
			return
		}
	default:
		return
	}
	if !slices.Contains(r.outside, p) {
		r.outside = append(r.outside, p)
	}
}

func inside(p, project string) bool {
	project = path.Clean(project)
	return p == project || project == "/" || strings.HasPrefix(p, project+"/")
}

// harmlessFile lists what stands in commands without being a place, and programs that are only named.
func harmlessFile(p string) bool {
	switch p {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/usr/bin/env":
		return true
	}
	return slices.Contains(shells, p)
}

// list joins up to three names; each is shown as it is, with hidden characters visible.
func list(names []string) string {
	more := ""
	if len(names) > 3 {
		names, more = names[:3], " and more"
	}
	shown := make([]string, len(names))
	for i, n := range names {
		shown[i], _ = Display(n)
	}
	return strings.Join(shown, ", ") + more
}
