package card

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"keva/agent/event"
)

// took writes a duration in few letters: "0.1 s", "31 s", "2 min 5 s", "1 h 3 min".
func took(d time.Duration) string {
	switch {
	case d <= 0:
		return "0 s"
	case d < 100*time.Millisecond:
		return "0.1 s"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + " s"
	case d < time.Hour:
		if s := int(d.Seconds()) % 60; s != 0 {
			return fmt.Sprintf("%d min %d s", int(d.Minutes()), s)
		}
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	if m := int(d.Minutes()) % 60; m != 0 {
		return fmt.Sprintf("%d h %d min", int(d.Hours()), m)
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

// elapsed is the time of something that runs, in whole seconds: it is drawn once a second.
func elapsed(since, now time.Time) string {
	d := now.Sub(since)
	if since.IsZero() || d < time.Second {
		return ""
	}
	if d < 10*time.Second {
		return strconv.Itoa(int(d.Seconds())) + " s"
	}
	return took(d)
}

// join puts " · " between what is not empty.
func join(parts ...string) string {
	kept := parts[:0:0]
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, " · ")
}

// count writes "1 file", "3 files".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// upper makes the first letter a capital.
func upper(s string) string {
	for i, r := range s {
		return strings.ToUpper(string(r)) + s[i+len(string(r)):]
	}
	return s
}

// host is the part of an address that says whose page it is.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return strings.TrimPrefix(u.Host, "www.")
}

// outcomeWord says how a turn ended.
func outcomeWord(o event.Outcome) string {
	switch o {
	case event.Success:
		return "Done"
	case event.Failure:
		return "Failed"
	case event.Interrupted:
		return "Stopped"
	case event.Timeout:
		return "Timed out"
	case event.Unknown:
		return "Unknown"
	}
	return "Unknown"
}
