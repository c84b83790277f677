package draw

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/mobile"
)

// GoesBack reports whether a key leads one step back: Escape, or Android's back button. A field must pass both on: the first
// press of the back button hides the keyboard and the focus stays, so that the next one comes here and would be lost.
func GoesBack(e *fyne.KeyEvent) bool { return e.Name == fyne.KeyEscape || e.Name == mobile.KeyBack }

// Unhandled gives a key that a focused widget has no use for to the screen: the toolkit would drop it, and nothing would go
// back while anything has the focus.
func Unhandled(o fyne.CanvasObject, e *fyne.KeyEvent) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(o); c != nil && c.OnTypedKey() != nil {
		c.OnTypedKey()(e)
	}
}
