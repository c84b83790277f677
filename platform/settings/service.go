package settings

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"

	"keva/agent/event"
	"keva/agent/provider"
)

// Key is where the settings lie in the store.
const Key = "settings"

// Values is the part of the store that is needed.
type Values interface {
	// Value is nil when nothing was stored.
	Value(ctx context.Context, key string) (json.RawMessage, error)
	PutValue(ctx context.Context, key string, value json.RawMessage) error
}

// Service holds the settings of the running program. It is safe for concurrent use.
type Service struct {
	values  Values
	engines []Engine

	mu     sync.Mutex
	now    Settings
	fields fields // as stored, for what this version does not know
	unread error  // the last read failed: then defaults are in use, and must not overwrite what is stored
}

// Open reads the settings; engines are those of this build, the default first. It always gives a working Service, and
// the notices of Reload.
func Open(ctx context.Context, values Values, engines []Engine) (*Service, []event.Notice) {
	s := &Service{values: values, engines: engines, now: Defaults(engines), fields: fields{}}
	return s, s.Reload(ctx)
}

// Reload reads the settings again: at the start, and after the store went back to disk. What could not be used, or not be
// read, is told by the notices. A repaired or refreshed form is stored at once, so it is told once only.
func (s *Service) Reload(ctx context.Context) []event.Notice {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reload(ctx)
}

func (s *Service) reload(ctx context.Context) []event.Notice {
	stored, err := s.values.Value(ctx, Key)
	if s.unread = err; err != nil {
		return []event.Notice{{
			Level: event.LevelWarning, Class: event.ClassConfig,
			Text:   "Your settings could not be read. Keva uses its defaults for now; start it again to try once more.",
			Detail: err.Error(),
		}}
	}
	var lost []dropped
	s.now, s.fields, lost = decode(stored, s.engines)
	var notices []event.Notice
	if len(lost) > 0 {
		notices = append(notices, tell(lost))
	}
	if len(stored) == 0 {
		return notices // a fresh device has chosen nothing yet
	}
	// Built-in providers are refreshed on every read and stored again (paper §4.8).
	if err := s.store(ctx, s.now, stored, lost); err != nil {
		notices = append(notices, event.Notice{
			Level: event.LevelWarning, Class: event.ClassConfig,
			Text: "Your settings work, but could not be saved again.", Detail: err.Error(),
		})
	}
	return notices
}

func tell(lost []dropped) event.Notice {
	var names, details []string
	for _, d := range lost {
		if len(names) == 0 || names[len(names)-1] != d.Name {
			names = append(names, d.Name)
		}
		details = append(details, d.Name+": "+d.Why)
	}
	return event.Notice{
		Level: event.LevelWarning, Class: event.ClassConfig,
		Text:   "Some stored settings can't be used and were set to their defaults: " + strings.Join(names, ", ") + ". Check them in the settings.",
		Detail: strings.Join(details, "\n"),
	}
}

// Get returns the settings; the caller owns them.
func (s *Service) Get() Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now.clone()
}

// Update changes the settings and stores them. Nothing is changed when it returns an error: a *event.Error for what the
// user must correct, else what the store said.
func (s *Service) Update(ctx context.Context, change func(*Settings)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unread != nil {
		if s.reload(ctx); s.unread != nil {
			return s.unread
		}
	}
	next := s.now.clone()
	change(&next)
	if err := s.check(&next); err != nil {
		return err
	}
	if err := s.store(ctx, next, nil, nil); err != nil {
		return err
	}
	s.now = next.clone()
	return nil
}

// check makes next consistent, or says what is wrong.
func (s *Service) check(next *Settings) error {
	refuse := func(message string, err error) error {
		return &event.Error{Class: event.ClassConfig, Message: message, Detail: err.Error()}
	}
	if err := known(next.Engine, s.engines); err != nil {
		return refuse("This engine does not exist. Choose another one.", err)
	}
	if err := valid(next.Theme.Valid(), next.Theme); err != nil {
		return refuse("This theme does not exist. Choose another one.", err)
	}
	if err := valid(next.TextSize.Valid(), next.TextSize); err != nil {
		return refuse("This text size does not exist. Choose another one.", err)
	}
	if err := valid(next.Userland.Valid(), next.Userland); err != nil {
		return refuse("Engines can't come from there. Choose this computer or the pack.", err)
	}
	if err := next.Network.check(); err != nil {
		return refuse("This network setting can't be kept.", err)
	}
	if dir := next.LastDir; dir != "" {
		if err := valid(usableDir(dir), dir); err != nil {
			return refuse("A folder must be given with its whole path.", err)
		}
	}
	for _, c := range next.Consents {
		if err := checkConsent(c); err != nil {
			return refuse("This consent can't be kept. Look at what the project would run once more.", err)
		}
	}
	for _, p := range next.Providers {
		if !p.Owned() {
			continue // the app's: whatever is there is replaced
		}
		if err := provider.Check(p); err != nil {
			return err
		}
	}
	next.Providers = provider.Hydrate(next.Providers)
	if next.Choices == nil {
		next.Choices = map[string]Choice{}
	}
	for _, e := range s.engines {
		c, ok := next.Choices[e.ID]
		if !ok {
			c = Choice{Provider: provider.Demo}
		}
		c, err := align(c, e, next.Providers)
		if err != nil && c == s.now.Choices[e.ID] {
			// Not what was chosen now: the user's own provider speaks another protocol from now on, or is gone.
			c, err = Choice{Provider: provider.Demo}, nil
		}
		if err != nil {
			return refuse("This provider can't be used with this engine. Choose another one.", err)
		}
		next.Choices[e.ID] = c
	}
	return nil
}

// store writes next unless it is what is stored already.
func (s *Service) store(ctx context.Context, next Settings, stored json.RawMessage, lost []dropped) error {
	raw, err := encode(next, s.fields, lost)
	if err != nil {
		return err
	}
	if bytes.Equal(raw, stored) {
		return nil
	}
	if err := s.values.PutValue(ctx, Key, raw); err != nil {
		return err
	}
	f := fields{}
	if err := json.Unmarshal(raw, &f); err != nil {
		return err // we wrote it just now
	}
	s.fields = f
	return nil
}
