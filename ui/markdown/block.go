// Package markdown reads Markdown as engines write it (GitHub's kind) into blocks, and draws them. It must never fetch
// anything: an image is a link, raw HTML is text. Hostile input costs time in proportion to its length, and never a crash.
package markdown

// Block is one block of a text. The set is sealed.
type Block interface{ sealed() }

// Paragraph is running text.
type Paragraph struct{ Text []Inline }

// Heading is a title; Level is 1 to 6.
type Heading struct {
	Level int
	Text  []Inline
}

// List is a list of items. Start is the first number of an ordered one.
type List struct {
	Ordered bool
	Start   int
	Items   []Item
}

// Item is one item of a list.
type Item struct {
	Task   Task
	Blocks []Block
}

// Task says whether an item is a box to tick.
type Task int

// The kinds of item.
const (
	NoTask Task = iota
	OpenTask
	DoneTask
)

// Quote is what somebody else said.
type Quote struct{ Blocks []Block }

// Code is a block of code, as it was written.
type Code struct {
	Language string
	Text     string
}

// Table is a table. Every row has as many cells as Head.
type Table struct {
	Head []Cell
	Rows [][]Cell
}

// Cell is the text of one cell.
type Cell []Inline

// Rule is a horizontal line.
type Rule struct{}

// Inline is a run of text of one kind.
type Inline struct {
	Text                       string
	Bold, Italic, Strike, Code bool
	Link                       string // address, "" for none; only what a browser or a mailer opens
}

func (Paragraph) sealed() {}
func (Heading) sealed()   {}
func (List) sealed()      {}
func (Quote) sealed()     {}
func (Code) sealed()      {}
func (Table) sealed()     {}
func (Rule) sealed()      {}
