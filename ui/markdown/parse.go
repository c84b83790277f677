package markdown

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

const (
	// maxSource is how much is read as Markdown, in bytes. A block that is longer is no prose, and some hostile ones cost
	// their square: it is drawn as it is. Code may be longer.
	maxSource = 16 << 10
	// maxDepth is how deep quotes and lists are nested; what is deeper becomes text.
	maxDepth = 12
)

var reader = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify, extension.TaskList)).Parser()

// Parse reads the source of one or more blocks. What it can't read as Markdown it gives back as text, so nothing is lost.
func Parse(source string) []Block {
	if strings.TrimSpace(source) == "" {
		return nil
	}
	if code, ok := longCode(source); ok {
		return []Block{code}
	}
	if len(source) > maxSource || hostile(source) {
		return []Block{Paragraph{[]Inline{{Text: strings.Trim(source, "\n")}}}}
	}
	src := []byte(source)
	p := &parse{src: src}
	return p.blocks(reader.Parse(text.NewReader(src)), 0)
}

// longCode reads a block of code that is longer than maxSource: its first line opens it, and its last one may close it.
func longCode(source string) (Code, bool) {
	source = strings.TrimLeft(source, "\n")
	if len(source) <= maxSource || !strings.HasPrefix(source, "```") && !strings.HasPrefix(source, "~~~") {
		return Code{}, false
	}
	first, rest, _ := strings.Cut(source, "\n")
	language := strings.TrimLeft(first, first[:1])
	fence := first[:len(first)-len(language)]
	rest = strings.TrimRight(rest, "\n ")
	if text, ok := strings.CutSuffix(rest, "\n"+fence); ok {
		rest = text
	}
	language, _, _ = strings.Cut(strings.TrimSpace(language), " ")
	return Code{Language: language, Text: rest}, true
}

// hostile reports nesting that no reader of Markdown handles well: nobody quotes a quote forty times.
func hostile(source string) bool {
	for line := range strings.Lines(source) {
		marks := 0
		for _, c := range line {
			switch c {
			case ' ', '\t':
				continue
			case '>', '-', '*', '+', '[':
				marks++
				continue
			}
			break
		}
		if marks > 200 && strings.Trim(line, "-*_= \t\r\n") != "" {
			return true
		}
	}
	return false
}

type parse struct{ src []byte }

func (p *parse) blocks(parent ast.Node, depth int) []Block {
	var out []Block
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if b := p.block(n, depth); b != nil {
			out = append(out, b)
		}
	}
	return out
}

func (p *parse) block(n ast.Node, depth int) Block {
	if depth > maxDepth {
		return Paragraph{[]Inline{{Text: p.source(n)}}}
	}
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		return Paragraph{p.inlines(n)}
	case *ast.Heading:
		return Heading{Level: n.Level, Text: p.inlines(n)}
	case *ast.List:
		return p.list(n, depth)
	case *ast.Blockquote:
		return Quote{p.blocks(n, depth+1)}
	case *ast.FencedCodeBlock:
		return Code{Language: string(n.Language(p.src)), Text: p.code(n)}
	case *ast.CodeBlock:
		return Code{Text: p.code(n)}
	case *ast.ThematicBreak:
		return Rule{}
	case *ast.HTMLBlock:
		html := p.lines(n)
		if n.HasClosure() {
			html += string(n.ClosureLine.Value(p.src))
		}
		return Paragraph{[]Inline{{Text: strings.TrimRight(html, "\n"), Code: true}}}
	case *east.Table:
		return p.table(n)
	}
	return Paragraph{[]Inline{{Text: p.source(n)}}}
}

func (p *parse) list(n *ast.List, depth int) Block {
	l := List{Ordered: n.IsOrdered(), Start: n.Start}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		item := Item{}
		if first := c.FirstChild(); first != nil {
			if box, ok := first.FirstChild().(*east.TaskCheckBox); ok {
				item.Task = OpenTask
				if box.IsChecked {
					item.Task = DoneTask
				}
			}
		}
		item.Blocks = p.blocks(c, depth+1)
		l.Items = append(l.Items, item)
	}
	return l
}

func (p *parse) table(n *east.Table) Block {
	t := Table{}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []Cell
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, p.inlines(c))
		}
		if _, ok := row.(*east.TableHeader); ok {
			t.Head = cells
			continue
		}
		for len(cells) < len(t.Head) {
			cells = append(cells, nil)
		}
		t.Rows = append(t.Rows, cells[:len(t.Head)])
	}
	return t
}

func (p *parse) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		b.Write(s.Value(p.src))
	}
	return b.String()
}

func (p *parse) code(n ast.Node) string { return strings.TrimRight(p.lines(n), "\n") }

// source is what a node and those in it were read from, as far as it is known.
func (p *parse) source(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Type() == ast.TypeBlock && n.Lines() != nil {
			b.WriteString(p.lines(n))
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimRight(b.String(), "\n")
}
