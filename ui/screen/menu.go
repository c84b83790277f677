package screen

import (
	"fyne.io/fyne/v2"

	"keva/ui/draw"
	"keva/ui/theme"
)

// Item is an entry of a menu.
type Item struct {
	Label  string
	Second string // a second line, may be ""
	Danger bool   // it destroys something
	Chosen bool   // it is the present choice
	Do     func() // nil: it is only text
}

// ShowMenu opens a sheet with a list of actions. The sheet closes before an action runs.
func ShowMenu(c fyne.Canvas, title string, items ...Item) *Sheet {
	var s *Sheet
	objects := []fyne.CanvasObject{NewText(title, draw.Style{Role: theme.Sheet, Color: theme.Ink, Bold: true})}
	for _, it := range items {
		style := BodyStyle
		if it.Danger {
			style.Color = theme.Error
		}
		var row fyne.CanvasObject = rowBody(it.Label, style, it.Second, nil, 0)
		if it.Do != nil {
			var tail fyne.CanvasObject
			if it.Chosen {
				tail = NewIcon(GlyphCheck, theme.Accent, 18)
			}
			row = styledRow(it.Label, style, it.Second, tail, 0, func() {
				s.Close()
				it.Do()
			})
		}
		objects = append(objects, row)
	}
	s = ShowSheet(c, nil, objects...)
	return s
}

// SettingRow is a line of a settings list: a name, a second line that says how it is now, something at the end.
func SettingRow(label, second string, tail fyne.CanvasObject) fyne.CanvasObject {
	return rowBody(label, BodyStyle, second, tail, theme.Space4)
}

// TapRow is a SettingRow that can be tapped.
func TapRow(label, second string, tail fyne.CanvasObject, tapped func()) *Tap {
	return styledRow(label, BodyStyle, second, tail, theme.Space4, tapped)
}

func styledRow(label string, style draw.Style, second string, tail fyne.CanvasObject, side float32, tapped func()) *Tap {
	t := NewTap(label+" "+second, rowBody(label, style, second, tail, side), tapped)
	t.Least = fyne.NewSize(theme.Touch, theme.SettingHeight)
	return t
}

func rowBody(label string, style draw.Style, second string, tail fyne.CanvasObject, side float32) fyne.CanvasObject {
	texts := []fyne.CanvasObject{NewPara(label, style)}
	if second != "" {
		texts = append(texts, NewPara(second, SecondaryStyle))
	}
	words := Column(0, Insets{theme.Space2, 0, theme.Space2, 0}, texts...)
	pad := Insets{0, side, 0, side}
	if tail == nil {
		return Least(theme.SettingHeight, Line(theme.Space3, 0, pad, words))
	}
	return Least(theme.SettingHeight, Line(theme.Space3, 0, pad, words, tail))
}

// Section is the heading of a group.
func Section(title string) fyne.CanvasObject {
	return Column(0, Insets{theme.Space4, theme.Space4, 6, theme.Space4}, NewShrinking(title, SectionStyle))
}

// ListRow is a TapRow without margins, as it stands in a sheet.
func ListRow(label, second string, tail fyne.CanvasObject, tapped func()) *Tap {
	return styledRow(label, BodyStyle, second, tail, 0, tapped)
}
