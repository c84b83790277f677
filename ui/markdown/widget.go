package markdown

import (
	"keva/ui/draw"
)

// Widget shows Markdown that is finished.
type Widget struct {
	draw.Widget
	source  string
	blocks  []Block
	options Options
}

// New makes a widget.
func New(source string, o Options) *Widget {
	w := &Widget{source: source, blocks: Parse(source), options: o}
	w.Init(w, func(b *draw.Board) float32 { return Draw(b, "md", 0, 0, b.Width, w.blocks, w.options) })
	return w
}

// SetSource changes the text.
func (w *Widget) SetSource(source string) {
	if source != w.source {
		w.source, w.blocks = source, Parse(source)
		w.Changed()
	}
}
