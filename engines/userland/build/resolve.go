package build

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"keva/agent/event"
)

// Wanted is the package list: what to install, and what to leave out of what that depends on.
type Wanted struct{ Install, Without []string }

// ParseWanted reads a package list: one name a line, "#" begins a comment, "-" leaves out.
func ParseWanted(text string) (Wanted, error) {
	var w Wanted
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		name := strings.TrimSpace(line)
		if name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		name, without := strings.CutPrefix(name, "-")
		if !debName.MatchString(name) || seen[name] {
			return Wanted{}, fmt.Errorf("%q is not a package name, or is there twice", name)
		}
		seen[name] = true
		if without {
			w.Without = append(w.Without, name)
		} else {
			w.Install = append(w.Install, name)
		}
	}
	return w, nil
}

// Resolve asks the machine's package sources which versions the packages and their dependencies have now. dir is for the
// private apt. Errors are *event.Error.
func Resolve(ctx context.Context, dir, arch string, w Wanted) (Lock, error) {
	l := Lock{Arch: arch}
	a, err := newAPT(dir, arch)
	if err != nil {
		return l, err
	}
	if _, err := a.run(ctx, "apt-get", "update", "-o", "APT::Update::Error-Mode=any"); err != nil {
		return l, aptError(err, event.ClassNetwork, "The package lists could not be fetched. Check the network and apt's settings, then run `make pack-lock` again.")
	}
	sources, err := a.sources(ctx, true)
	if err != nil {
		return l, err
	}
	planned, err := a.run(ctx, "apt-get", append([]string{"install", "--print-uris", "-y"}, w.Install...)...)
	if err != nil {
		return l, aptError(err, event.ClassConfig, "apt can't install the packages of assets/userland/packages together. The detail says why.")
	}
	var pins []string
	for line := range strings.Lines(planned) {
		if !strings.HasPrefix(line, "'") {
			continue
		}
		name, version, err := planLine(line, sources)
		if err != nil {
			return l, aptError(err, event.ClassConfig, "apt would take a package from elsewhere than Debian "+suite+". Remove the pin or hold that wants it, or lower that source's priority.")
		}
		if !slices.Contains(w.Without, name) {
			pins = append(pins, name+"="+version)
		}
	}
	shown, err := a.run(ctx, "apt-cache", append([]string{"show", "--no-all-versions"}, pins...)...)
	if err != nil {
		return l, aptError(err, event.ClassConfig, "apt does not know the packages that it would install. Run `make pack-lock` again.")
	}
	if l.Packages, err = stanzas(shown); err == nil && len(l.Packages) != len(pins) {
		err = fmt.Errorf("%d packages were asked for, %d were shown", len(pins), len(l.Packages))
	}
	if err != nil {
		return l, aptError(err, event.ClassConfig, "apt's answer could not be read. The detail says why.")
	}
	return l, nil
}

// planLine reads one line of --print-uris, 'URI' NAME_VERSION_ARCH.deb SIZE HASH, and insists on a source of ours.
func planLine(line string, sources []source) (name, version string, err error) {
	uri, rest, ok := strings.Cut(strings.TrimPrefix(line, "'"), "' ")
	file, _, ok2 := strings.Cut(rest, " ")
	parts := strings.Split(file, "_")
	if !ok || !ok2 || len(parts) != 3 {
		return "", "", fmt.Errorf("%q is not a line of apt's plan", line)
	}
	ours := slices.ContainsFunc(sources, func(s source) bool { return strings.HasPrefix(uri, s.site+"/pool/") })
	if !ours {
		return "", "", fmt.Errorf("%s comes from another source", file)
	}
	return parts[0], strings.ReplaceAll(parts[1], "%3a", ":"), nil
}

// stanzas reads what apt-cache shows.
func stanzas(text string) ([]Package, error) {
	var all []Package
	for stanza := range strings.SplitSeq(text, "\n\n") {
		f := map[string]string{}
		for line := range strings.Lines(stanza) {
			if key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok && !strings.HasPrefix(line, " ") {
				f[key] = value
			}
		}
		if len(f) == 0 {
			continue
		}
		size, err := strconv.ParseInt(f["Size"], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: size: %w", f["Package"], err)
		}
		all = append(all, Package{Name: f["Package"], Version: f["Version"], Arch: f["Architecture"], Size: size, SHA256: f["SHA256"], Path: f["Filename"]})
	}
	return all, nil
}

// aptError gives a failure of apt its sentence, unless it has one.
func aptError(err error, class event.Class, message string) error {
	var own *event.Error
	if errors.As(err, &own) {
		return err
	}
	return &event.Error{Class: class, Message: message, Detail: err.Error()}
}
