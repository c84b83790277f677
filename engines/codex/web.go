package codex

import (
	"encoding/json"

	"keva/agent/event"
)

// web tells what a finished webSearch item did. The engine sent no results so far (results was always null); if they
// come, they are read as far as title and address are given.
func web(it *wireItem) event.WebActivity {
	w := event.WebActivity{ID: it.ID, Query: it.Query, Action: event.WebUnknown}
	if a := it.Action; a != nil {
		switch a.Type {
		case "search":
			w.Action = event.WebSearch
			if a.Query != "" {
				w.Query = a.Query
			}
		case "openPage":
			w.Action = event.WebOpen
			if a.URL != "" {
				w.Query = a.URL
			}
		case "findInPage":
			w.Action = event.WebFind
		}
	}
	var results []struct {
		Title   string `json:"title"`
		URL     string `json:"url"`
		Snippet string `json:"snippet"`
	}
	if len(it.Results) == 0 || string(it.Results) == "null" {
		return w
	}
	if !params(it.Results, &results) {
		return w
	}
	w.ResultsKnown = true
	for _, r := range results {
		w.Results = append(w.Results, event.WebResult{Title: r.Title, URL: r.URL, Snippet: r.Snippet})
	}
	return w
}

// limits reads the provider's usage windows. Missing windows are not known, and not "0 %": then there is no event.
func limits(raw json.RawMessage) ([]event.Limit, bool) {
	var p limitsParams
	if !params(raw, &p) {
		return nil, false
	}
	var out []event.Limit
	for _, w := range []*limitWindow{p.RateLimits.Primary, p.RateLimits.Secondary} {
		if w == nil {
			continue
		}
		l := event.Limit{Name: windowName(w.Minutes), UsedPercent: -1, ResetsAt: w.ResetsAt}
		if w.UsedPercent != nil {
			l.UsedPercent = *w.UsedPercent
			l.Reached = *w.UsedPercent >= 100
		}
		out = append(out, l)
	}
	if p.RateLimits.ReachedType != "" {
		reached := false
		for _, l := range out {
			reached = reached || l.Reached
		}
		if !reached {
			out = append(out, event.Limit{Name: p.RateLimits.ReachedType, UsedPercent: -1, Reached: true})
		}
	}
	return out, true
}
