// Package update looks whether there is a newer version: a manifest, signed with a key that this build knows, at an address
// that the user or the distributor sets. Without an address nothing is asked. It downloads and installs nothing.
//
// Every attempt leaves a trace: when it was, when one last succeeded, and why not (paper §5.5: "the failure nobody
// logged"). It must never take silence for "up to date", and never reach the network around the policy.
package update

import (
	stdcontext "context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/platform/network"
)

// Purpose is what the attempts are filed under in the ledger of the network.
const Purpose = "update check"

// Class is why a check failed: one of the network's, or one of these.
type Class string

// The classes beside the network's.
const (
	Malformed Class = "malformed" // not a manifest
	Unsigned  Class = "signature" // not signed by the key
	Replayed  Class = "replayed"  // older than what was seen before
	Expired   Class = "expired"   // nobody published for too long, or an old one is shown to us
	TooLong   Class = "too_long"
	Address   Class = "address" // the address or the key can't work
	Storage   Class = "storage" // the state can't be kept
)

// Failure is why a check failed.
type Failure struct {
	Class  Class
	Detail string
	said   string
	cause  error
}

func (f *Failure) Error() string { return f.Sentence() }

// Unwrap is the network's failure, when it was one.
func (f *Failure) Unwrap() error { return f.cause }

// Sentence says what happened and what to do.
func (f *Failure) Sentence() string {
	if f.said != "" {
		return f.said
	}
	switch f.Class {
	case Malformed:
		return "What came from the update address is not a description of a version. Check the address."
	case Unsigned:
		return "What came from the update address is not signed by Keva's key, so nothing of it is believed. Check the address and the network."
	case Replayed:
		return "The update address shows an older description than before. Somebody may be holding updates back; try on another network."
	case Expired:
		return "The description at the update address has expired, so it does not tell whether there is a newer version. Try again later, or on another network."
	case TooLong:
		return "What came from the update address is too long for a description of a version. Check the address."
	case Address:
		return "The update address or its key can't work. Give an https address and the key that belongs to it."
	case Storage:
		return "The result of the update check can't be kept. Check free space and permissions of Keva's data folder."
	}
	return "The update check failed: " + f.Detail
}

// Event is the failure as the rest of the app takes it.
func (f *Failure) Event() *event.Error {
	class := event.ClassNetwork
	if f.Class == Address || f.Class == Storage {
		class = event.ClassConfig
	}
	return &event.Error{Class: class, Message: f.Sentence(), Detail: string(f.Class) + ": " + f.Detail}
}

// Kind is what is known about updates.
type Kind string

// The kinds. There is none for "probably fine".
const (
	Off     Kind = "off"        // no address is set: nothing is asked
	Current Kind = "up_to_date" // asked, and nothing newer is published
	Newer   Kind = "newer"
	Unknown Kind = "unknown" // never asked, or the last check failed
)

// Result is what is known, for the screen.
type Result struct {
	Kind        Kind
	Version     string // of Newer
	Notes, Page string // of Newer
	Published   time.Time
	LastAttempt time.Time // zero = never
	LastSuccess time.Time
	Failure     *Failure // of Unknown; nil when nothing was tried yet
}

// Config is where to look. Key is the base64 of an ed25519 public key.
type Config struct{ Address, Key string }

// Options say what a checker works with.
type Options struct {
	Policy  *network.Policy
	Config  func() Config // as it is now; an empty address switches the check off
	Version string        // of this build
	State   string        // path of the state file
	Log     zerolog.Logger
	Clock   func() time.Time
}

// Checker looks for updates when asked. It is safe for concurrent use.
type Checker struct {
	opt  Options
	one  sync.Mutex // one check at a time
	mu   sync.Mutex
	kept State
}

// New reads what earlier runs left. A damaged state is told and begins anew: then a replay can't be noticed once.
func New(o Options) (*Checker, *event.Notice) {
	if o.Clock == nil {
		o.Clock = func() time.Time { return time.Now().UTC() }
	}
	c := &Checker{opt: o}
	var err error
	if c.kept, err = load(o.State); err != nil {
		o.Log.Warn().Err(err).Msg("update state")
		return c, &event.Notice{
			Level: event.LevelWarning, Text: "What Keva knew about updates is damaged or can't be read. It starts anew with the next check.",
			Detail: err.Error(),
		}
	}
	return c, nil
}

// Result is what is known without asking.
func (c *Checker) Result() Result {
	c.mu.Lock()
	s := c.kept
	c.mu.Unlock()
	conf := c.opt.Config()
	r := Result{Kind: Unknown, LastAttempt: s.LastAttempt, LastSuccess: s.LastSuccess}
	switch {
	case conf.Address == "":
		r.Kind = Off
	case s.Address != digest(conf.Address): // what another address said is not this one's word
		r.LastAttempt, r.LastSuccess = time.Time{}, time.Time{}
	case s.Failure != "":
		r.Failure = &Failure{Class: s.Failure, said: s.Sentence}
	case s.Found != nil:
		c.judge(&r, *s.Found)
	}
	return r
}

