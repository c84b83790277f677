package network

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"keva/agent/event"
)

func hostPort(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

// parseProxy turns what somebody wrote into a proxy's URL with scheme, host and port. Errors never quote the text: it may
// hold a password.
func parseProxy(text string, from Origin) (*url.URL, *Failure) {
	text = strings.TrimSpace(text)
	wrong := func(why string) *Failure {
		return &Failure{Class: ClassConfig, Detail: why, said: "The proxy from " + from.Label() + " is not usable: " + why + ". Correct it; until then nothing is sent around it."}
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, wrong("its address can't be read")
	}
	switch scheme := strings.ToLower(u.Scheme); {
	case scheme == "http" || scheme == "https":
		u.Scheme = scheme
	case strings.HasPrefix(scheme, "socks"):
		return nil, unsupported(from, "SOCKS proxies")
	case strings.HasPrefix(scheme, "pac"):
		return nil, unsupported(from, "proxy scripts (PAC)")
	default:
		return nil, wrong("its address begins with " + strconv.Quote(scheme) + " instead of http or https")
	}
	switch {
	case u.Hostname() == "":
		return nil, wrong("its address names no host")
	case strings.ContainsAny(u.Hostname(), " \t\r\n\"<>\\^`{|}"):
		return nil, wrong("its address names an impossible host")
	case u.Opaque != "", u.RawQuery != "", u.Fragment != "", u.Path != "" && u.Path != "/":
		return nil, wrong("its address has something behind the host and port")
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return nil, wrong("its port is not one")
	}
	return &url.URL{Scheme: u.Scheme, User: u.User, Host: net.JoinHostPort(u.Hostname(), port)}, nil
}

func unsupported(from Origin, what string) *Failure {
	return &Failure{Class: ClassUnsupported, Detail: what, said: "Keva can't use " + what + ", and one is set in " + from.Label() +
		". Set an HTTP proxy instead. Until then nothing is sent around it."}
}

// parseNoProxy cleans a NO_PROXY list: all readers split it at commas only. Entries that no reader would ever match are
// told, since what the user meant to reach directly goes to the proxy.
func parseNoProxy(text string, from Origin) (string, []*event.Error) {
	var list []string
	var problems []*event.Error
	for _, entry := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t\r\n;", r) }) {
		bad := strings.Contains(strings.TrimPrefix(entry, "*."), "*") && entry != "*"
		if strings.Contains(entry, "/") {
			_, err := netip.ParsePrefix(entry)
			bad = err != nil
		}
		if bad {
			problems = append(problems, &event.Error{
				Class:   event.ClassConfig,
				Message: "The list of addresses without a proxy from " + from.Label() + " has an entry that matches nothing: " + strconv.QuoteToASCII(entry) + ". Write a name, an address, or a network like 10.0.0.0/8.",
			})
			continue
		}
		list = append(list, entry)
	}
	return strings.Join(list, ","), problems
}
