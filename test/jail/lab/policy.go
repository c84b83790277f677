//go:build linux && amd64

package lab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"keva/test/jail/box"
)

// Policies of the releases, in the form that is honest for a phone on this machine: what a phone's arm64 policy allows, in
// amd64 numbers. Android 9 is older than what Keva supports; it is here because it allows least.
var Policies = []string{
	"pie-release.arm64eq", "android10-release.arm64eq", "android11-release.arm64eq", "android12-release.arm64eq",
	"android13-release.arm64eq", "android14-release.arm64eq", "android15-release.arm64eq", "main.arm64eq",
}

// EmulatorPolicies are those of x86_64 Android.
var EmulatorPolicies = []string{
	EmulatorOldest, "android10-release.amd64", "android11-release.amd64", "android12-release.amd64",
	"android13-release.amd64", "android14-release.amd64", "android15-release.amd64", EmulatorNewest,
}

// Whole are those that get the whole battery always.
var Whole = []string{Oldest, Middle, Newest, EmulatorOldest}

// Some of them by name.
const (
	Oldest = "pie-release.arm64eq"
	Middle = "android13-release.arm64eq"
	Newest = "main.arm64eq"

	EmulatorOldest = "pie-release.amd64"
	EmulatorNewest = "main.amd64"
)

// Policy reads one of the policies of test/jail/policies.
func (l *Lab) Policy(name string) (box.Policy, error) {
	f, err := os.Open(filepath.Join(l.Source, "test/jail/policies", name+".policy"))
	if err != nil {
		return box.Policy{}, err
	}
	p, err := box.ParsePolicy(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return box.Policy{}, fmt.Errorf("policy %s: %w", name, err)
	}
	return p, nil
}