// Due reports whether it is time to look again without being asked: an address is set, and the last attempt is old enough.
// One of the future was made by a wrong clock, and must not put the next one off until then.
func (c *Checker) Due() bool {
	r := c.Result()
	age := c.opt.Clock().Sub(r.LastAttempt)
	return r.Kind != Off && (age < 0 || age >= budget.UpdateEvery.Time)
}

// judge compares m with this build. A manifest that has expired since says nothing.
func (c *Checker) judge(r *Result, m Manifest) {
	there, ok := parse(m.Version)
	here, known := parse(c.opt.Version)
	switch {
	case !ok || !known:
		r.Failure = &Failure{Class: Malformed, Detail: "versions " + m.Version + " and " + c.opt.Version}
	case newer(there, here):
		r.Kind, r.Version, r.Notes, r.Page, r.Published = Newer, m.Version, m.Notes, m.Page, m.Published
	case c.opt.Clock().After(m.Expires):
		r.Failure = &Failure{Class: Expired, Detail: m.Expires.Format(time.RFC3339)}
	default:
		r.Kind, r.Published = Current, m.Published
	}
}

// Check asks now. Whatever happens is in the Result and kept; a failure is also one line of the log and, when it was not
// the network's own, which is there already, one record in its ledger.
func (c *Checker) Check(ctx stdcontext.Context) Result {
	c.one.Lock()
	defer c.one.Unlock()
	conf := c.opt.Config()
	if conf.Address == "" {
		return c.Result()
	}
	begin := c.opt.Clock()
	m, f := c.fetch(ctx, conf)
	c.mu.Lock()
	next := c.kept
	if next.Address != digest(conf.Address) { // another publisher counts by itself
		next = State{Address: digest(conf.Address)}
	}
	next.LastAttempt, next.Failure, next.Sentence = begin, "", ""
	if f == nil && m.Sequence < next.Sequence {
		f = &Failure{Class: Replayed, Detail: "a lower sequence than seen before"}
	}
	if f == nil && begin.After(m.Expires) {
		f = &Failure{Class: Expired, Detail: m.Expires.Format(time.RFC3339)}
	}
	if f == nil {
		next.LastSuccess, next.Sequence, next.Found = c.opt.Clock(), m.Sequence, &m
	} else {
		next.Failure, next.Sentence = f.Class, f.Sentence()
	}
	c.kept = next
	c.mu.Unlock()
	if f != nil {
		c.report(begin, conf, f)
	}
	r := c.Result()
	r.Failure = f
	if err := save(c.opt.State, next); err != nil {
		lost := &Failure{Class: Storage, Detail: err.Error(), cause: err}
		c.report(begin, conf, lost)
		if r.Failure == nil {
			r.Failure = lost // beside a result that holds
		}
	}
	return r
}

// report leaves the trace of a failure that the network does not know of.
func (c *Checker) report(begin time.Time, conf Config, f *Failure) {
	var net *network.Failure
	if errors.As(f, &net) {
		return
	}
	host := ""
	if u, err := url.Parse(conf.Address); err == nil {
		host = u.Host
	}
	c.opt.Policy.Ledger().Report(Purpose, host, begin, network.Class(f.Class), f.Sentence(), f.Detail)
}

func (c *Checker) fetch(ctx stdcontext.Context, conf Config) (Manifest, *Failure) {
	u, err := url.Parse(strings.TrimSpace(conf.Address))
	if err != nil || u.Host == "" || u.Scheme != "https" || u.User != nil {
		return Manifest{}, &Failure{Class: Address, Detail: "not an https address"}
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(conf.Key))
	if err != nil || len(key) != ed25519.PublicKeySize {
		return Manifest{}, &Failure{Class: Address, Detail: "not an ed25519 public key"}
	}
	ctx, cancel := stdcontext.WithTimeout(ctx, budget.UpdateCheck.Time)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Manifest{}, &Failure{Class: Address, Detail: "not an address"}
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "Keva") // no version, no device: nobody is counted
	resp, err := c.opt.Policy.Client(network.Use{Purpose: Purpose}).Do(req)
	if err != nil {
		return Manifest{}, ofNetwork(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		class := network.ClassHTTPStatus
		f := &network.Failure{Class: class, Host: u.Host, Status: resp.StatusCode, Detail: resp.Status}
		if resp.StatusCode < 400 { // the network saw nothing wrong in it
			return Manifest{}, &Failure{Class: Class(class), Detail: resp.Status, said: f.Sentence()}
		}
		return Manifest{}, ofNetwork(f)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, budget.UpdateManifest.Size+1))
	switch {
	case err != nil:
		return Manifest{}, ofNetwork(err)
	case int64(len(data)) > budget.UpdateManifest.Size:
		return Manifest{}, &Failure{Class: TooLong, Detail: "more than the budget"}
	}
	return open(data, key)
}

// ofNetwork keeps the class that the network gave.
func ofNetwork(err error) *Failure {
	var f *network.Failure
	if errors.As(err, &f) {
		return &Failure{Class: Class(f.Class), Detail: f.Detail, said: f.Sentence(), cause: f}
	}
	return &Failure{Class: Class(network.ClassOther), Detail: err.Error()}
}
