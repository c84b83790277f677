package theme

import (
	"image/color"

	"fyne.io/fyne/v2"
	fynetheme "fyne.io/fyne/v2/theme"
)

// The colour tokens. They are theme names, so that stock widgets (RichText segments, icons) can use them too. Text goes on
// the surfaces that TestContrast lists, and on no other.
const (
	Background   fyne.ThemeColorName = "keva.background"    // the page
	Surface      fyne.ThemeColorName = "keva.surface"       // cards, sheets, inputs
	Line         fyne.ThemeColorName = "keva.line"          // 1-px borders and separators
	Ink          fyne.ThemeColorName = "keva.ink"           // text
	Muted        fyne.ThemeColorName = "keva.muted"         // secondary text, icons
	Accent       fyne.ThemeColorName = "keva.accent"        // the one primary action, running
	AccentSoft   fyne.ThemeColorName = "keva.accent.soft"   // the user's own words
	OnAccent     fyne.ThemeColorName = "keva.accent.on"     // text on Accent
	OK           fyne.ThemeColorName = "keva.ok"            // done
	Error        fyne.ThemeColorName = "keva.error"         // failed, destructive
	ErrorSoft    fyne.ThemeColorName = "keva.error.soft"    //
	Warning      fyne.ThemeColorName = "keva.warning"       // needs you, risk
	WarningSoft  fyne.ThemeColorName = "keva.warning.soft"  //
	Unknown      fyne.ThemeColorName = "keva.unknown"       // can't be known: its own colour, never grey
	UnknownSoft  fyne.ThemeColorName = "keva.unknown.soft"  //
	AddedBG      fyne.ThemeColorName = "keva.added"         // added lines of a diff
	RemovedBG    fyne.ThemeColorName = "keva.removed"       // removed lines of a diff
	Code         fyne.ThemeColorName = "keva.code"          // code, hunk headers, chips
	Scrim        fyne.ThemeColorName = "keva.scrim"         // over the page, behind a sheet
	Hover        fyne.ThemeColorName = "keva.hover"         // over what the pointer is on
	Pressed      fyne.ThemeColorName = "keva.pressed"       // over what is being tapped
	AccentHover  fyne.ThemeColorName = "keva.accent.hover"  // Accent under the pointer
	FocusOutline fyne.ThemeColorName = "keva.focus.outline" // ring around what has the keyboard
)

// Names lists all tokens.
func Names() []fyne.ThemeColorName {
	return []fyne.ThemeColorName{
		Background, Surface, Line, Ink, Muted, Accent, AccentSoft, OnAccent, OK, Error, ErrorSoft, Warning, WarningSoft,
		Unknown, UnknownSoft, AddedBG, RemovedBG, Code, Scrim, Hover, Pressed, AccentHover, FocusOutline,
	}
}

type pair struct{ light, dark color.NRGBA }

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

func alpha(c color.NRGBA, a uint8) color.NRGBA { c.A = a; return c }

