package provider

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"unicode"

	"keva/agent/event"
)

// NewCustom makes the user's own provider from a form. The name may be empty. Errors are *event.Error and say what to
// correct.
func NewCustom(name string, k Kind, base string) (Provider, error) {
	if !k.Valid() {
		return Provider{}, refuse("Choose which protocol the provider speaks.", fmt.Sprintf("kind %q", k))
	}
	base = strings.TrimSpace(base)
	if err := CheckBaseURL(base); err != nil {
		return Provider{}, err
	}
	if name = strings.TrimSpace(name); name == "" {
		if u, err := url.Parse(base); err == nil {
			name = u.Host
		}
	}
	return Provider{ID: Custom, Name: name, Kinds: []Kind{k}, BaseURL: base, Key: KeyOptional}, nil
}

// CheckBaseURL returns a *event.Error when an address can't be one of a provider. The key is sent there with every
// request, so plain http is for this device only.
func CheckBaseURL(base string) error {
	if base == "" {
		return refuse("Write the address of the provider, for example https://api.example.com.", "")
	}
	if strings.ContainsFunc(base, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
		return refuse("The address contains spaces or invisible characters. Remove them.", fmt.Sprintf("%+q", base))
	}
	u, err := url.Parse(base)
	if err != nil {
		// The parser's own words quote the whole address, and with it a password that somebody wrote into it.
		return refuse("This is not a valid address. It should look like https://api.example.com.", "")
	}
	switch {
	case u.User != nil:
		return refuse("The address must not contain a user name or password. Write the key into its own field.", "")
	case u.Scheme == "" || u.Opaque != "":
		return refuse("The address must begin with https://.", "")
	case u.Scheme != "https" && u.Scheme != "http":
		return refuse("The address must begin with https://, not "+u.Scheme+"://.", "")
	case u.Hostname() == "":
		return refuse("The address has no host name. It should look like https://api.example.com.", "")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(base, "#"):
		return refuse("The address must end with its path. Remove everything from the ? or # on.", "")
	case !goodPort(u):
		return refuse("The port in the address is not a number from 1 to 65535.", "")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return refuse("Your key would be sent unencrypted. Use https://; plain http:// is only possible to this device (127.0.0.1).", "")
	}
	return nil
}

func goodPort(u *url.URL) bool {
	if strings.HasSuffix(u.Host, ":") {
		return false
	}
	if u.Port() == "" {
		return true
	}
	var n int
	_, err := fmt.Sscanf(u.Port(), "%d", &n)
	return err == nil && n > 0 && n <= 65535
}

// loopback knows addresses by their bytes; of names only localhost itself, since any other may be pointed elsewhere.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func refuse(message, detail string) *event.Error {
	return &event.Error{Class: event.ClassConfig, Message: message, Detail: detail}
}
