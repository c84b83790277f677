package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"keva/agent/event"
)

// suite is the Debian release that the packages come from, with its updates and security fixes.
const suite = "bookworm"

// apt is a private apt: the machine's own sources, keys, proxies and logins, but another architecture, no installed
// package, and folders of its own. It needs no root and changes nothing of the machine.
type apt struct {
	dir  string // its folders
	arch string
}

// newAPT prepares the private folders in dir.
func newAPT(dir, arch string) (apt, error) {
	a := apt{dir, arch}
	for _, d := range []string{"lists/partial", "archives/partial"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return a, diskError(dir, err)
		}
	}
	for name, text := range map[string]string{"status": "", "preferences": preferences(), "conf": a.config()} {
		if err := replace(filepath.Join(dir, name), []byte(text)); err != nil { // another build may be reading it
			return a, err
		}
	}
	return a, nil
}

// preferences let Debian's packages win over those of other sources, whose versions may be higher.
func preferences() string {
	var b strings.Builder
	for _, codename := range []string{suite, suite + "-updates", suite + "-security"} {
		fmt.Fprintf(&b, "Package: *\nPin: release o=Debian,n=%s\nPin-Priority: 990\n\n", codename)
	}
	return b.String()
}

// config is read after the machine's own. The hooks of the machine must not run: they would act on the machine.
func (a apt) config() string {
	in := func(name string) string { return strconv.Quote(filepath.Join(a.dir, name)) }
	lines := []string{
		`#clear APT::Update::Pre-Invoke`, `#clear APT::Update::Post-Invoke`, `#clear APT::Update::Post-Invoke-Success`,
		`#clear APT::Architectures`,
		`APT::Architecture ` + strconv.Quote(a.arch),
		`APT::Architectures { ` + strconv.Quote(a.arch) + `; }`,
		`APT::Sandbox::User "root"`, // whoever runs this: the folders are theirs
		`APT::Install-Recommends "false"`, `APT::Install-Suggests "false"`,
		`Acquire::Languages "none"`, `Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false"`,
		`Dir::State ` + in(""), `Dir::State::lists ` + in("lists"), `Dir::State::status ` + in("status"),
		`Dir::Cache ` + in(""), `Dir::Cache::archives ` + in("archives"),
		`Dir::Cache::pkgcache ""`, `Dir::Cache::srcpkgcache ""`,
		`Dir::Etc::preferences ` + in("preferences"), `Dir::Etc::preferencesparts "/dev/null"`,
	}
	return strings.Join(lines, ";\n") + ";\n"
}

// run runs one of apt's programs and returns what it printed.
func (a apt) run(ctx context.Context, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, append([]string{"-q", "-c", filepath.Join(a.dir, "conf")}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return "", &event.Error{
			Class:   event.ClassConfig,
			Message: "The pack is made of Debian packages, and " + program + " is missing here. Build it on Debian or a relative of it.",
			Detail:  err.Error(),
		}
	case ctx.Err() != nil:
		return "", &event.Error{Class: event.ClassInterrupted, Message: "Making the pack was stopped.", Detail: ctx.Err().Error()}
	case err != nil:
		return out.String(), fmt.Errorf("%s %s: %w: %s", program, args[0], err, tail(errs.String()))
	}
	return out.String(), nil
}

// tail is the end of what a program said.
func tail(s string) string {
	s = strings.TrimSpace(s)
	if n := len(s) - 2000; n > 0 {
		s = "…" + strings.ToValidUTF8(s[n:], "")
	}
	return s
}

// source is one place of the machine's configuration that offers packages for the architecture.
type source struct{ site, codename string }

// sources are the places that the machine's configuration names. With release files at hand (after update) only Debian's
// are taken, by what they call themselves; without, all.
func (a apt) sources(ctx context.Context, updated bool) ([]source, error) {
	format := "$(SITE)|$(RELEASE)|$(CREATED_BY)|Debian"
	if updated {
		format = "$(SITE)|$(CODENAME)|$(CREATED_BY)|$(ORIGIN)"
	}
	out, err := a.run(ctx, "apt-get", "indextargets", "-o", "APT::Get::IndexTargets::ReleaseInfo="+strconv.FormatBool(updated), "--format", format)
	var own *event.Error
	if errors.As(err, &own) {
		return nil, err
	}
	if err != nil {
		return nil, &event.Error{Class: event.ClassConfig, Message: "apt could not read this machine's package sources. The detail says why.", Detail: err.Error()}
	}
	var found []source
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 4 || f[2] != "Packages" || f[3] != "Debian" {
			continue
		}
		s := source{strings.TrimSuffix(f[0], "/"), f[1]}
		if (!updated || s.codename == suite || strings.HasPrefix(s.codename, suite+"-")) && !slices.Contains(found, s) {
			found = append(found, s)
		}
	}
	if len(found) == 0 || updated && !slices.ContainsFunc(found, func(s source) bool { return s.codename == suite }) {
		return nil, &event.Error{
			Class: event.ClassConfig,
			Message: fmt.Sprintf("This machine's package sources do not offer Debian %s for %s, of which the pack is made. Add a source with %s, %s-updates and %s-security to /etc/apt, then try again.",
				suite, a.arch, suite, suite, suite),
			Detail: fmt.Sprintf("apt-get indextargets names no such release; found %v", found),
		}
	}
	return found, nil
}
