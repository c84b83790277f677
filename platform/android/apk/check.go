package apk

import (
	"fmt"
	"os/exec"
	"strings"
)

// Problem is one thing that is wrong.
type Problem struct{ Check, Text string }

// checks are all of them, in the order of the report. Each gives what is wrong; nothing means that it looked, and it is right.
var checks = []struct {
	name string
	look func(a *APK) []string
}{
	{"manifest", (*APK).checkManifest},
	{"permissions", (*APK).checkPermissions},
	{"alignment of the archive", (*APK).checkZipalign},
	{"signature", (*APK).checkSignature},
	{"Java classes", (*APK).checkDex},
	{"native library", (*APK).checkLibraries},
	{"assets", (*APK).checkAssets},
	{"userland", (*APK).checkPack},
	{"nothing of the build machine, no secrets", (*APK).checkClean},
	{"size", (*APK).checkSize},
}

// Names are the checks that Check runs.
func Names() []string {
	list := make([]string, 0, len(checks))
	for _, c := range checks {
		list = append(list, c.name)
	}
	return list
}

// Check runs all checks. What a check can't read is a problem, never a pass.
func (a *APK) Check() []Problem {
	var all []Problem
	for _, c := range checks {
		for _, text := range c.look(a) {
			all = append(all, Problem{c.name, text})
		}
	}
	return all
}

// output runs one of Android's tools.
func output(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).CombinedOutput() //nolint:gosec // tools named here
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w: %s (./setup.sh apk installs the tools)", name, args[0], err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}

func (a *APK) checkZipalign() []string {
	if _, err := output("zipalign", "-c", "-p", "4", a.Path); err != nil {
		return []string{err.Error()}
	}
	return nil
}

func (a *APK) checkSignature() []string {
	out, err := output("apksigner", "verify", "--verbose", "--print-certs", "--min-sdk-version", "23", a.Path)
	if err != nil {
		return []string{err.Error()}
	}
	var bad []string
	for _, want := range []string{
		"Verified using v1 scheme (JAR signing): true",
		"Verified using v2 scheme (APK Signature Scheme v2): true",
		"Verified using v3 scheme (APK Signature Scheme v3): true",
		"Number of signers: 1\n",
	} {
		if !strings.Contains(out, want) {
			bad = append(bad, "not so: "+strings.TrimSpace(want))
		}
	}
	if strings.Contains(strings.ToLower(out), "gomobile") || strings.Contains(out, "CN=Android Debug") {
		bad = append(bad, "signed with a key that everybody has")
	}
	return bad
}

func (a *APK) checkSize() []string {
	var bad []string
	r := a.Sizes()
	if r.Total < 0 || r.Shell > a.want.Shell {
		bad = append(bad, fmt.Sprintf("the shell has %d bytes, of %d", r.Shell, a.want.Shell))
	}
	if r.Total < 0 || r.Total > a.want.Total {
		bad = append(bad, fmt.Sprintf("it has %d bytes, of %d", r.Total, a.want.Total))
	}
	return bad
}
