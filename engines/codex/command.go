package codex

import "strings"

// unwrap takes the shell that the engine puts around a command off, for a title: /bin/bash -lc 'make test' becomes
// make test. What it does not understand stays as it is. What is approved is always shown with its wrapper.
func unwrap(command string) string {
	shell, rest, ok := strings.Cut(command, " ")
	if !ok {
		return command
	}
	switch shell[strings.LastIndexByte(shell, '/')+1:] {
	case "sh", "bash", "zsh", "dash", "ash", "fish":
	default:
		return command
	}
	flag, arg, ok := strings.Cut(rest, " ")
	if !ok || (flag != "-c" && flag != "-lc") {
		return command
	}
	if inner, ok := unquote(arg); ok && inner != "" {
		return inner
	}
	return command
}

// unquote reads one shell word: bare, in single or double quotes, or pieces of these. It reports false for more than one
// word and for anything that a shell would expand.
func unquote(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				return "", false
			}
			b.WriteString(s[i+1 : i+1+end])
			i += end + 2
		case '"':
			i++
			for ; i < len(s) && s[i] != '"'; i++ {
				switch {
				case s[i] == '\\' && i+1 < len(s) && strings.IndexByte("\"\\$`", s[i+1]) >= 0:
					i++
				case s[i] == '$' || s[i] == '`':
					return "", false
				}
				b.WriteByte(s[i])
			}
			if i >= len(s) {
				return "", false
			}
			i++
		case '\\':
			if i+1 >= len(s) {
				return "", false
			}
			b.WriteByte(s[i+1])
			i += 2
		case ' ', '\t', '\n', '$', '`', ';', '&', '|', '<', '>', '(', ')', '*', '?', '[', '~', '#':
			return "", false
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String(), true
}
