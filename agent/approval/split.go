package approval

import "strings"

// simple is one simple command as far as it can be told.
type simple struct {
	words   []string
	piped   bool // it reads what another one prints
	fetched bool // a command before it in the pipeline fetches from the network
}

// split breaks any script into its simple commands, also those inside of substitutions and groups. Unlike parse it never
// gives up: for a warning it is better to guess than to be silent. It must not be used to decide that something is
// harmless.
func split(text string) []simple { return splitDeep(text, 0) }

// Bounds of guessing, so that a hostile command costs no time: how deep substitutions in quotes are followed, and how
// many of one string.
const (
	maxNesting       = 3
	maxSubstitutions = 8
)

func splitDeep(text string, depth int) []simple {
	var out []simple
	var cur simple
	var w strings.Builder
	started := false
	endWord := func() {
		if started {
			cur.words = append(cur.words, w.String())
		}
		w.Reset()
		started = false
	}
	end := func(pipe bool) {
		endWord()
		next := simple{piped: pipe, fetched: pipe && (cur.fetched || len(cur.words) > 0 && downloads(cur.words))}
		if len(cur.words) > 0 {
			out = append(out, cur)
		}
		cur = next
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '<', '>':
			endWord()
		case '\n', '\r', ';', '&', '(', ')', '`':
			end(false)
		case '{', '}':
			if started {
				w.WriteByte(c) // ${HOME}, a{b,c}
			} else {
				end(false)
			}
		case '|':
			end(i+1 >= len(text) || text[i+1] != '|')
			if i+1 < len(text) && (text[i+1] == '|' || text[i+1] == '&') {
				i++
			}
		case '\\':
			if i++; i < len(text) && text[i] != '\n' {
				w.WriteByte(text[i])
				started = true
			}
		case '\'', '"':
			body, n := quoted(text[i:])
			// What is substituted inside of double quotes runs as well.
			if c == '"' && depth < maxNesting {
				for _, inner := range substitutions(body) {
					out = append(out, splitDeep(inner, depth+1)...)
				}
			}
			w.WriteString(body)
			started = true
			i += n - 1
		case '$':
			if i+1 < len(text) && text[i+1] == '(' {
				end(false)
				continue
			}
			w.WriteByte(c)
			started = true
			if i+1 < len(text) && text[i+1] == '{' {
				w.WriteByte('{')
				i++
			}
		default:
			w.WriteByte(c)
			started = true
		}
	}
	end(false)
	return out
}

// quoted returns the text between the quotes at the start of s, and how many bytes it takes with them. A quote that is
// never closed reaches to the end.
func quoted(s string) (string, int) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return b.String(), i + 1
		case s[i] == '\\' && s[0] == '"' && i+1 < len(s) && strings.IndexByte("\"\\$`", s[i+1]) >= 0:
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), len(s)
}

// substitutions are the scripts behind $( and backticks. Where one ends is not looked for: what follows only gives more to
// warn about.
func substitutions(s string) []string {
	var out []string
	for len(out) < maxSubstitutions {
		i := strings.Index(s, "$(")
		if j := strings.IndexByte(s, '`'); j >= 0 && (i < 0 || j < i) {
			s = s[j+1:]
			out = append(out, s)
			continue
		}
		if i < 0 {
			return out
		}
		s = s[i+2:]
		out = append(out, s)
	}
	return out
}

func downloads(words []string) bool {
	for _, w := range words {
		switch w[strings.LastIndexByte(w, '/')+1:] {
		case "curl", "wget", "aria2c", "http", "https":
			return true
		}
	}
	return false
}
