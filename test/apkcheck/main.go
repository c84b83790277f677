// Command apkcheck says what is wrong with APKs of Keva, before a phone does, and how large their parts are. It changes
// nothing. It is here since it reads the userland with the app's own code, which platform may not know.
//
//	go run ./test/apkcheck [-pack] APK…
package main

import (
	"flag"
	"fmt"
	"os"

	"keva/engines/userland/pack"
	"keva/platform/android/apk"
	"keva/platform/android/toolchain"
)

func main() {
	pack := flag.Bool("pack", false, "the userland must be in it")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: apkcheck [-pack] APK…")
		os.Exit(2)
	}
	failed := false
	for _, path := range flag.Args() {
		failed = !check(path, *pack) || failed
	}
	if failed {
		os.Exit(1)
	}
}

func check(path string, pack bool) bool {
	a, err := apk.Open(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return false
	}
	defer a.Close()
	fmt.Print(a.Sizes())
	problems := a.Check()
	if pack && !a.HasPack() {
		problems = append(problems, apk.Problem{Check: "userland", Text: "it is missing"})
	}
	if a.HasPack() {
		if err := readPack(a); err != nil {
			problems = append(problems, apk.Problem{Check: "userland", Text: err.Error()})
		}
	}
	by := map[string][]string{}
	for _, p := range problems {
		by[p.Check] = append(by[p.Check], p.Text)
	}
	for _, name := range apk.Names() {
		if len(by[name]) == 0 {
			fmt.Println("  ok     ", name)
		}
		for _, text := range by[name] {
			fmt.Println("  WRONG  ", name+":", text)
		}
	}
	return len(problems) == 0
}

// readPack reads the whole userland in place, as the app does when it unpacks it.
func readPack(a *apk.APK) error {
	abi, err := a.ABI()
	if err != nil {
		return err
	}
	arch, err := toolchain.Find(abi)
	if err != nil {
		return err
	}
	o, err := pack.OpenAPK(a.Path, apk.PackEntry)
	if err != nil {
		return err
	}
	defer o.Close()
	r, err := pack.NewReader(o)
	if err != nil {
		return err
	}
	if got := r.Manifest().Arch; got != arch.Go {
		return fmt.Errorf("it is for %s, the app is for %s", got, arch.Go)
	}
	return r.Walk(func(pack.Piece) error { return nil })
}
