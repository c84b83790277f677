// Command cmd makes the key of a publisher and signs the description of a version:
//
//	go run ./platform/update/cmd -new KEYFILE
//	go run ./platform/update/cmd -key KEYFILE -version 0.2.0 -sequence 7 -page https://… -notes NOTES.txt > latest.json
//
// The key file is the only thing that can speak for Keva to installed apps: it belongs to nobody's repository. A sequence
// must be higher than that of everything published before.
package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"keva/platform/update"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, time.Now().UTC()); err != nil {
		fmt.Fprintln(os.Stderr, "update:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer, now time.Time) error {
	flags := flag.NewFlagSet("update", flag.ContinueOnError)
	fresh := flags.String("new", "", "make a key, write it to this file and print the public half")
	keyFile := flags.String("key", "", "file of the key")
	version := flags.String("version", "", "major.minor.patch")
	sequence := flags.Uint64("sequence", 0, "higher than ever before")
	page := flags.String("page", "", "https address with the download")
	notes := flags.String("notes", "", "file of the notes, plain text")
	days := flags.Int("days", 90, "how long it holds; publish a new one before")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *fresh != "" {
		pub, key, err := ed25519.GenerateKey(nil)
		if err != nil {
			return err
		}
		f, err := os.OpenFile(*fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // a key is never written over
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(f, base64.StdEncoding.EncodeToString(key.Seed()))
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, base64.StdEncoding.EncodeToString(pub))
		return err
	}
	data, err := os.ReadFile(*keyFile)
	if err != nil {
		return err
	}
	seed, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(data)))
	if err != nil || len(seed) != ed25519.SeedSize {
		return errors.New(*keyFile + " is no key of this command")
	}
	m := update.Manifest{Sequence: *sequence, Version: *version, Page: *page, Published: now, Expires: now.AddDate(0, 0, *days)}
	if *notes != "" {
		text, err := os.ReadFile(*notes)
		if err != nil {
			return err
		}
		m.Notes = string(text)
	}
	signed, err := update.Sign(ed25519.NewKeyFromSeed(seed), m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, string(signed))
	return err
}
