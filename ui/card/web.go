package card

import (
	"strconv"
	"strings"

	"fyne.io/fyne/v2"

	"keva/agent/event"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// web draws a search or a page that was read.
func (c *card) web(b *draw.Board, r *transcript.Web) float32 {
	layer := b.Layer()
	key, a := r.Key(), &r.Activity
	open := c.actions.open(key, false)
	text := strings.TrimSpace(visible(a.Text))
	l := line{id: key, mark: r.Mark, text: webTitle(a), open: open}
	switch {
	case r.Denied:
		l.right = words("denied", draw.Secondary)
	case r.Mark == transcript.MarkUnknown:
		l.tag, l.tone = mark.Word(r.Mark), mark.Unclear
	case r.Mark == transcript.MarkRunning:
	case a.Action == event.WebSearch && a.ResultsKnown:
		l.right = words(count(len(a.Results), "result", "results"), draw.Secondary)
	}
	l.fold = len(a.Results) > 0 || text != ""
	if l.fold {
		l.tap = c.toggle(key, false)
	} else if a.Action == event.WebOpen && c.actions.OpenURL != nil {
		l.tap = func() { c.actions.OpenURL(a.Query) }
	}
	y := c.header(b, l)
	if !open || !l.fold {
		return surface(b, layer, y)
	}
	for i := range a.Results {
		y = c.result(b, y, i, &a.Results[i])
	}
	if text != "" {
		b.Rule(1, y, b.Width-2)
		y += theme.Space2
		shown, hidden := fold(text, 8, false)
		y += b.Lines(pad, y, b.Width-2*pad, strings.Join(shown, "\n"), draw.Label.In(theme.Muted)) + theme.Space2
		if hidden > 0 && c.actions.ShowOutput != nil {
			y = c.link(b, y, "all", "Show all", func() { c.actions.ShowOutput(a.Query, a.Text) })
		}
	}
	return surface(b, layer, y)
}

func webTitle(a *event.WebActivity) []draw.Span {
	word, what := "Web", one(a.Query)
	switch a.Action {
	case event.WebSearch:
		word = "Searched"
	case event.WebOpen:
		word, what = "Read", host(what)+strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(what, "https://"), "http://"), hostOf(what))
	case event.WebFind:
		word = "Looked for"
	case event.WebUnknown:
	}
	spans := words(word, draw.Strong)
	if what != "" {
		spans = append(spans, draw.Span{Text: " · " + what, Style: draw.Label})
	}
	return spans
}

// hostOf is the host of an address as it is written, to cut it off.
func hostOf(address string) string {
	address = strings.TrimPrefix(strings.TrimPrefix(address, "https://"), "http://")
	name, _, _ := strings.Cut(address, "/")
	return name
}

// result draws one hit: title, and whose page it is.
func (c *card) result(b *draw.Board, y float32, i int, r *event.WebResult) float32 {
	b.Rule(1, y, b.Width-2)
	h1, h2 := theme.LineHeight(theme.Label), theme.LineHeight(theme.Secondary)
	h := max(theme.Touch+theme.Space1, h1+h2+theme.Space4)
	if b.Measuring {
		return y + h
	}
	if c.actions.OpenURL != nil {
		b.Tap("result "+strconv.Itoa(i), 1, y+1, b.Width-2, h-1, draw.TapOptions{
			Label: r.Title + ", " + host(r.URL), Link: true, Tapped: func() { c.actions.OpenURL(r.URL) },
		})
	}
	title := r.Title
	if title == "" {
		title = r.URL
	}
	top := y + (h-h1-h2)/2
	b.Text(pad, top, b.Width-2*pad, h1, one(title), draw.Label, fyne.TextAlignLeading)
	b.Text(pad, top+h1, b.Width-2*pad, h2, visible(host(r.URL)), draw.Secondary, fyne.TextAlignLeading)
	return y + h
}
