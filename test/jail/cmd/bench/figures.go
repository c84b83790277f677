//go:build linux && amd64

package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// figures are the times of each work in each surrounding.
type figures struct {
	order []string
	took  map[string]map[string][]time.Duration
}

func newFigures() *figures { return &figures{took: map[string]map[string][]time.Duration{}} }

func (f *figures) add(work, who string, took ...time.Duration) {
	if f.took[work] == nil {
		f.took[work] = map[string][]time.Duration{}
		f.order = append(f.order, work)
	}
	f.took[work][who] = append(f.took[work][who], took...)
}

// spread is the least and the middle time.
func (f *figures) spread(work, who string) (least, middle time.Duration) {
	list := slices.Sorted(slices.Values(f.took[work][who]))
	return list[0], list[len(list)/2]
}

func (f *figures) cell(work, who string) string {
	least, middle := f.spread(work, who)
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d.Microseconds())/1000) }
	return ms(least) + " / " + ms(middle)
}

// ratio compares the least times, which other work on the machine disturbs least, and the middle ones.
func (f *figures) ratio(work, a, b string) (least, middle float64) {
	al, am := f.spread(work, a)
	bl, bm := f.spread(work, b)
	return float64(al) / float64(bl), float64(am) / float64(bm)
}

// aim is what issue and figures are held against.
type aim struct {
	work    string
	a, b    string
	at      float64
	atLeast bool
}

func (f *figures) aims() []aim {
	var list []aim
	for _, w := range works {
		at := 1.15
		if strings.HasSuffix(w.Name, "--version") {
			at = 1.05
		}
		list = append(list, aim{w.Name, ours, native, at, false})
	}
	return append(list,
		aim{"git status, 4,000 files", proot, ours, 5, true}, aim{"rg in 4,000 files", proot, ours, 5, true},
		aim{wholePack, unpacker, piped, 1.1, false}, aim{wholePack, unpacker, synced, 1.1, false})
}

func (f *figures) report(w io.Writer, rounds int, took time.Duration) {
	p := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	p("# Figures of the userland\n")
	p("Written by `make bench-userland`; measured, not promised. %s, %d processors (%s), Linux %s, %d rounds, interleaved, in %s.",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), processor(), release(), rounds, took.Round(time.Second))
	p("Load of the machine at the end: %s (beyond the number of processors others were at work).", load())
	p("No phone was used: these say what the userland costs, not how fast a phone is.\n")
	p("- **%s**: the same Debian packages, node and engines as they come, in namespaces, without any filter.", native)
	p("- **%s**: the pack, as the app, under the policy of Android 13 and all refusals.", ours)
	p("- **%s**: the pack without filters: the difference to the former is what Android charges every app.", unruled)
	p("- **%s**: PRoot over the native root, without a policy (under one it can't run).\n", proot)
	p("Milliseconds, least / median:\n")
	p("| | %s |", strings.Join(surroundings, " | "))
	p("|---|%s", strings.Repeat("---|", len(surroundings)))
	for _, work := range f.order {
		if work == wholePack {
			continue
		}
		row := "| " + work
		for _, who := range surroundings {
			row += " | " + f.cell(work, who)
		}
		p("%s |", row)
	}
	p("\n| | %s | %s | %s |\n|---|---|---|---|", piped, synced, unpacker)
	p("| %s | %s | %s | %s |", wholePack, f.cell(wholePack, piped), f.cell(wholePack, synced), f.cell(wholePack, unpacker))
	p("\n## Aims\n")
	p("The least times decide: what else a machine does can only add to a time. Where the median says otherwise, it was busy.\n")
	p("| | ratio of | least | median | aim | |\n|---|---|---|---|---|---|")
	for _, a := range f.aims() {
		least, middle := f.ratio(a.work, a.a, a.b)
		sign, met := "≤", least <= a.at
		if a.atLeast {
			sign, met = "≥", least >= a.at
		}
		verdict := "missed"
		if met {
			verdict = "met"
		}
		p("| %s | %s : %s | %.2f | %.2f | %s %.2f | %s |", a.work, a.a, a.b, least, middle, sign, a.at, verdict)
	}
}

func release() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "of unknown version"
	}
	return unix.ByteSliceToString(u.Release[:])
}

// load is the kernel's averages over one, five and fifteen minutes.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(text)); err == nil && len(f) > 3 {
		return strings.Join(f[:3], ", ")
	}
	return "unknown"
}

// processor is the kernel's name for it.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo") // else unknown
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