// palette is the table of UI.md.
var palette = map[fyne.ThemeColorName]pair{
	Background:   {rgb(0xFAFAF8), rgb(0x141413)},
	Surface:      {rgb(0xFFFFFF), rgb(0x1E1D1C)},
	Line:         {rgb(0xE4E3DE), rgb(0x34322F)},
	Ink:          {rgb(0x1C1B1A), rgb(0xECEAE5)},
	Muted:        {rgb(0x6B6963), rgb(0xA19E96)},
	Accent:       {rgb(0x1F6F5C), rgb(0x6FC3AC)},
	AccentSoft:   {rgb(0xE3F0EC), rgb(0x1E3630)},
	OnAccent:     {rgb(0xFAFAF8), rgb(0x141413)},
	OK:           {rgb(0x2E7D4F), rgb(0x7CC795)},
	Error:        {rgb(0xB3372F), rgb(0xF0958D)},
	ErrorSoft:    {rgb(0xFBEAE8), rgb(0x3B2220)},
	Warning:      {rgb(0x8A5A00), rgb(0xE5B765)},
	WarningSoft:  {rgb(0xFBF1DD), rgb(0x36290F)},
	Unknown:      {rgb(0x5B5AA6), rgb(0xB0AFEE)},
	UnknownSoft:  {rgb(0xECECF8), rgb(0x28273F)},
	AddedBG:      {rgb(0xE4F3E8), rgb(0x1D3325)},
	RemovedBG:    {rgb(0xFBE7E5), rgb(0x3A2321)},
	Code:         {rgb(0xF3F2EE), rgb(0x191817)},
	Scrim:        {alpha(rgb(0), 0x52), alpha(rgb(0), 0x80)},
	Hover:        {alpha(rgb(0x1C1B1A), 0x08), alpha(rgb(0xECEAE5), 0x0C)},
	Pressed:      {alpha(rgb(0x1C1B1A), 0x14), alpha(rgb(0xECEAE5), 0x18)},
	AccentHover:  {rgb(0x1A604F), rgb(0x83CFBA)},
	FocusOutline: {rgb(0x1F6F5C), rgb(0x6FC3AC)},
}

// standard maps the names of stock widgets to tokens.
var standard = map[fyne.ThemeColorName]fyne.ThemeColorName{
	fynetheme.ColorNameBackground:                Background,
	fynetheme.ColorNameButton:                    Code,
	fynetheme.ColorNameDisabledButton:            Code,
	fynetheme.ColorNameDisabled:                  Muted,
	fynetheme.ColorNameError:                     Error,
	fynetheme.ColorNameForeground:                Ink,
	fynetheme.ColorNameForegroundOnError:         OnAccent,
	fynetheme.ColorNameForegroundOnPrimary:       OnAccent,
	fynetheme.ColorNameForegroundOnSuccess:       OnAccent,
	fynetheme.ColorNameForegroundOnWarning:       OnAccent,
	fynetheme.ColorNameHeaderBackground:          Background,
	fynetheme.ColorNameHover:                     Hover,
	fynetheme.ColorNameHyperlink:                 Accent,
	fynetheme.ColorNameInnerWindowBorder:         Line,
	fynetheme.ColorNameInnerWindowBorderInactive: Line,
	fynetheme.ColorNameInputBackground:           Surface,
	fynetheme.ColorNameInputBorder:               Line,
	fynetheme.ColorNameMenuBackground:            Surface,
	fynetheme.ColorNameOverlayBackground:         Surface,
	fynetheme.ColorNamePlaceHolder:               Muted,
	fynetheme.ColorNamePressed:                   Pressed,
	fynetheme.ColorNamePrimary:                   Accent,
	fynetheme.ColorNameSeparator:                 Line,
	fynetheme.ColorNameSuccess:                   OK,
	fynetheme.ColorNameWarning:                   Warning,
}

// translucent are the standard colours that lie over others.
var translucent = map[fyne.ThemeColorName]pair{
	fynetheme.ColorNameFocus:               {alpha(rgb(0x1F6F5C), 0x38), alpha(rgb(0x6FC3AC), 0x40)},
	fynetheme.ColorNameSelection:           {alpha(rgb(0x1F6F5C), 0x38), alpha(rgb(0x6FC3AC), 0x40)},
	fynetheme.ColorNameScrollBar:           {alpha(rgb(0x6B6963), 0x80), alpha(rgb(0xA19E96), 0x80)},
	fynetheme.ColorNameScrollBarBackground: {alpha(rgb(0), 0), alpha(rgb(0), 0)},
	fynetheme.ColorNameShadow:              {alpha(rgb(0), 0x28), alpha(rgb(0), 0x66)},
}

// lookup returns the colour of a token or standard name.
func lookup(name fyne.ThemeColorName, dark bool) (color.NRGBA, bool) {
	if token, ok := standard[name]; ok {
		name = token
	}
	p, ok := palette[name]
	if !ok {
		p, ok = translucent[name]
	}
	if dark {
		return p.dark, ok
	}
	return p.light, ok
}
