package claude

import (
	"encoding/json"
	"strings"

	"keva/agent/event"
)

// webActivity tells what a web tool looked for and found; nil for other tools. structured is false where the engine sent a
// text only, as it does for sub-agents: the addresses of a search are then read from the text.
func webActivity(id string, t *tool, r toolResult, structured bool, text string) *event.WebActivity {
	w := &event.WebActivity{ID: id, Query: t.input.Query, Action: event.WebSearch}
	switch t.name {
	case "WebSearch":
		if structured {
			w.Results, w.Text = searchResults(r.Results)
			w.ResultsKnown = r.Results != nil
		} else {
			w.Results, w.ResultsKnown = linksIn(text)
		}
	case "WebFetch":
		w.Action, w.Query, w.Text = event.WebOpen, t.input.URL, r.Result
		if w.Text == "" {
			w.Text = text
		}
	default:
		return nil
	}
	return w
}

// searchResults reads a list in which groups of hits and remarks alternate.
func searchResults(raw []json.RawMessage) (hits []event.WebResult, text string) {
	for _, r := range raw {
		var remark string
		if json.Unmarshal(r, &remark) == nil {
			text += remark + "\n"
			continue
		}
		var group struct {
			Content []hit `json:"content"`
		}
		if decode(r, &group) == nil {
			hits = append(hits, results(group.Content)...)
		}
	}
	return hits, strings.TrimSpace(text)
}

type hit struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

func results(hits []hit) (out []event.WebResult) {
	for _, h := range hits {
		if h.URL != "" {
			out = append(out, event.WebResult{Title: h.Title, URL: h.URL})
		}
	}
	return out
}

func linksIn(text string) ([]event.WebResult, bool) {
	_, list, ok := strings.Cut(text, "Links: ")
	if !ok {
		return nil, false
	}
	var hits []hit
	if json.NewDecoder(strings.NewReader(list)).Decode(&hits) != nil {
		return nil, false
	}
	return results(hits), true
}
