package card

import (
	"time"

	"fyne.io/fyne/v2"

	"keva/agent/turn"
)

// SheetOptions are what a sheet needs from its screen.
type SheetOptions struct {
	Home string                    // shortened to ~ in paths; "" for none
	Dir  string                    // the project: paths inside it are relative to it
	Who  func(scope string) string // name of who asks: "the main agent" or a task's title
	// Risks are lines that say what the request could do beyond the obvious.
	Risks []string
	// After calls back on the thread of the user interface, after a delay. It arms the buttons 400 ms after the request has
	// appeared, so that a tap that was meant for what was there before allows nothing.
	After func(time.Duration, func())
	// MaxHeight bounds the sheet: what doesn't fit scrolls inside of it, and the buttons stay.
	MaxHeight float32

	Allow    func(id string)
	Deny     func(id, reason string)
	Always   func(id string) // opens the choice of a rule; nil = not offered
	ShowDiff func(r turn.Request)
	Answer   func(id string, answers map[string][]string) // nil answers = dismissed
	// Resized tells that the sheet wants another height.
	Resized func()
}

// Sheet asks the user one thing.
type Sheet interface {
	fyne.CanvasObject
	// Ask shows a request, as number n of total.
	Ask(r turn.Request, n, total int)
	HeightFor(width float32) float32
	// FocusFirst gives the keyboard to the button that changes nothing.
	FocusFirst(c fyne.Canvas)
}
