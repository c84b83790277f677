package assets

import (
	"testing"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// A subset that lost a script or a sign would show boxes; digits of different width make counters shake.
func TestFonts(t *testing.T) {
	letters := "Az09 äőß ŁşẰ αΩ Жщ „“–—…·• €‰ →←↑↓ ≈≠≤≥−× ✓✗ ■▲●"
	for _, c := range []struct {
		name, has string
		data      []byte
	}{
		{"Inter Regular", letters + "○", InterRegular},
		{"Inter SemiBold", letters + "○", InterSemiBold},
		{"Mono Regular", letters + "─│┌┘├█░", MonoRegular},
		{"Mono Bold", letters + "─│┌┘├█░", MonoBold},
	} {
		f, err := sfnt.Parse(c.data)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if len(c.data) > 250_000 {
			t.Errorf("%s has %d bytes, want at most 250 kB", c.name, len(c.data))
		}
		var buf sfnt.Buffer
		width := map[fixed.Int26_6]bool{}
		for _, r := range c.has + "0123456789" {
			g, err := f.GlyphIndex(&buf, r)
			if err != nil || g == 0 {
				t.Errorf("%s has no %q (%U): %v", c.name, r, r, err)
				continue
			}
			if _, err := f.LoadGlyph(&buf, g, 64<<6, nil); err != nil {
				t.Errorf("%s: the outline of %q is broken: %v", c.name, r, err)
			}
			if r >= '0' && r <= '9' {
				w, err := f.GlyphAdvance(&buf, g, 64<<6, 0)
				if err != nil {
					t.Errorf("%s: %q has no width: %v", c.name, r, err)
				}
				width[w] = true
			}
		}
		if len(width) != 1 {
			t.Errorf("%s: digits have %d widths", c.name, len(width))
		}
	}
}
