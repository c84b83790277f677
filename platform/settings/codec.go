package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"keva/agent/provider"
	"keva/agent/trust"
)

// fields is the stored form: one JSON object. Fields that this version does not know stay in it as they are.
type fields map[string]json.RawMessage

// Names of the fields. fieldDropped keeps, by field, what could not be used: it is the user's, so it is not thrown away.
const (
	fieldEngine    = "engine"
	fieldChoices   = "choices"
	fieldProviders = "providers"
	fieldTheme     = "theme"
	fieldTextSize  = "text_size"
	fieldMotion    = "reduced_motion"
	fieldLastDir   = "last_dir"
	fieldConsents  = "consents"
	fieldUserland  = "userland"
	fieldNetwork   = "network"
	fieldUpdate    = "update"
	fieldDropped   = "dropped"
)

// dropped is a stored value that could not be used.
type dropped struct {
	Name string
	Raw  json.RawMessage
	Why  string
}

// decode reads what was stored. It always gives usable settings.
func decode(stored json.RawMessage, engines []Engine) (Settings, fields, []dropped) {
	s := Defaults(engines)
	f := fields{}
	if len(stored) == 0 {
		return s, f, nil
	}
	if err := json.Unmarshal(stored, &f); err != nil || f == nil {
		raw, err := json.Marshal(string(stored))
		if err != nil {
			raw = nil // a string always has JSON
		}
		return s, fields{}, []dropped{{"everything", raw, "it is not a JSON object"}}
	}
	d := decoder{fields: f}
	read(&d, fieldEngine, &s.Engine, func(v string) error { return known(v, engines) })
	read(&d, fieldTheme, &s.Theme, func(v Theme) error { return valid(v.Valid(), v) })
	read(&d, fieldTextSize, &s.TextSize, func(v TextSize) error { return valid(v.Valid(), v) })
	read(&d, fieldUserland, &s.Userland, func(v Userland) error { return valid(v.Valid(), v) })
	read(&d, fieldMotion, &s.ReducedMotion, nil)
	read(&d, fieldLastDir, &s.LastDir, func(v string) error { return valid(v == "" || usableDir(v), v) })
	before := len(d.dropped)
	if read(&d, fieldNetwork, &s.Network, Network.check); len(d.dropped) > before {
		s.Network = Network{Mode: "proxy"} // which has no address: nothing goes direct that was not to
	}
	read(&d, fieldUpdate, &s.Update, nil)
	d.consents(&s)
	d.providers(&s)
	d.choices(&s, engines)
	return s, f, d.dropped
}

type decoder struct {
	fields  fields
	dropped []dropped
}

func (d *decoder) drop(name string, raw json.RawMessage, why error) {
	d.dropped = append(d.dropped, dropped{name, raw, why.Error()})
}

// read sets *to when the field is there and good; else *to stays as it is.
func read[T any](d *decoder, name string, to *T, check func(T) error) {
	raw, ok := d.fields[name]
	if !ok {
		return
	}
	var v T
	err := strict(raw, &v)
	if err == nil && check != nil {
		err = check(v)
	}
	if err != nil {
		d.drop(name, raw, err)
		return
	}
	*to = v
}

// strict refuses null, which encoding/json takes as "no change".
func strict(raw json.RawMessage, v any) error {
	if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return errors.New("it is null")
	}
	return json.Unmarshal(raw, v)
}

// consents keeps what can be used: one that can't is no consent, so its project asks again.
func (d *decoder) consents(s *Settings) {
	var list []json.RawMessage
	read(d, fieldConsents, &list, nil)
	for _, raw := range list {
		var c trust.Consent
		err := strict(raw, &c)
		if err == nil {
			err = checkConsent(c)
		}
		if err != nil {
			d.drop(fieldConsents, raw, err)
			continue
		}
		s.Consents = trust.Put(s.Consents, c)
	}
}

func checkConsent(c trust.Consent) error {
	if c.Hash == "" || len(c.Entries) == 0 {
		return errors.New("it does not say what was agreed to")
	}
	return valid(usableDir(c.Dir) && filepath.Clean(c.Dir) == c.Dir, c.Dir)
}

