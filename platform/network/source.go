package network

import (
	"strings"

	"keva/agent/event"
)

// Origin says where a part of the policy came from.
type Origin string

// The origins, in the order in which they are asked: the first one that says something about proxies decides all of it.
const (
	OriginSetting     Origin = "setting"     // the user, in Keva
	OriginSystem      Origin = "system"      // the device: Android's default proxy
	OriginEnvironment Origin = "environment" // HTTPS_PROXY and its relatives
	OriginNone        Origin = "none"        // nobody said anything: direct
)

// Label is o for people.
func (o Origin) Label() string {
	switch o {
	case OriginSetting:
		return "Keva's settings"
	case OriginSystem:
		return "the device's network settings"
	case OriginEnvironment:
		return "the environment"
	case OriginNone:
		return "nobody"
	}
	return string(o)
}

// Mode is what a source says about proxies.
type Mode string

// The modes.
const (
	Unsaid  Mode = ""       // nothing: the next source is asked
	Direct  Mode = "direct" // no proxy, whatever the sources below say
	Proxied Mode = "proxy"  // the proxies of the Config
)

// Config is what a source says, as it was found: nothing in it is trusted to be valid.
type Config struct {
	Mode Mode
	// HTTP and HTTPS are the proxies for addresses of these schemes, as URL or host:port; "" = direct.
	HTTP, HTTPS string
	// NoProxy lists what is reached directly, as NO_PROXY does. Spaces count as commas.
	NoProxy string
	// PAC is the address of a proxy script. Keva can't run one: it is told, never ignored.
	PAC string
	// CABundle is a PEM file of certificates to trust beside the system's; "" = none. The first source that names one wins,
	// independently of the proxies.
	CABundle string
}

// Source is one place where a policy may be said. Read is called on every reload, from one goroutine at a time. An error
// means that it is not known whether there is a proxy: then nothing is dialled before a reload succeeds.
type Source interface {
	Origin() Origin
	Read() (Config, error)
}

type source struct {
	origin Origin
	read   func() (Config, error)
}

func (s source) Origin() Origin        { return s.origin }
func (s source) Read() (Config, error) { return s.read() }

// Environment reads the usual variables through get (os.Getenv). Lower case wins over upper case, as in curl and Go;
// ALL_PROXY stands in for the two others.
func Environment(get func(string) string) Source {
	first := func(names ...string) string {
		for _, n := range names {
			if v := strings.TrimSpace(get(n)); v != "" {
				return v
			}
		}
		return ""
	}
	return source{OriginEnvironment, func() (Config, error) {
		c := Config{
			HTTPS:    first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"),
			HTTP:     first("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"),
			NoProxy:  first("no_proxy", "NO_PROXY"),
			CABundle: first("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"),
		}
		if c.HTTP != "" || c.HTTPS != "" {
			c.Mode = Proxied
		}
		return c, nil
	}}
}

// Setting is what the user chose. The zero value leaves it to the device and the environment.
type Setting struct {
	Mode     Mode
	Proxy    string // of Proxied: for both schemes
	NoProxy  string // of Proxied
	CABundle string
}

// UserSetting reads the user's choice. Proxied without a proxy is an error of the user's, not a way to go direct.
func UserSetting(get func() Setting) Source {
	return source{OriginSetting, func() (Config, error) {
		s := get()
		if s.Mode == Proxied && strings.TrimSpace(s.Proxy) == "" {
			return Config{}, &event.Error{
				Class: event.ClassConfig, Message: "A proxy is switched on in Keva's settings, but it has no address. Write its address, or choose another mode.",
			}
		}
		return Config{Mode: s.Mode, HTTP: s.Proxy, HTTPS: s.Proxy, NoProxy: s.NoProxy, CABundle: s.CABundle}, nil
	}}
}

// DefaultProxy is the proxy of Android's active network (ConnectivityManager.getDefaultProxy, a ProxyInfo).
type DefaultProxy struct {
	Host       string
	Port       int
	Exclusions []string // as Android lists them: names, with * in front for all below
	PAC        string   // address of a script
}

// System reads the device's own proxy. get returns false when the network has none. Android takes an excluded name exactly,
// NO_PROXY takes all below it too: nothing in between can be said in it, so what is excluded is the wider.
func System(get func() (DefaultProxy, bool, error)) Source {
	return source{OriginSystem, func() (Config, error) {
		p, found, err := get()
		if err != nil || !found {
			return Config{}, err
		}
		c := Config{Mode: Proxied, PAC: p.PAC, NoProxy: strings.Join(p.Exclusions, ",")}
		if p.Host != "" {
			c.HTTP = hostPort(p.Host, p.Port)
			c.HTTPS = c.HTTP
		}
		if c.HTTP == "" && c.PAC == "" {
			c.Mode = Unsaid
		}
		return c, nil
	}}
}
