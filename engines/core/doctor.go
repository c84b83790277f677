package core

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"time"

	"keva/agent/budget"
	"keva/agent/doctor"
	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/slot"
	"keva/engines/catalog"
	"keva/engines/userland/plan"
	"keva/platform/diag"
	"keva/platform/network"
)

// Findings runs every check that there is.
func (c *Core) Findings(ctx context.Context) []doctor.Finding { return doctor.Run(ctx, c.checks()) }

// checks are what the doctor looks at, in the order in which a person reads them.
func (c *Core) checks() []doctor.Check {
	const here = "This device"
	list := []doctor.Check{
		// One after the other: there is one slot.
		{ID: "engine", Group: "Engines", Title: "Engines", Run: func(ctx context.Context) (all []doctor.Finding) {
			for _, f := range c.Engines {
				for i, found := range c.checkEngine(ctx, f.ID(), f.Label()) {
					if i == 0 {
						found.ID, found.Title = "engine."+f.ID(), f.Label()
					}
					all = append(all, found)
				}
			}
			return all
		}},
	}
	list = append(list, c.Network.Checks(c.hosts()...)...)
	list = append(list, doctor.Check{ID: "reached", Group: "Network", Title: "Last attempts", Run: c.checkReached})
	list = append(list,
		doctor.Check{ID: "storage", Group: here, Title: "Storage", Run: c.checkStorage},
		doctor.Check{ID: "keyring", Group: here, Title: "Keyring", Run: c.checkKeyring},
		doctor.Check{ID: "log", Group: here, Title: "Log", Run: c.checkLog},
	)
	return append(list, c.device.Checks()...)
}

// one is a single finding.
func one(state doctor.State, says, remedy, detail string) []doctor.Finding {
	return []doctor.Finding{{State: state, Says: says, Remedy: remedy, Detail: detail}}
}

// failed is an error as a finding.
func failed(err error) []doctor.Finding {
	var p *plan.Problem
	var e *event.Error
	switch {
	case errors.As(err, &p):
		return one(doctor.Failed, p.Message, p.Remedy, string(p.Reason)+" "+p.Detail)
	case errors.As(err, &e):
		return one(doctor.Failed, e.Message, "", e.Detail)
	}
	return one(doctor.Failed, err.Error(), "", "")
}

// checkEngine tries an engine out. It takes the slot for that, like everybody; one that is in use is not disturbed.
func (c *Core) checkEngine(ctx context.Context, id, label string) []doctor.Finding {
	wait, cancel := context.WithTimeout(ctx, budget.SlotYield.Time)
	defer cancel()
	lease, err := c.slot.Acquire(wait, slot.Holder{Who: "the doctor", What: label, Since: time.Now().UTC()}, nil)
	var busy *slot.BusyError
	if err != nil && !errors.As(err, &busy) {
		return one(doctor.Unknown, "It was not looked at.", "Try again.", err.Error())
	}
	defer lease.Release()
	found, kind, err := catalog.Problems(ctx, c.options, id, plan.Options{Lease: lease, Full: true})
	if err != nil {
		return failed(err)
	}
	for i, p := range found {
		if kind == plan.KindPack && p.Reason == plan.HashMismatch && p.Weight == plan.Blocks {
			c.toolsAreDamaged()
			found[i].Remedy = "Go back to the list of sessions: Keva mends its tools there, and nothing else is touched."
		}
	}
	if len(found) == 0 && busy != nil {
		return one(doctor.Unknown, "Its files are in order. It was not started: "+busy.Error(), "Look again when nothing runs.", "")
	}
	if len(found) == 0 {
		from := "It starts."
		if kind == plan.KindPack {
			from = "It starts, from the pack."
		}
		return one(doctor.OK, from, "", "")
	}
	states := map[plan.Weight]doctor.State{plan.Blocks: doctor.Failed, plan.Warns: doctor.Warning}
	var list []doctor.Finding
	for i, p := range found {
		state, ok := states[p.Weight]
		if !ok {
			state = doctor.Unknown
		}
		f := doctor.Finding{State: state, Says: p.Message, Remedy: p.Remedy, Detail: strings.TrimSpace(string(p.Reason) + " " + p.Detail)}
		if i > 0 {
			f.ID, f.Title = "engine."+id+"."+string(p.Reason), label+": "+p.Reason.Title()
		}
		list = append(list, f)
	}
	return list
}

