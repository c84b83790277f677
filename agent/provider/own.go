package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"keva/agent/event"
)

// aliases are the names that engines use by themselves.
var aliases = []string{"opus", "sonnet", "haiku"}

// token is a header's name (RFC 9110 §5.6.2), and key words that a header for credentials has in its own.
var (
	token = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	creds = regexp.MustCompile(`(?i)auth|key|token|secret|cookie|password|credential`)
)

// Check says what makes a provider of the user's unusable, or nil. Errors are *event.Error and say what to correct.
func Check(p Provider) error {
	switch {
	case !p.Owned():
		return refuse("This provider belongs to Keva and can't be changed.", p.ID)
	case len(p.Kinds) == 0 || slices.ContainsFunc(p.Kinds, func(k Kind) bool { return !k.Valid() }):
		return refuse("Choose which protocol the provider speaks.", fmt.Sprintf("kinds %q", p.Kinds))
	case p.Key == KeyNone || p.Key == KeySignIn: // those are Keva's own: the demo answers for them, or an engine's sign-in
		return refuse("Say whether the server wants a key.", string(p.Key))
	case !slices.Contains([]Auth{AuthDefault, AuthBearer}, p.Auth):
		return refuse("Choose how the key is sent.", string(p.Auth))
	}
	for k, base := range p.Bases {
		if !p.Speaks(k) {
			return refuse("There is an address for a protocol that the provider does not speak.", string(k))
		}
		if err := CheckBaseURL(base); err != nil {
			return err
		}
	}
	for _, k := range p.Kinds {
		if err := CheckBaseURL(p.Base(k)); err != nil {
			return err
		}
	}
	for name, model := range p.Aliases {
		if !slices.Contains(aliases, name) || strings.TrimSpace(model) == "" {
			return refuse("A model can stand in for opus, sonnet or haiku only, and needs a name.", name+" = "+model)
		}
	}
	return CheckHeaders(p.Headers)
}

// CheckHeaders refuses headers that can't be sent, and those that would be a place for a key: settings are no keyring.
func CheckHeaders(headers map[string]string) error {
	for name, value := range headers {
		switch {
		case !token.MatchString(name):
			return refuse("“"+clean(name)+"” can't be the name of a header. Use letters, digits and hyphens.", "")
		case creds.MatchString(name):
			return refuse("The header "+name+" looks like a place for a key. Write the key into its own field: there it is kept in the keyring.", "")
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
			return refuse("The value of the header "+name+" contains line breaks or invisible characters. Remove them.", "")
		case slices.Contains([]string{"host", "content-length", "content-type", "connection", "transfer-encoding", "upgrade", "te", "trailer"}, strings.ToLower(name)):
			return refuse("The header "+name+" is set by the connection itself. Remove it.", "")
		}
	}
	return nil
}

func clean(s string) string { return strings.ToValidUTF8(strings.TrimSpace(s), "\uFFFD") }

// ChatOnly is the refusal of an endpoint that has Chat Completions and no Responses. Codex 0.171 does not start with such a
// provider (its setting is gone), and Keva does not translate: a translation that is wrong in a detail would look like the
// model's mistake.
func ChatOnly(name string) *event.Error {
	return &event.Error{
		Class: event.ClassConfig,
		Message: name + " answers Chat Completions only, and Codex needs the Responses protocol. Use an address that has it " +
			"(many servers have one beside it), or use this provider with Claude Code if it speaks Anthropic Messages.",
	}
}
