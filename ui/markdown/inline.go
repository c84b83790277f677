package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

func (p *parse) inlines(n ast.Node) []Inline {
	w := &inlines{p: p}
	w.children(n, Inline{}, 0)
	// A break at the end moves nothing.
	if n := len(w.out); n > 0 {
		w.out[n-1].Text = strings.TrimRight(w.out[n-1].Text, "\n ")
	}
	return w.out
}

type inlines struct {
	p   *parse
	out []Inline
}

// put adds text of a kind, to the run before it when that is of the same kind.
func (w *inlines) put(text string, kind Inline) {
	if text == "" {
		return
	}
	if n := len(w.out); n > 0 {
		last := w.out[n-1]
		last.Text = ""
		if last == kind {
			w.out[n-1].Text += text
			return
		}
	}
	kind.Text = text
	w.out = append(w.out, kind)
}

func (w *inlines) children(n ast.Node, kind Inline, depth int) {
	if depth > 40 { // deeper emphasis is not emphasis any more
		w.put(w.p.flat(n), kind)
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, kind, depth)
	}
}

func (w *inlines) node(n ast.Node, kind Inline, depth int) {
	src := w.p.src
	switch n := n.(type) {
	case *ast.Text:
		raw := n.Segment.Value(src)
		if !n.IsRaw() {
			raw = resolve(raw)
		}
		w.put(string(raw), kind)
		switch {
		case n.HardLineBreak():
			w.put("\n", kind)
		case n.SoftLineBreak():
			w.put(" ", kind)
		}
	case *ast.String:
		w.put(string(n.Value), kind)
	case *ast.CodeSpan:
		kind.Code = true
		var b strings.Builder
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				b.Write(t.Segment.Value(src))
			}
		}
		w.put(strings.ReplaceAll(b.String(), "\n", " "), kind)
	case *ast.Emphasis:
		if n.Level >= 2 {
			kind.Bold = true
		} else {
			kind.Italic = true
		}
		w.children(n, kind, depth+1)
	case *east.Strikethrough:
		kind.Strike = true
		w.children(n, kind, depth+1)
	case *ast.Link:
		w.link(n, address(string(resolve(n.Destination))), kind, depth)
	case *ast.Image: // never fetched: the address can be opened like that of a link
		w.put("image: ", kind)
		w.link(n, address(string(resolve(n.Destination))), kind, depth)
	case *ast.AutoLink:
		kind.Link = address(string(n.URL(src)))
		w.put(string(n.Label(src)), kind)
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			w.put(string(s.Value(src)), kind)
		}
	case *east.TaskCheckBox: // drawn as the mark of its item
	default:
		w.put(w.p.flat(n), kind)
	}
}

// link writes what a link shows; the address itself where it shows nothing.
func (w *inlines) link(n ast.Node, to string, kind Inline, depth int) {
	kind.Link = to
	before := len(w.out)
	w.children(n, kind, depth+1)
	if len(w.out) == before && to != "" {
		w.put(to, kind)
	}
}

// flat is the text in a node, without its kinds.
func (p *parse) flat(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(p.src))
			if t.SoftLineBreak() || t.HardLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// resolve undoes backslashes and entities.
func resolve(raw []byte) []byte {
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(raw)))
}

// address is what may be opened: web pages and mail. Everything else (files, intents, scripts) is no link.
func address(to string) string {
	scheme, _, ok := strings.Cut(strings.TrimSpace(to), ":")
	if !ok {
		return ""
	}
	scheme = strings.ToLower(scheme)
	switch scheme {
	case "http", "https", "mailto":
		return strings.TrimSpace(to)
	}
	return ""
}
