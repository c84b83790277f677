package approval

import (
	"strings"
	"unicode/utf8"
)

// word is one word of a shell command, as the command will get it.
type word struct {
	text string // without quotes
	// open says that the shell replaces the word by file names (it has an unquoted * ? or [), and free that these may
	// begin with anything. A file may be called "--pre=sh": then a free word can turn into an option.
	open, free bool
}

// maxCommand is the longest command, in bytes, that is read. A longer one is no simple look around.
const maxCommand = 8 << 10

// parse splits a command into simple commands. It knows a small part of the shell's language exactly, the part that
// bash, dash and zsh read alike, and gives up on everything else: redirection, substitution, background, groups,
// comments, braces, line ends, characters that can't be seen.
func parse(command string) ([][]word, bool) {
	if len(command) > maxCommand || !utf8.ValidString(command) {
		return nil, false
	}
	if _, hidden := Display(command); hidden || strings.ContainsAny(command, "\n\t") {
		return nil, false
	}
	p := parser{rest: command}
	for p.rest != "" {
		if !p.step() {
			return nil, false
		}
	}
	p.endWord()
	switch {
	case len(p.words) > 0:
		p.commands = append(p.commands, p.words)
	case p.joined:
		return nil, false // "ls &&" or "ls |": the rest is missing
	}
	return p.commands, len(p.commands) > 0
}

type parser struct {
	rest     string
	word     word
	started  bool // a word has begun, though it may be empty, as in ''
	words    []word
	commands [][]word
	joined   bool // the last separator wants a command after it
}

func (p *parser) step() bool {
	c := p.rest[0]
	switch c {
	case ' ':
		p.endWord()
		p.rest = p.rest[1:]
		return true
	case '\'':
		text, rest, ok := strings.Cut(p.rest[1:], "'")
		p.rest = rest
		p.literal(text)
		return ok
	case '"':
		return p.double()
	case '\\':
		// Outside of quotes it makes any character itself. Line ends were refused before.
		if len(p.rest) < 2 {
			return false
		}
		_, n := utf8.DecodeRuneInString(p.rest[1:])
		p.literal(p.rest[1 : 1+n])
		p.rest = p.rest[1+n:]
		return true
	case '|', '&', ';':
		return p.separator()
	case '*', '?', '[':
		p.word.open = true
		p.word.free = p.word.free || p.word.text == ""
		p.literal(p.rest[:1])
		p.rest = p.rest[1:]
		return true
	case '$', '`', '<', '>', '(', ')', '{', '}':
		return false
	case '#':
		if !p.started {
			return false // a comment
		}
	}
	p.literal(p.rest[:1])
	p.rest = p.rest[1:]
	return true
}

func (p *parser) literal(text string) {
	p.word.text += text
	p.started = true
}

// double reads a "…": a backslash in it is itself, but before the few characters that it protects.
func (p *parser) double() bool {
	p.started = true
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; c {
		case '"':
			p.rest = p.rest[i+1:]
			return true
		case '$', '`':
			return false
		case '\\':
			if i+1 < len(p.rest) && strings.IndexByte("$`\"\\", p.rest[i+1]) >= 0 {
				i++
			}
			p.word.text += p.rest[i : i+1]
		default:
			p.word.text += p.rest[i : i+1]
		}
	}
	return false
}

// separator takes ; | && and ||. A single & runs in the background, and |& and ;; are languages of their own.
func (p *parser) separator() bool {
	p.endWord()
	n := 1
	if len(p.rest) > 1 && p.rest[1] == p.rest[0] {
		n = 2
	}
	op := p.rest[:n]
	p.rest = p.rest[n:]
	if op == "&" || op == ";;" || len(p.words) == 0 {
		return false
	}
	p.commands = append(p.commands, p.words)
	p.words = nil
	p.joined = op != ";"
	return true
}

func (p *parser) endWord() {
	if p.started {
		p.words = append(p.words, p.word)
	}
	p.word, p.started = word{}, false
}
