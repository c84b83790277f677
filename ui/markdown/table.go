package markdown

import (
	"strconv"
	"strings"

	"fyne.io/fyne/v2"

	"keva/ui/draw"
	"keva/ui/theme"
)

const (
	cellPad   = theme.Space2
	minColumn = 64  // dp; narrower columns break every word
	maxRows   = 200 // of a table that are drawn
)

// table draws a grid whose cells wrap. Where the columns would be too narrow to read, each row becomes a list of "column:
// cell".
func (d *drawing) table(id string, x, y, w float32, t Table) float32 {
	if len(t.Head) == 0 {
		return y
	}
	if len(t.Rows) > maxRows {
		t.Rows = t.Rows[:maxRows]
	}
	widths := columns(t, w)
	if widths == nil {
		return d.records(id, x, y, w, t)
	}
	top, layer := y, d.b.Layer()
	y = d.row(id+" h", x, y, widths, t.Head, true)
	head := y - top
	for i, row := range t.Rows {
		d.b.Rule(x, y, w)
		y = d.row(id+" "+strconv.Itoa(i), x, y, widths, row, false)
	}
	d.b.RectAt(layer, x, top, w, head, draw.Box{Fill: theme.Code, Corners: draw.Corners{TopLeft: theme.BlockRadius, TopRight: theme.BlockRadius}})
	d.b.RectAt(layer, x, top, w, y-top, draw.Box{Fill: theme.Surface, Radius: theme.BlockRadius})
	d.b.Rect(x, top, w, y-top, draw.Box{Line: theme.Line, Radius: theme.BlockRadius})
	return y
}

func (d *drawing) row(id string, x, y float32, widths []float32, cells []Cell, head bool) float32 {
	style := draw.Label
	if head {
		style = draw.Strong
	}
	bottom := y
	for i, c := range cells {
		h, _ := d.b.Flow(id+"."+strconv.Itoa(i), x+cellPad, y+6, widths[i]-2*cellPad, style.LineHeight(), spans(c, style), d.o.Open)
		bottom = max(bottom, y+h+12)
		x += widths[i]
	}
	return bottom
}

// columns shares the width out: to each column what it needs when all fit, else in proportion, and nil where one would
// become too narrow.
func columns(t Table, w float32) []float32 {
	need := make([]float32, len(t.Head))
	sum := float32(0)
	for i := range need {
		need[i] = draw.RunWidth(spans(t.Head[i], draw.Strong))
		for _, row := range t.Rows[:min(len(t.Rows), 50)] {
			need[i] = max(need[i], draw.RunWidth(spans(head(row[i]), draw.Label)))
		}
		need[i] = max(need[i]+2*cellPad+1, 32)
		sum += need[i]
	}
	if sum <= w {
		for i := range need {
			need[i] *= w / sum
		}
		return need
	}
	// Narrow columns keep what they need; the others share what is left.
	free, wide := w, float32(0)
	for _, n := range need {
		if n <= minColumn {
			free -= n
		} else {
			wide += n
		}
	}
	for i, n := range need {
		if n > minColumn {
			need[i] = n * free / wide
			if need[i] < minColumn {
				return nil
			}
		}
	}
	return need
}

// head bounds what is measured of a cell.
func head(c Cell) Cell {
	for i, t := range c {
		if len(t.Text) > 256 {
			t.Text = draw.Head(t.Text, 256)
			return append(c[:i:i], t)
		}
	}
	return c
}

func (d *drawing) records(id string, x, y, w float32, t Table) float32 {
	top, layer := y, d.b.Layer()
	for i, row := range t.Rows {
		if i > 0 {
			d.b.Rule(x, y, w)
		}
		y += theme.Space2
		for j, c := range row {
			name := draw.Style{Role: theme.Secondary, Color: theme.Muted, Bold: true}
			d.b.Text(x+theme.Space3, y, w-2*theme.Space3, name.LineHeight(), flatText(t.Head[j]), name, fyne.TextAlignLeading)
			y += name.LineHeight()
			h, _ := d.b.Flow(id+" "+strconv.Itoa(i)+"."+strconv.Itoa(j), x+theme.Space3, y, w-2*theme.Space3, draw.Label.LineHeight(), spans(c, draw.Label), d.o.Open)
			y += h + theme.Space1
		}
		y += theme.Space1
	}
	d.b.RectAt(layer, x, top, w, y-top, draw.Box{Fill: theme.Surface, Line: theme.Line, Radius: theme.BlockRadius})
	return y
}

func flatText(c []Inline) string {
	var b strings.Builder
	for _, t := range c {
		b.WriteString(t.Text)
	}
	return b.String()
}
