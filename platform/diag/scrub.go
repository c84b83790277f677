// Package diag makes the report that a user may hand to somebody who helps. What is in it was chosen, not filtered out of
// everything: no titles, no inputs, no file contents, no environment. What remains (findings, log lines) is scrubbed once
// more, and the user sees exactly the text that is shared. It must never read a transcript.
package diag

import (
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"keva/platform/logging"
)

// Scrubber strikes out of text what may be a secret or may name the user's things. It errs on the side of striking out.
// The zero value works; it is safe for concurrent use as long as its fields are not changed.
type Scrubber struct {
	// Known strikes out the values that the app knows to be secret; it may be nil.
	Known *logging.Redactor
	// Folders are the app's own folders by the name that stands for them, e.g. "$DATA". Paths in them stay readable below
	// that; every other path outside of the system's folders is struck out.
	Folders map[string]string
}

var (
	address = regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.\-]*)://([^\s"'<>\\` + "`" + `]+)`)
	header  = regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|x-[a-z0-9\-]*(?:key|token|secret|auth|id)[a-z0-9\-]*|api-key)(\\*["']?\s*[:=]\s*\\*["']?)[^\n"'\\]+`)
	setting = regexp.MustCompile(`\b([A-Za-z_][A-Za-z0-9_]{2,})=("[^"]*"|'[^']*'|[^\s"'\\,;]+)`)
	path    = regexp.MustCompile(`(?:~|\B|\b[A-Za-z]:)(/[^\s"'\\:;,<>|*?(){}\[\]` + "`" + `]+)+/?`)
	long    = regexp.MustCompile(`[A-Za-z0-9+/_\-]{20,}={0,2}`)
	mail    = regexp.MustCompile(`[A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+\.[A-Za-z]{2,}`)
	uuid    = regexp.MustCompile(`\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
)

// plain are settings whose value tells nothing about anybody. Their value is kept.
var plain = map[string]bool{"code": true, "pid": true, "status": true, "exit": true, "version": true, "uid": true, "signal": true}

// system are folders whose content is the same on every machine of a kind.
var system = []string{"/bin", "/sbin", "/lib", "/lib64", "/usr", "/etc", "/proc", "/sys", "/dev", "/system", "/vendor", "/apex"}

// Text strikes out line by line.
func (s *Scrubber) Text(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = s.line(l)
	}
	return strings.Join(lines, "\n")
}

func (s *Scrubber) line(l string) string {
	known := s.Known
	if known == nil {
		known = &logging.Redactor{}
	}
	l = known.String(l)
	l = header.ReplaceAllString(l, "${1}${2}"+logging.Struck)
	var hosts []string // set aside: what is left of an address is no path
	l = address.ReplaceAllStringFunc(strings.ReplaceAll(l, "\x00", ""), func(m string) string {
		hosts = append(hosts, hostOnly(m))
		return "\x00"
	})
	l = setting.ReplaceAllStringFunc(l, func(m string) string {
		name, _, _ := strings.Cut(m, "=")
		if plain[strings.ToLower(name)] {
			return m
		}
		return name + "=" + logging.Struck
	})
	l = mail.ReplaceAllString(l, logging.Struck)
	l = path.ReplaceAllStringFunc(l, s.path)
	l = uuid.ReplaceAllString(l, "$1…")
	l = long.ReplaceAllStringFunc(l, func(m string) string {
		if word(m) {
			return m
		}
		return logging.Struck
	})
	for _, h := range hosts {
		l = strings.Replace(l, "\x00", h, 1)
	}
	return l
}

// hostOnly keeps scheme and host of an address: who was asked is what a helper needs, what was asked is not.
func hostOnly(m string) string {
	scheme, rest, _ := strings.Cut(m, "://")
	if strings.EqualFold(scheme, "file") {
		return "file://" + logging.Struck
	}
	end := strings.IndexAny(rest, "/?#")
	tail := ""
	if end >= 0 {
		rest, tail = rest[:end], "/"+logging.Struck
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = logging.Struck + "@" + rest[at+1:]
	}
	return scheme + "://" + rest + tail
}

// path keeps the system's paths and those in the app's own folders, where names are the app's too but for projects.
func (s *Scrubber) path(m string) string {
	clean := filepath.Clean(m)
	var names []string
	for name := range s.Folders {
		names = append(names, name)
	}
	// The longest folder first: one may lie in another.
	sort.Slice(names, func(i, j int) bool { return len(s.Folders[names[i]]) > len(s.Folders[names[j]]) })
	for _, name := range names {
		dir := s.Folders[name]
		if dir == "" || dir == "/" {
			continue
		}
		rest, ok := strings.CutPrefix(clean, filepath.Clean(dir))
		if !ok || rest != "" && rest[0] != '/' {
			continue
		}
		if strings.HasPrefix(rest, "/projects/") { // names of the user's
			return name + "/projects/" + logging.Struck
		}
		return name + rest
	}
	for _, dir := range system {
		if clean == dir || strings.HasPrefix(clean, dir+"/") {
			return clean
		}
	}
	return logging.Struck
}

// word tells a name made of words from a token: no digits, and no part that is longer than words are.
func word(m string) bool {
	if strings.ContainsAny(m, "0123456789=+") {
		return false
	}
	for _, part := range strings.FieldsFunc(m, func(r rune) bool { return r == '_' || r == '-' || r == '/' }) {
		if len(part) > 16 {
			return false
		}
	}
	return true
}
