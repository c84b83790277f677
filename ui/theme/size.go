package theme

import (
	"math"

	"fyne.io/fyne/v2"
	fynetheme "fyne.io/fyne/v2/theme"
)

// Text roles: the size of the letters, scaled by the user's text size. LineHeight gives the height of a line.
const (
	Body      fyne.ThemeSizeName = "keva.text.body"      // 14/20 running text, buttons
	Label     fyne.ThemeSizeName = "keva.text.label"     // 13/20 headers and rows of cards
	Title     fyne.ThemeSizeName = "keva.text.title"     // 15/20 bar titles
	Sheet     fyne.ThemeSizeName = "keva.text.sheet"     // 16/22 question of a sheet
	Screen    fyne.ThemeSizeName = "keva.text.screen"    // 20/28 screen title
	Display   fyne.ThemeSizeName = "keva.text.display"   // 26/32 first start
	Secondary fyne.ThemeSizeName = "keva.text.secondary" // 12/16 second lines, status
	Tiny      fyne.ThemeSizeName = "keva.text.tiny"      // 11/18 tags
	Mono      fyne.ThemeSizeName = "keva.text.mono"      // 12/18 code
)

var roles = map[fyne.ThemeSizeName]struct{ size, line float32 }{
	Body:      {14, 20},
	Label:     {13, 20},
	Title:     {15, 20},
	Sheet:     {16, 22},
	Screen:    {20, 28},
	Display:   {26, 32},
	Secondary: {12, 16},
	Tiny:      {11, 18},
	Mono:      {12, 18},
}

// The grid, in dp. Spaces are multiples of 4.
const (
	Space1 float32 = 4
	Space2 float32 = 8
	Space3 float32 = 12
	Space4 float32 = 16
	Space5 float32 = 20
	Space6 float32 = 24
	Space8 float32 = 32

	Border       float32 = 1
	CardRadius   float32 = 10
	BlockRadius  float32 = 8  // mono blocks inside cards and sheets
	BubbleRadius float32 = 12 // the user's words
	BubbleTail   float32 = 4  // their bottom right corner
	SheetRadius  float32 = 16
	TagRadius    float32 = 9

	BarHeight       float32 = 52 // top bar
	HeaderHeight    float32 = 40 // header of a card
	RowHeight       float32 = 32 // row of a card that is only read
	TapRowHeight    float32 = 44 // row of a card that is tapped
	ListRowHeight   float32 = 64
	SettingHeight   float32 = 52
	Touch           float32 = 48 // smallest touch target
	ButtonHeight    float32 = 40 // as drawn in the composer; the target is Touch
	BigButtonHeight float32 = 48 // in sheets and first start
	ChipHeight      float32 = 24
	TagHeight       float32 = 18
	MarkSize        float32 = 14

	WideFrom float32 = 840 // from here sessions, chat and files stand side by side
	ChatMax  float32 = 760
)

// Scale is the user's text size.
type Scale string

// The text sizes.
const (
	Small  Scale = "small"
	Normal Scale = "normal"
	Large  Scale = "large"
	Huge   Scale = "huge"
)

// Scales lists the text sizes, smallest first.
func Scales() []Scale { return []Scale{Small, Normal, Large, Huge} }

// Factor is what letters and line heights are multiplied by. An unknown word, e.g. of an old setting, is Normal.
func (s Scale) Factor() float32 {
	switch s {
	case Small:
		return 0.875
	case Normal:
		return 1
	case Large:
		return 1.2
	case Huge:
		return 1.5
	}
	return 1
}

// Size gives sizes to stock widgets, and the text roles.
func (t *Theme) Size(name fyne.ThemeSizeName) float32 {
	f := t.options.Scale.Factor()
	if r, ok := roles[name]; ok {
		return r.size * f
	}
	switch name {
	case fynetheme.SizeNameText:
		return roles[Body].size * f
	case fynetheme.SizeNameCaptionText:
		return roles[Secondary].size * f
	case fynetheme.SizeNameSubHeadingText:
		return roles[Sheet].size * f
	case fynetheme.SizeNameHeadingText:
		return roles[Screen].size * f
	case fynetheme.SizeNameScrollBar:
		return 8
	case fynetheme.SizeNameScrollBarSmall:
		return 3
	case fynetheme.SizeNameScrollBarRadius:
		return 2
	case fynetheme.SizeNameInputRadius, fynetheme.SizeNameButtonRadius, fynetheme.SizeNameMenuRadius:
		return BlockRadius
	case fynetheme.SizeNameCardRadius, fynetheme.SizeNamePopupRadius:
		return CardRadius
	case fynetheme.SizeNameDialogRadius:
		return SheetRadius
	}
	return fynetheme.DefaultTheme().Size(name)
}

// LineHeight is the height of a line of a text role, in whole dp so that lines do not blur.
func (t *Theme) LineHeight(role fyne.ThemeSizeName) float32 {
	return float32(math.Round(float64(roles[role].line * t.options.Scale.Factor())))
}
