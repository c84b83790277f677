package trustscan

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// runners are programs that take what they run from a file which their arguments don't name.
var runners = map[string][]string{
	"npm": {"package.json"}, "npx": {"package.json"}, "yarn": {"package.json"}, "pnpm": {"package.json"}, "bun": {"package.json"},
	"make": {"Makefile", "makefile", "GNUmakefile"}, "just": {"justfile", "Justfile"}, "task": {"Taskfile.yml", "Taskfile.yaml"},
	"rake": {"Rakefile"}, "composer": {"composer.json"}, "uv": {"pyproject.toml"}, "poetry": {"pyproject.toml"},
	"docker-compose": {"docker-compose.yml", "compose.yaml"},
}

// runs finds the files of the project that a text names or that its programs are known to read, so that they count as a
// part of what is agreed to. What those start in turn is not followed.
func (s *scan) runs(text, self string) []string {
	var found []string
	for _, word := range words(text) {
		for _, prefix := range []string{"${CLAUDE_PROJECT_DIR}", "$CLAUDE_PROJECT_DIR", "${PWD}", "$PWD", s.dir} {
			if rest, ok := strings.CutPrefix(word, prefix); ok && (rest == "" || rest[0] == '/') {
				word = "." + rest
			}
		}
		candidates := append([]string{word}, runners[path.Base(word)]...)
		for _, name := range candidates {
			name = path.Clean(name)
			if len(found) >= maxTrustDepth || len(name) > 4096 || !filepath.IsLocal(name) || name == self || slices.Contains(found, name) {
				continue
			}
			if st, err := s.root.Lstat(name); err != nil || st.IsDir() {
				continue // a word, and no file
			}
			found = append(found, name)
			s.read(name)
		}
	}
	return found
}

// words are the pieces of a text that could be names of files: as they stand, with the quotes taken off, and what is in
// quotes as a whole.
func words(text string) []string {
	const between = " \t\r\n`;|&()<>=,"
	split := func(text, at string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(at, r) })
	}
	list := append(split(text, between+`"'`), split(strings.NewReplacer(`"`, "", "'", "").Replace(text), between)...)
	return append(list, split(text, `"'`)...)
}

// commandLine writes a program and its arguments so that a shell would read them the same.
func commandLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.ContainsFunc(w, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@%+,=", r))
		}) {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// serverText shows a tool server whole: the command line, or the address, then everything else that it is set to.
func serverText(n node) string {
	var lines []string
	if command, ok := n.get("command").text(); ok {
		words := []string{command}
		if args, ok := n.get("args").strings(); ok {
			for _, a := range args {
				text, _ := a.text()
				words = append(words, text)
			}
		}
		lines = append(lines, commandLine(words))
	}
	if url, ok := n.get("url").text(); ok {
		lines = append(lines, url)
	}
	for _, f := range n.fields {
		switch f.name {
		case "command", "args", "url":
			continue
		}
		lines = append(lines, f.name+": "+compact(f.raw))
	}
	return strings.Join(lines, "\n")
}

// hookText shows a hook whole: its command, then everything else that it is set to.
func hookText(n node) string {
	var lines []string
	if command, ok := n.get("command").text(); ok {
		lines = append(lines, command)
	}
	for _, f := range n.fields {
		if f.name == "command" || f.name == "type" && string(f.raw) == `"command"` {
			continue
		}
		lines = append(lines, f.name+": "+compact(f.raw))
	}
	return strings.Join(lines, "\n")
}

// text is a value as it is shown.
func text(n node) string {
	if s, ok := n.text(); ok {
		return s
	}
	return compact(n.raw)
}

// wrap makes {name: [item]} with other fields of the item's group beside it.
func wrap(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil { // made of values that were read from JSON
		return nil
	}
	return raw
}
