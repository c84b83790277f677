package card

import (
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/ui/theme"
	"keva/ui/transcript"
)

// A tick of the live text: a few more letters of a block of n. It must stay far below the 33 ms of a tick.
func BenchmarkLiveText(b *testing.B) {
	for _, n := range []int{300, 1_000, 6_000, 20_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			test.NewTempApp(b).Settings().SetTheme(theme.New(theme.Options{}))
			text := strings.Repeat("The zone was *dropped* when the `layout` changed, so every date before noon moved. ", n/80+2)
			row := &transcript.Text{ID: "t", Text: text[:n], Live: true}
			c := New(row, now, Actions{})
			c.Resize(fyne.NewSize(336, c.HeightFor(336)))
			test.WidgetRenderer(c.(fyne.Widget))
			i := 0
			for b.Loop() {
				i = i%60 + 1
				if i == 1 {
					row.Text = text[:n]
				}
				row.Text = text[:n+i]
				c.Set(row, now)
				c.Resize(fyne.NewSize(336, c.HeightFor(336)))
			}
		})
	}
}

// What a list pays for each row that scrolls in.
func BenchmarkNew(b *testing.B) {
	test.NewTempApp(b).Settings().SetTheme(theme.New(theme.Options{}))
	rows := sampleRows()
	i := 0
	for b.Loop() {
		c := New(rows[i%len(rows)], now, Actions{})
		c.Resize(fyne.NewSize(336, c.HeightFor(336)))
		test.WidgetRenderer(c.(fyne.Widget))
		i++
	}
}