// hosts are where the chosen provider is, none for the demo: a doctor that asks strangers would surprise.
func (c *Core) hosts() []string {
	set := c.Settings.Get()
	p, ok := provider.Find(set.Providers, set.Choice(set.Engine).Provider)
	if !ok || p.Key == provider.KeyNone {
		return nil
	}
	base := p.Base(catalog.Kind(set.Engine))
	if base == "" {
		return catalog.Hosts(set.Engine)
	}
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" {
		return nil // the settings say what is wrong with it
	}
	return []string{u.Hostname()}
}

// checkReached says what became of the attempts of this run.
func (c *Core) checkReached(context.Context) []doctor.Finding {
	var list []doctor.Finding
	for _, s := range c.Network.Ledger().Summaries() {
		if s.Purpose == network.DoctorPurpose { // its own attempts stand above, and may be under way just now
			continue
		}
		f := doctor.Finding{ID: "reached." + s.Purpose, Title: purposeTitle(s.Purpose), State: doctor.OK, Says: "The last attempt succeeded."}
		switch {
		case s.Failing:
			f.State, f.Says, f.Detail = doctor.Failed, s.LastFailure.Message, string(s.LastFailure.Class)+" "+s.LastFailure.Detail
		case s.LastSuccess.IsZero():
			f.State, f.Says = doctor.Unknown, "It was tried, and has not ended yet."
		}
		list = append(list, f)
	}
	if len(list) == 0 {
		return one(doctor.Absent, "But for these checks, Keva has asked nobody since it started.", "", "")
	}
	return list
}

// purposeTitle is what attempts were made for, as a title.
func purposeTitle(purpose string) string {
	if purpose == modelsPurpose {
		return "Models and keys"
	}
	if purpose == "" {
		return purpose
	}
	return strings.ToUpper(purpose[:1]) + purpose[1:]
}

func (c *Core) checkStorage(context.Context) []doctor.Finding {
	if err := c.Store.Ephemeral(); err != nil {
		f := failed(err)
		f[0].Says = "Nothing is kept after Keva closes. " + f[0].Says
		return f
	}
	return one(doctor.OK, "Sessions are kept on the disk.", "", "")
}

// checkKeyring asks for a key that nobody has: that it is not there is the answer of a keyring that works.
func (c *Core) checkKeyring(ctx context.Context) []doctor.Finding {
	if _, err := c.Keys.System.Get(ctx, "doctor"); err != nil {
		f := failed(err)
		f[0].State = doctor.Warning // keys can be kept for one run
		return f
	}
	return one(doctor.OK, "Keys are kept in the system's keyring.", "", "")
}

func (c *Core) checkLog(context.Context) []doctor.Finding {
	n, err := c.LogFile.Lost()
	switch {
	case err != nil && n == 0:
		return one(doctor.Warning, "The log is kept in memory only, until Keva closes.", "Check the folder's permissions and the free space.", err.Error())
	case n > 0:
		return one(doctor.Warning, fmt.Sprintf("%d lines of the log could not be written.", n), "Check the free space.", fmt.Sprint(err))
	}
	return one(doctor.OK, "It is written to the disk.", "", "")
}

// Report is the text that may be shared: see diag.Report.
func (c *Core) Report(_ context.Context, found []doctor.Finding) string {
	lost, _ := c.LogFile.Lost() // why is among the findings
	return diag.Report(diag.Source{
		Made: time.Now(), Findings: found, Events: c.events(), Log: c.LogFile.Lines(), LostLog: lost,
		App: append([]diag.Fact{{Name: "Keva", Value: c.version}, {Name: "Go", Value: runtime.Version()}}, c.device.Facts()...),
	}, c.scrubber())
}

func (c *Core) scrubber() *diag.Scrubber {
	return &diag.Scrubber{Known: c.LogFile.Redactor(), Folders: map[string]string{
		"$DATA": c.dirs.Data, "$CACHE": c.dirs.Cache, "$CONFIG": c.dirs.Config, "$STATE": c.dirs.State,
	}}
}

// Save writes a report beside the log.
func (c *Core) Save(text string) (string, error) { return diag.Save(c.dirs.State, text, time.Now()) }
