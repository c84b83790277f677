// Package trust says what a project would run or allow by itself, and whether the user has agreed to it. Consent is for
// content: it holds for the very text that was shown, and for nothing that comes later. The package is pure: it reads no
// file and starts nothing.
package trust

import (
	"encoding/json"
	"slices"
)

// Kind says in what way a project would act by itself.
type Kind string

// The kinds.
const (
	KindHook      Kind = "hook"      // a command at certain moments
	KindServer    Kind = "server"    // a tool server (MCP) that is started
	KindHelper    Kind = "helper"    // a program whose output the engine uses: for keys, the status line and so on
	KindAllow     Kind = "allow"     // a rule by which the engine does not ask
	KindEnv       Kind = "env"       // a variable for the engine and its commands
	KindMode      Kind = "mode"      // a setting that changes what is asked about at all
	KindDirectory Kind = "directory" // a folder outside of the project
	KindPlugin    Kind = "plugin"    // code or instructions from elsewhere, and where to get it
	KindText      Kind = "text"      // an agent, skill or command of the project, with what it may run
	KindSchedule  Kind = "schedule"  // prompts that are sent without the user
	KindSetting   Kind = "setting"   // any other setting
)

// Entry is one thing that a project would run or allow.
type Entry struct {
	Engine string `json:"engine"` // id of the engine that would obey it
	Kind   Kind   `json:"kind"`
	Name   string `json:"name,omitempty"` // the moment of a hook, the name of a server or a variable
	Text   string `json:"text"`           // all of what would run or be allowed, as the file has it
	File   string `json:"file"`           // relative to the project, with slashes
	Line   int    `json:"line,omitempty"` // from 1; 0 when it is not known
	// Runs are files of the project that Text names. They are a part of the content that is agreed to.
	Runs []string `json:"runs,omitempty"`
	// Refused says why it stays off even after consent, "" when consent turns it on.
	Refused string `json:"refused,omitempty"`
	// Raw is the setting in JSON, for the engine. What it means is between the scanner and the adapter.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// Offered reports whether consent turns it on.
func (e Entry) Offered() bool { return e.Refused == "" }

// Problem is something that could not be looked at. Nobody can agree to what nobody has seen.
type Problem struct {
	File string `json:"file"`
	Text string `json:"text"` // for people: what is wrong with it
}

// Report is what was found in a project.
type Report struct {
	Dir     string // absolute, links resolved
	Hash    string // of everything that the entries are made of; "" when there is nothing
	Entries []Entry
	// Problems keep consent from being given: the engine might read what the scanner could not.
	Problems []Problem
}

// Empty reports whether the project asks for nothing.
func (r Report) Empty() bool { return len(r.Entries) == 0 && len(r.Problems) == 0 }

// Offered are the entries that consent would turn on; none while there are problems.
func (r Report) Offered() []Entry {
	if len(r.Problems) > 0 {
		return nil
	}
	var list []Entry
	for _, e := range r.Entries {
		if e.Offered() {
			list = append(list, e)
		}
	}
	return list
}

// Consent is what the user has agreed to.
type Consent struct {
	Dir     string  `json:"dir"`
	Hash    string  `json:"hash"`
	Entries []Entry `json:"entries"` // what was shown, so that it can be listed and revoked later
}

// Agree makes the consent to a report; ok is false when it offers nothing. What an engine needs to turn things on is not
// kept: it is always what the project holds now.
func Agree(r Report) (c Consent, ok bool) {
	c = Consent{Dir: r.Dir, Hash: r.Hash, Entries: r.Offered()}
	for i := range c.Entries {
		c.Entries[i].Raw = nil
	}
	return c, len(c.Entries) > 0 && r.Hash != "" && r.Dir != ""
}

// Allowed reports whether consent is for exactly what the report holds.
func Allowed(r Report, c Consent) bool {
	return r.Hash != "" && r.Hash == c.Hash && r.Dir != "" && r.Dir == c.Dir && len(r.Problems) == 0
}

// Granted are the entries of the report that are on: all that are offered, when one of the consents is for it, else none.
func Granted(r Report, consents []Consent) []Entry {
	if slices.ContainsFunc(consents, func(c Consent) bool { return Allowed(r, c) }) {
		return r.Offered()
	}
	return nil
}

// Put adds c to the consents, in the place of an earlier one for the same folder.
func Put(consents []Consent, c Consent) []Consent { return append(Revoke(consents, c.Dir), c) }

// Revoke removes the consent for a folder.
func Revoke(consents []Consent, dir string) []Consent {
	var kept []Consent
	for _, c := range consents {
		if c.Dir != dir {
			kept = append(kept, c)
		}
	}
	return kept
}
