package settings

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"keva/agent/provider"
)

// draft is a provider of the user's as it stands in the form: all that was typed, also what can't be right.
type draft struct {
	stored   provider.Provider // as it is kept; the zero value for a new one
	name     string
	kinds    []provider.Kind
	address  string
	second   string // the address for OpenAI Responses, where both protocols are spoken and it is another one
	auth     provider.Auth
	standins map[string]string // model ids by the engine's own names
	headers  []string          // lines, name: value
}

// Places of the form, as keys of problems. Headers have headerAt.
const (
	atAddress = "Address"
	atSecond  = "Address for OpenAI Responses"
	atKey     = "API key"
	atWhole   = ""
)

func headerAt(i int) string { return "Header " + strconv.Itoa(i+1) }

// standins are the names that an engine uses by itself.
var standins = []string{"opus", "sonnet", "haiku"}

func draftOf(p provider.Provider) draft {
	d := draft{stored: p, name: p.Name, kinds: slices.Clone(p.Kinds), auth: p.Auth, standins: map[string]string{}}
	maps.Copy(d.standins, p.Aliases)
	if len(d.kinds) > 0 {
		d.address = p.Base(d.kinds[0])
	}
	if d.both() {
		d.address = p.Base(provider.Anthropic)
		if other := p.Base(provider.Responses); other != d.address {
			d.second = other
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
		d.headers = append(d.headers, name+": "+p.Headers[name])
	}
	return d
}

func (d draft) speaks(k provider.Kind) bool { return slices.Contains(d.kinds, k) }
func (d draft) both() bool                  { return d.speaks(provider.Anthropic) && d.speaks(provider.Responses) }

// provider is the draft as it would be kept, and the sentence for each place that can't be right. What is not in the form
// (models, whether a key is needed) stays as it is kept.
func (d draft) provider() (provider.Provider, map[string]string) {
	wrong := map[string]string{}
	say := func(at string, err error) {
		if err != nil && wrong[at] == "" {
			wrong[at] = Sentence(err)
		}
	}
	p := d.stored
	p.Kinds, p.Auth, p.Bases, p.Aliases, p.Headers = slices.Clone(d.kinds), d.auth, nil, nil, nil
	if p.Key == "" {
		p.Key = provider.KeyOptional
	}
	p.BaseURL = strings.TrimSpace(d.address)
	say(atAddress, provider.CheckBaseURL(p.BaseURL))
	if second := strings.TrimSpace(d.second); d.both() && second != "" {
		p.Bases = map[provider.Kind]string{provider.Responses: second}
		say(atSecond, provider.CheckBaseURL(second))
	}
	if p.Name = strings.TrimSpace(d.name); p.Name == "" {
		if u, err := url.Parse(p.BaseURL); err == nil {
			p.Name = u.Host
		}
	}
	for name, model := range d.standins {
		if model = strings.TrimSpace(model); model != "" {
			p.Aliases = put(p.Aliases, name, model)
		}
	}
	seen := map[string]bool{}
	for i, line := range d.headers {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, found := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		at := headerAt(i)
		if err := provider.CheckHeaders(map[string]string{name: value}); err != nil {
			say(at, err)
		} else if !found {
			wrong[at] = "Write the header as name: value."
		} else if seen[strings.ToLower(name)] {
			wrong[at] = "The header " + name + " is there twice. Keep one."
		}
		seen[strings.ToLower(name)] = true
		p.Headers = put(p.Headers, name, value)
	}
	check := p
	if check.ID == "" {
		check.ID = provider.Custom // it gets its own when it is kept
	}
	if len(wrong) == 0 {
		say(atWhole, provider.Check(check))
	}
	return p, wrong
}

func put(m map[string]string, name, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[name] = value
	return m
}

// kindsLabel names the protocols for people.
func kindsLabel(kinds []provider.Kind) string {
	var list []string
	for _, k := range kinds {
		list = append(list, k.Label())
	}
	return strings.Join(list, " and ")
}

// host is an address without what every address has.
func host(base string) string {
	return strings.TrimSuffix(strings.TrimPrefix(base, "https://"), "/")
}
