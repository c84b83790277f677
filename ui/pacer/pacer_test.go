package pacer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
)

var samples = map[string]string{
	"prose":     strings.Repeat("The zone was dropped when the layout changed. ", 40),
	"combining": strings.Repeat("e\u0301a\u0308\u0304 o\u0302 ", 60),
	"emoji":     strings.Repeat("👩‍👩‍👧‍👦 ok 🇩🇪🇫🇷 👍🏽\u200d x ", 40),
	"cjk":       strings.Repeat("日本語の文章、漢字かな交じり。", 30),
	"jamo":      strings.Repeat("\u1112\u1161\u11ab\u1100\u1173\u11af", 40),
	"indic":     strings.Repeat("नमस्ते क्षत्रिय ", 40),
	"crlf":      strings.Repeat("a\r\nb\n\r\n", 60),
	"invalid":   strings.Repeat("a\xffb\xc3(\xe2\x82", 40),
	"zalgo":     "a" + strings.Repeat("\u0301", 1000) + "b",
	"cut end":   "fin\xe2\x82",
}

// feeds are ways of cutting the same text into pieces.
var feeds = map[string]func(string) []string{
	"whole": func(s string) []string { return []string{s} },
	"bytes": func(s string) []string { return strings.Split(s, "") },
	"each byte": func(s string) (p []string) {
		for i := range len(s) {
			p = append(p, s[i:i+1])
		}
		return p
	},
	"tokens": func(s string) (p []string) {
		r := rand.New(rand.NewPCG(1, 2))
		for s != "" {
			n := min(1+r.IntN(7), len(s))
			p, s = append(p, s[:n]), s[n:]
		}
		return p
	},
}

// DESIGN §8, §4.6 rule 2: the same text fed whole, by tokens or by bytes reveals the same in each tick, and all of it.
func TestFeedDoesNotMatter(t *testing.T) {
	for name, text := range samples {
		var want []string
		for _, feed := range []string{"whole", "tokens", "bytes", "each byte"} {
			var p Pacer
			for _, piece := range feeds[feed](text) {
				p.Feed(piece)
			}
			var got []string
			for !p.Idle() {
				before := p.Backlog()
				out := p.Tick()
				if n := before - p.Backlog(); n != Reveal(before) {
					t.Fatalf("%s fed as %s: a backlog of %d gave %d, not %d", name, feed, before, n, Reveal(before))
				}
				got = append(got, out)
			}
			got = append(got, p.Finish())
			if all := strings.Join(got, ""); all != text {
				t.Fatalf("%s fed as %s: revealed %q of %q", name, feed, all, text)
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(want, got) {
				t.Errorf("%s fed as %s reveals otherwise than fed whole", name, feed)
			}
		}
	}
}

// Ticks between the pieces change what is revealed when, never what is revealed; and no cut is inside of a grapheme.
func TestNoGraphemeIsSplit(t *testing.T) {
	for name, text := range samples {
		if name == "zalgo" || name == "invalid" || name == "cut end" {
			continue // not graphemes that anybody can see split
		}
		borders := map[int]bool{0: true}
		for g := uniseg.NewGraphemes(text); g.Next(); {
			_, to := g.Positions()
			borders[to] = true
		}
		r := rand.New(rand.NewPCG(7, uint64(len(name))))
		for range 50 {
			var p Pacer
			shown := 0
			check := func(out string) {
				if !strings.HasPrefix(text[shown:], out) {
					t.Fatalf("%s: %q is not what comes at %d", name, out, shown)
				}
				shown += len(out)
				if !borders[shown] {
					t.Fatalf("%s: split a grapheme at %d: …%q|%q…", name, shown, out, text[shown:min(shown+8, len(text))])
				}
			}
			for rest := text; rest != ""; {
				n := min(1+r.IntN(9), len(rest))
				p.Feed(rest[:n])
				rest = rest[n:]
				if r.IntN(2) == 0 {
					check(p.Tick())
				}
			}
			for !p.Idle() {
				check(p.Tick())
			}
			check(p.Finish())
			if shown != len(text) {
				t.Fatalf("%s: %d of %d bytes were revealed", name, shown, len(text))
			}
		}
	}
}

// A character waits no longer than MaxTicks, however much comes before or behind it.
func TestBoundedDelay(t *testing.T) {
	for _, n := range []int{1, 5, 100, most, 10_000, 1_000_000} {
		ticks := 0
		for left := n; left > 0; left -= Reveal(left) {
			ticks++
		}
		if ticks > MaxTicks {
			t.Errorf("a backlog of %d takes %d ticks", n, ticks)
		}
	}
	for n := range 10_000 {
		if Reveal(n) > n || n > 0 && Reveal(n) < 1 {
			t.Fatalf("Reveal(%d) = %d", n, Reveal(n))
		}
		if Reveal(n+1) < Reveal(n) {
			t.Fatalf("a longer backlog is revealed slower at %d", n) // else a tail would hold back what is before it
		}
	}
}

func TestReducedMotionAndFinish(t *testing.T) {
	var p Pacer
	p.Reduce(true)
	p.Feed(strings.Repeat("x", 500) + "e")
	if out := p.Tick(); len(out) != 500 || !p.Idle() {
		t.Errorf("reduced motion revealed %d of 500", len(out))
	}
	p.Feed("\u0301")
	if !p.Idle() {
		t.Error("a grapheme that may go on was counted as whole")
	}
	if out := p.Finish(); out != "e\u0301" {
		t.Errorf("Finish gave %q", out)
	}
	if !p.Idle() || p.Finish() != "" || p.Tick() != "" {
		t.Error("not empty after Finish")
	}
}

func FuzzPacer(f *testing.F) {
	for _, s := range samples {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, text string, step int) {
		step = 1 + max(step, -step)%17
		var p, whole Pacer
		for rest := text; rest != ""; {
			n := min(step, len(rest))
			p.Feed(rest[:n])
			rest = rest[n:]
		}
		whole.Feed(text)
		if p.Backlog() != whole.Backlog() {
			t.Fatalf("backlog %d, fed whole %d", p.Backlog(), whole.Backlog())
		}
		var b strings.Builder
		for !p.Idle() {
			out := p.Tick()
			if out != whole.Tick() {
				t.Fatal("reveals otherwise than fed whole")
			}
			b.WriteString(out)
		}
		b.WriteString(p.Finish())
		if b.String() != text {
			t.Fatalf("revealed %q of %q", b.String(), text)
		}
	})
}

// One character arrives and one is revealed: the cost must not depend on the backlog.
func BenchmarkTick(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			text := strings.Repeat("word ", n/5)
			revealed := 0
			for b.Loop() {
				b.StopTimer()
				var p Pacer
				p.Feed(text)
				b.StartTimer()
				for !p.Idle() {
					revealed += len(p.Tick())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(revealed), "ns/char")
		})
	}
}
