package logging

import (
	"encoding/json"
	"net/url"
	"regexp"
	"sort"
	"strings"
	"sync"
)

// Struck is what stands where a secret was.
const Struck = "•••"

// minSecret is the shortest value that is struck out wherever it occurs: a shorter one would hit ordinary words.
const minSecret = 6

// Redactor strikes secrets out of text: the values that it was told, and what looks like a key. The zero value knows the
// looks only. It is safe for concurrent use.
type Redactor struct {
	mu       sync.RWMutex
	known    map[string]bool
	replacer *strings.Replacer
}

// Protect adds a value that must never be shown. Its usual disguises (in JSON, in a URL) are struck out too.
func (r *Redactor) Protect(secret string) {
	if len(secret) < minSecret {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]bool{}
	}
	r.known[secret] = true
	r.known[url.QueryEscape(secret)] = true
	r.known[url.PathEscape(secret)] = true
	for _, html := range []bool{true, false} { // encoding/json writes < as an escape, zerolog does not
		once := quoted(secret, html)
		r.known[once] = true
		r.known[quoted(once, html)] = true // a frame of JSON in a line of JSON
	}
	forms := make([]string, 0, len(r.known))
	for f := range r.known {
		forms = append(forms, f)
	}
	// The longest first: a secret that begins another one must not leave the rest of it behind.
	sort.Slice(forms, func(i, j int) bool { return len(forms[i]) > len(forms[j]) })
	pairs := make([]string, 0, 2*len(forms))
	for _, f := range forms {
		pairs = append(pairs, f, Struck)
	}
	r.replacer = strings.NewReplacer(pairs...)
}

// quoted is s as JSON writes it, without the quotes.
func quoted(s string, html bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if err := enc.Encode(s); err != nil {
		return s // a string always has JSON
	}
	return strings.TrimSuffix(b.String(), "\"\n")[1:]
}

// looks are the shapes of secrets that nobody told us about. $1 is what stays.
var looks = []struct {
	re   *regexp.Regexp
	with string
}{
	// keys of providers and forges
	{regexp.MustCompile(`\b(sk-|rk-|pk-|xox[abprs]-|gh[pousr]_|github_pat_|glpat-|AKIA|AIza)[A-Za-z0-9_\-]{8,}`), "${1}" + Struck},
	// JSON web tokens
	{regexp.MustCompile(`\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]*`), Struck},
	// authorisation headers
	{regexp.MustCompile(`(?i)\b(bearer|basic)(\s+)[A-Za-z0-9._~+/\-]{6,}=*`), "${1}${2}" + Struck},
	// fields and variables that are named after what they hold, also inside quoted JSON
	{regexp.MustCompile(`(?i)([A-Za-z0-9_\-]*(?:api[_\-]?key|auth[_\-]?token|access[_\-]?token|refresh[_\-]?token|oauth[_\-]?token|client[_\-]?secret|password|passwd)\\*["']?\s*[:=]\s*\\*["']?)[^\s"'\\,;&}]+`), "${1}" + Struck},
	// passwords in addresses
	{regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.\-]*://)[^\s/"'@]+@`), "${1}" + Struck + "@"},
}

// String strikes secrets out of s.
func (r *Redactor) String(s string) string {
	r.mu.RLock()
	replacer := r.replacer
	r.mu.RUnlock()
	if replacer != nil {
		s = replacer.Replace(s)
	}
	for _, l := range looks {
		s = l.re.ReplaceAllString(s, l.with)
	}
	return s
}

// Bytes is String for bytes; the result is the caller's own.
func (r *Redactor) Bytes(b []byte) []byte { return []byte(r.String(string(b))) }
