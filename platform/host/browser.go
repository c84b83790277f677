package host

import (
	"context"
	"errors"
	"net/url"
	"os/exec"
	"strings"
	"syscall"
	"time"
	"unicode"

	"keva/agent/event"
)

// settled is how long an opener may take to fail. Some openers stay for as long as the browser does: that is a success.
const settled = 3 * time.Second

// OpenURL opens an address in the user's browser. Only http and https are opened: addresses come from models and web
// pages, and other schemes start programs.
func OpenURL(ctx context.Context, address string) error {
	return openWith(ctx, "xdg-open", address)
}

func openWith(ctx context.Context, program, address string) error {
	if err := checkWeb(address); err != nil {
		return err
	}
	// Not bound to ctx: the browser outlives the wish to wait for it.
	cmd := exec.Command(program, address) //nolint:gosec // a fixed program, a checked address
	// A session of its own: the browser must not die with the app, and never shares the app's terminal.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		e := &event.Error{
			Class: event.ClassConfig, Message: "No program for opening web pages was found. Install xdg-utils, or copy the address.",
			Detail: err.Error(),
		}
		if !errors.Is(err, exec.ErrNotFound) {
			e.Message = "The browser could not be started. Copy the address instead."
		}
		return e
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	wait := time.NewTimer(settled)
	defer wait.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return &event.Error{
				Class: event.ClassConfig, Message: "No browser could open the page. Set a default browser, or copy the address.",
				Detail: err.Error(),
			}
		}
		return nil
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func checkWeb(address string) error {
	refuse := func(why string) error {
		return &event.Error{Class: event.ClassConfig, Message: "This address is not opened: " + why + ".", Detail: address}
	}
	if strings.ContainsFunc(address, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }) {
		return refuse("it contains spaces or invisible characters")
	}
	u, err := url.Parse(address)
	if err != nil {
		return refuse("it is not a valid web address")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return refuse("only http and https pages are opened")
	}
	if u.Hostname() == "" {
		return refuse("it names no host")
	}
	return nil
}
