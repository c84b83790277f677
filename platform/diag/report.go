package diag

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"keva/agent/doctor"
	"keva/agent/event"
)

// Source is what a report is made of. Lists may be empty.
type Source struct {
	Made     time.Time
	App      []Fact // version, system, device
	Findings []doctor.Finding
	Events   []string // diagnostic events, oldest first: class, what was tried, when
	Log      []string // the last lines of the log, oldest first
	LostLog  int      // lines that the log's file did not take
}

// Fact is one line about the app or the machine.
type Fact struct{ Name, Value string }

// maxLog is how many lines of the log go into a report: enough for what just went wrong, short enough to be read.
const maxLog = 300

// Report is the text that may be shared. All of it went through s; what a user sees before sharing is this, byte for byte.
func Report(src Source, s *Scrubber) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Keva report, made %s\n", src.Made.UTC().Format(time.RFC3339))
	b.WriteString("It holds no titles, messages, file contents or keys. Addresses are cut to the host, paths of yours are struck out.\n")
	section(&b, "Keva and this device")
	for _, f := range src.App {
		fmt.Fprintf(&b, "%s: %s\n", f.Name, s.Text(oneLine(f.Value)))
	}
	section(&b, "Checks")
	for _, f := range src.Findings {
		fmt.Fprintf(&b, "[%s] %s: %s\n", f.State, f.Title, s.Text(oneLine(f.Says)))
		if f.Remedy != "" {
			fmt.Fprintf(&b, "    do: %s\n", s.Text(oneLine(f.Remedy)))
		}
		if f.Detail != "" {
			fmt.Fprintf(&b, "    %s\n", s.Text(oneLine(f.Detail)))
		}
	}
	section(&b, "What failed lately")
	for _, e := range src.Events {
		b.WriteString(s.Text(oneLine(e)) + "\n")
	}
	if len(src.Events) == 0 {
		b.WriteString("Nothing is on record.\n")
	}
	section(&b, "Log")
	if src.LostLog > 0 {
		fmt.Fprintf(&b, "%d lines could not be written to the log's file.\n", src.LostLog)
	}
	log := src.Log
	if len(log) > maxLog {
		fmt.Fprintf(&b, "%d earlier lines are left out.\n", len(log)-maxLog)
		log = log[len(log)-maxLog:]
	}
	for _, l := range log {
		b.WriteString(s.Text(oneLine(l)) + "\n")
	}
	return b.String()
}

func section(b *strings.Builder, title string) { fmt.Fprintf(b, "\n== %s\n", title) }

// oneLine keeps one entry on one line, so that nobody can write a section of their own into the report.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.TrimSpace(s), func(r rune) bool { return r == '\n' || r == '\r' }), " ⏎ ")
}

// Save writes a report into dir, for this user alone, and returns its path. Errors are *event.Error.
func Save(dir, text string, made time.Time) (string, error) {
	name := filepath.Join(dir, "keva-report-"+made.UTC().Format("20060102-150405")+".txt")
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o600)
	}
	if err != nil {
		return "", &event.Error{
			Class:   event.ClassConfig,
			Message: "The report can't be written to " + dir + ". Check the folder's permissions and the free space, or copy the text instead.",
			Detail:  err.Error(),
		}
	}
	return name, nil
}