// providers takes over the user's own providers as they are, if they can work at all; everything else is the app's.
func (d *decoder) providers(s *Settings) {
	var list []json.RawMessage
	read(d, fieldProviders, &list, nil)
	var stored []provider.Provider
	for _, raw := range list {
		var head struct {
			ID string `json:"id"`
		}
		// The app's own entries are not read, so it does not matter what is in them.
		if err := json.Unmarshal(raw, &head); err == nil && !provider.Owned(head.ID) {
			continue
		}
		var p provider.Provider
		err := strict(raw, &p)
		if err == nil {
			err = provider.Check(p)
		}
		if err != nil {
			d.drop("provider", raw, err)
			continue
		}
		stored = append(stored, p)
	}
	s.Providers = provider.Hydrate(stored)
}

// choices keeps those of engines that this build does not have: another build may.
func (d *decoder) choices(s *Settings, engines []Engine) {
	var stored map[string]json.RawMessage
	read(d, fieldChoices, &stored, nil)
	for id, raw := range stored {
		i := slices.IndexFunc(engines, func(e Engine) bool { return e.ID == id })
		var c Choice
		err := strict(raw, &c)
		switch {
		case err != nil:
		case i < 0:
			s.Choices[id] = c
			continue
		default:
			c, err = align(c, engines[i], s.Providers)
		}
		if err != nil {
			d.drop("choice for "+id, raw, err)
			continue
		}
		s.Choices[id] = c
	}
	slices.SortStableFunc(d.dropped, func(a, b dropped) int { return strings.Compare(a.Name, b.Name) })
}

// align brings a choice in line with what exists now. A retired model moves to its successor or the default; a provider
// that is gone, or that the engine can't use, is an error.
func align(c Choice, e Engine, list []provider.Provider) (Choice, error) {
	p, ok := provider.Find(list, c.Provider)
	if !ok {
		return c, fmt.Errorf("there is no provider %q", c.Provider)
	}
	if !p.Speaks(e.Kind) {
		return c, fmt.Errorf("%s does not speak %s", p.Name, e.Kind.Label())
	}
	c.Model = provider.Align(p, e.Kind, c.Model)
	c.Effort = provider.AlignEffort(p, e.Kind, c.Model, c.Effort)
	return c, nil
}

// encode writes s into f, beside the fields that are not ours.
func encode(s Settings, f fields, lost []dropped) (json.RawMessage, error) {
	out := fields{}
	for k, v := range f {
		out[k] = v
	}
	for name, v := range map[string]any{
		fieldEngine: s.Engine, fieldChoices: s.Choices, fieldProviders: s.Providers, fieldTheme: s.Theme,
		fieldTextSize: s.TextSize, fieldMotion: s.ReducedMotion, fieldLastDir: s.LastDir, fieldConsents: s.Consents,
		fieldUserland: s.Userland, fieldNetwork: s.Network, fieldUpdate: s.Update,
	} {
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("settings: %s: %w", name, err)
		}
		out[name] = raw
	}
	if s.Consents == nil {
		delete(out, fieldConsents)
	}
	if len(lost) > 0 {
		kept := map[string]json.RawMessage{}
		if err := json.Unmarshal(out[fieldDropped], &kept); err != nil || kept == nil {
			kept = map[string]json.RawMessage{} // not ours, or not there
		}
		for _, d := range lost {
			kept[d.Name] = d.Raw
		}
		raw, err := json.Marshal(kept)
		if err != nil {
			return nil, fmt.Errorf("settings: %s: %w", fieldDropped, err)
		}
		out[fieldDropped] = raw
	}
	return json.Marshal(out)
}

func known(id string, engines []Engine) error {
	return valid(slices.ContainsFunc(engines, func(e Engine) bool { return e.ID == id }), id)
}

func valid[T ~string](ok bool, v T) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%q is not possible", string(v))
}

func usableDir(dir string) bool { return filepath.IsAbs(dir) && !strings.ContainsRune(dir, 0) }
