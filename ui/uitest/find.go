package uitest

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// Walk visits every visible object below o, o included.
func Walk(o fyne.CanvasObject, visit func(fyne.CanvasObject)) {
	if o == nil || !o.Visible() {
		return
	}
	visit(o)
	switch w := o.(type) {
	case fyne.Widget:
		for _, c := range test.WidgetRenderer(w).Objects() {
			Walk(c, visit)
		}
	case *fyne.Container:
		for _, c := range w.Objects {
			Walk(c, visit)
		}
	}
}

// Button finds what can be tapped by its accessible name. The test fails when there is none.
func Button(t testing.TB, root fyne.CanvasObject, label string) fyne.Tappable {
	t.Helper()
	var found fyne.Tappable
	var labels []string
	Walk(root, func(o fyne.CanvasObject) {
		a, named := o.(fyne.Accessible)
		b, tappable := o.(fyne.Tappable)
		if named && tappable {
			labels = append(labels, a.AccessibilityLabel())
			if found == nil && a.AccessibilityLabel() == label {
				found = b
			}
		}
	})
	if found == nil {
		t.Fatalf("no button %q among %q", label, labels)
	}
	return found
}
