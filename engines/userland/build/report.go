package build

import (
	"fmt"
	"io"
	"time"

	"keva/agent/event"
	"keva/engines/userland/pack"
)

// Budgets of the arm64 pack, in bytes: the APK must stay below what stores and patience allow.
const (
	maxArchive   = 255_000_000
	maxInstalled = 1_000_000_000
)

// Report is what a build made.
type Report struct {
	Output      string
	ID          string
	Arch        string
	Archive     int64 // bytes
	Installed   int64 // bytes of all files
	Files       int
	Licences    int
	Parts       []pack.Part
	Neutralised map[string]int // calls taken out of each file
	Programs    int            // made to start from anywhere
	Scripts     int            // with a #! line to be completed
	Dangling    []string       // links that were removed because they led nowhere
	Idle        []string       // rules of assets/userland/drop that removed nothing
	Fresh       int64          // frames that were not remembered from an earlier build
	Took        time.Duration

	versions map[string]string
}

func (r *Report) version(part, version string) {
	if r.versions == nil {
		r.versions = map[string]string{}
	}
	r.versions[part] = version
}

func (r *Report) fill(m *pack.Manifest, size int64, output string, f *frames) {
	r.Output, r.ID, r.Arch, r.Archive, r.Parts = output, m.ID, m.Arch, size, m.Parts
	r.Files, r.Licences, r.Fresh = len(m.Files), len(m.Licences), f.fresh.Load()
	for _, p := range m.Parts {
		r.Installed += p.Size
	}
}

// overBudget is an error if the pack is too big. There is one budget, for phones.
func (r *Report) overBudget(arch string) error {
	if arch != "arm64" || r.Archive <= maxArchive && r.Installed <= maxInstalled {
		return nil
	}
	return &event.Error{
		Class: event.ClassEngine,
		Message: fmt.Sprintf("The pack is too big: archive %s of %s MB, installed %s of %s MB. Leave more out in assets/userland/drop or packages.",
			mb(r.Archive), mb(maxArchive), mb(r.Installed), mb(maxInstalled)),
		Detail: fmt.Sprintf("%+v", r.Parts),
	}
}

func mb(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }

// Print writes the report for people. Megabytes are millions of bytes.
func (r *Report) Print(w io.Writer) {
	fmt.Fprintf(w, "%-10s %-24s %12s %12s\n", "part", "version", "installed MB", "archive MB")
	for _, p := range r.Parts {
		fmt.Fprintf(w, "%-10s %-24s %12s %12s\n", p.Name, p.Version, mb(p.Size), mb(p.Packed))
	}
	fmt.Fprintf(w, "%-10s %-24s %12s %12s\n", "all", "", mb(r.Installed), mb(r.Archive))
	if r.Arch == "arm64" {
		fmt.Fprintf(w, "%-10s %-24s %12s %12s\n", "budget", "", mb(maxInstalled), mb(maxArchive))
	}
	fmt.Fprintf(w, "%d entries, %d licences, %d programs and %d scripts prepared, %d dead links removed.\n",
		r.Files, r.Licences, r.Programs, r.Scripts, len(r.Dangling))
	for file, n := range r.Neutralised {
		fmt.Fprintf(w, "%s: %d calls that Android refuses were taken out.\n", file, n)
	}
	for _, rule := range r.Idle {
		fmt.Fprintf(w, "assets/userland/drop: %s removed nothing.\n", rule)
	}
	fmt.Fprintf(w, "%s in %.1f s, %d frames compressed anew.\nID %s\n", r.Output, r.Took.Seconds(), r.Fresh, r.ID)
}
