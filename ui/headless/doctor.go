package headless

import (
	"encoding/json"
	"io"

	"keva/agent/doctor"
)

// Doctor prints what the checks found, for people or as one line of JSON, and returns Success when nothing failed, Unknown
// when something could not be found out, Failure otherwise. It returns the first error of w.
func Doctor(w io.Writer, found []doctor.Finding, asJSON, colour bool) (Code, error) {
	code := Success
	switch doctor.Worst(found) {
	case doctor.Failed:
		code = Failure
	case doctor.Unknown:
		code = Unknown
	case doctor.OK, doctor.Warning, doctor.Absent:
		for _, f := range found { // a warning does not hide what is unknown
			if f.State == doctor.Unknown {
				code = Unknown
			}
		}
	}
	if asJSON {
		return code, json.NewEncoder(w).Encode(struct {
			State    doctor.State     `json:"state"`
			Findings []doctor.Finding `json:"findings"`
		}{doctor.Worst(found), found})
	}
	p := &pen{w: w, colour: colour}
	signs := map[doctor.State]string{doctor.OK: "✓", doctor.Failed: "✕", doctor.Warning: "▲", doctor.Unknown: "?", doctor.Absent: "○"}
	group := ""
	for _, f := range found {
		if f.Group != group {
			group = f.Group
			p.line(group)
		}
		p.line("  " + signs[f.State] + " " + clean(f.Title) + ": " + clean(f.Says))
		if f.Remedy != "" && f.State != doctor.OK {
			p.fold(f.Remedy, "      ", 4, 8)
		}
	}
	return code, p.err
}
