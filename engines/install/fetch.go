package install

import (
	"bytes"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"keva/agent/budget"
	"keva/agent/event"
)

// fetch lets the npm client put the package's tarball into dir and returns its path. Where packages come from, and
// through which proxy, is the client's configuration.
func fetch(ctx context.Context, p Package, dir string) (string, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", &event.Error{
			Class:   event.ClassConfig,
			Message: "The npm client is missing; the engines are npm packages. Install Node.js with npm, then run `make engines` again.",
			Detail:  err.Error(),
		}
	}
	cmd := exec.CommandContext(ctx, npm, "pack", p.spec(), "--pack-destination", dir, "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir                        // so that no project's .npmrc counts
	cmd.WaitDelay = budget.FetchEnd.Time // a child of npm may hold the pipes
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return "", npmError(ctx, p, said.String(), err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(found) != 1 {
		return "", &event.Error{
			Class:   event.ClassEngine,
			Message: fmt.Sprintf("The npm client brought no package for %s. Update npm, then run `make engines` again.", p.spec()),
			Detail:  fmt.Sprintf("%d tarballs; npm said: %s", len(found), last(said.String())),
		}
	}
	return found[0], nil
}

// npmError says in plain words why npm failed, by its error codes.
func npmError(ctx context.Context, p Package, said string, err error) error {
	e := &event.Error{Class: event.ClassEngine, Detail: fmt.Sprintf("%v; npm said: %s", err, last(said))}
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(said, w) {
				return true
			}
		}
		return false
	}
	switch {
	case ctx.Err() != nil:
		e.Class, e.Message = event.ClassInterrupted, "Fetching "+p.spec()+" was stopped. Run `make engines` to try again."
		e.Detail = errors.Join(ctx.Err(), err).Error()
	case has("EINTEGRITY"):
		e.Message = "The package " + p.spec() + " arrived damaged. Run `npm cache verify`, then `make engines` again."
	case has("E404", "ETARGET"):
		e.Message = "The package " + p.spec() + " is not offered where npm looks for packages. Check npm's registry setting."
	case has("E401", "E403", "ENEEDAUTH"):
		e.Class, e.Message = event.ClassAuth, "npm is not allowed to fetch "+p.spec()+". Check npm's registry and login settings."
	case has("ENOSPC"):
		e.Message = "The disk is full. Free 1 GB, then run `make engines` again."
	case has("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH", "ERR_SOCKET_TIMEOUT", "network"):
		e.Class, e.Message = event.ClassNetwork, "There is no way to the package registry. Check the network and npm's proxy settings, then run `make engines` again."
	case has("CERT", "certificate"):
		e.Class, e.Message = event.ClassNetwork, "The connection to the package registry is not trusted. Check the system's certificates and npm's proxy settings."
	case has("EACCES", "EPERM", "EROFS"):
		e.Message = "npm may not write its files. Check the permissions of npm's cache folder, then run `make engines` again."
	default:
		e.Message = "npm could not fetch " + p.spec() + ". The detail says why; then run `make engines` again."
	}
	return e
}

// last is the end of what a program said.
func last(s string) string {
	s = strings.TrimSpace(s)
	if n := len(s) - 2000; n > 0 {
		s = "…" + strings.ToValidUTF8(s[n:], "")
	}
	return s
}

// verify compares the tarball with its pin, whatever the npm client checked. A wrong one is deleted.
func verify(ctx context.Context, tarball string, p Package) error {
	f, err := os.Open(tarball)
	if err != nil {
		return storeError(tarball, err)
	}
	defer func() { _ = f.Close() }() // only read
	h := sha512.New()
	if _, err := io.Copy(h, reader{ctx, f}); err != nil {
		return storeError(tarball, err)
	}
	got := "sha512-" + base64.StdEncoding.EncodeToString(h.Sum(nil))
	if got == p.Integrity {
		return nil
	}
	detail := fmt.Sprintf("expected %s, got %s", p.Integrity, got)
	if err := os.Remove(tarball); err != nil {
		detail += "; " + err.Error()
	}
	return &event.Error{
		Class: event.ClassEngine,
		Message: fmt.Sprintf("The package %s is not the one that Keva was made for, so it was deleted (expected %s, got %s). "+
			"Check which registry npm uses, run `npm cache verify`, then `make engines` again.", p.spec(), p.Integrity, got),
		Detail: detail,
	}
}
