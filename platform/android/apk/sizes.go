package apk

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Part is a share of the file.
type Part struct {
	Name          string
	Packed, Plain int64 // bytes in the APK, and once unpacked
}

// Report says what the bytes of an APK are for.
type Report struct {
	Path  string
	Parts []Part
	Total int64 // the whole file
	Shell int64 // without the userland
	want  Expected
}

func partOf(name string) string {
	switch {
	case name == PackEntry:
		return "userland"
	case strings.HasPrefix(name, "lib/"):
		return "app (native library)"
	case strings.HasPrefix(name, "assets/"):
		return "other assets"
	case strings.HasSuffix(name, ".dex"):
		return "Java classes"
	case strings.HasPrefix(name, "META-INF/"):
		return "signature (v1)"
	case strings.HasPrefix(name, "res/"), name == "resources.arsc", name == "AndroidManifest.xml":
		return "manifest, icon"
	}
	return "other"
}

// Sizes measures. A file that can't be measured has a total of -1, which fits no budget.
func (a *APK) Sizes() Report {
	r := Report{Path: a.Path, Total: -1, want: a.want}
	byName := map[string]*Part{}
	var pack int64
	for _, f := range a.zip.File {
		name := partOf(f.Name)
		if byName[name] == nil {
			byName[name] = &Part{Name: name}
		}
		byName[name].Packed += int64(f.CompressedSize64)  //nolint:gosec // of a file
		byName[name].Plain += int64(f.UncompressedSize64) //nolint:gosec // of a file
		if f.Name == PackEntry {
			pack += int64(f.CompressedSize64) //nolint:gosec // of a file
		}
	}
	if info, err := os.Stat(a.Path); err == nil {
		r.Total = info.Size()
	}
	sum := int64(0)
	for _, p := range byName {
		r.Parts = append(r.Parts, *p)
		sum += p.Packed
	}
	r.Parts = append(r.Parts, Part{Name: "names, padding, signature (v2, v3)", Packed: r.Total - sum})
	slices.SortFunc(r.Parts, func(a, b Part) int { return int(b.Packed - a.Packed) })
	r.Shell = r.Total - pack
	return r
}

// String is a table.
func (r Report) String() string {
	var b strings.Builder
	mb := func(n int64) string { return fmt.Sprintf("%8.2f MB", float64(n)/1e6) }
	fmt.Fprintf(&b, "%s\n", r.Path)
	for _, p := range r.Parts {
		fmt.Fprintf(&b, "  %s  %s\n", mb(p.Packed), p.Name)
	}
	fmt.Fprintf(&b, "  %s  in all, of %s; without the userland %s, of %s\n",
		mb(r.Total), strings.TrimSpace(mb(r.want.Total)), strings.TrimSpace(mb(r.Shell)), strings.TrimSpace(mb(r.want.Shell)))
	return b.String()
}
