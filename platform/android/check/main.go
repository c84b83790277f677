// Command check says what is wrong with APKs of Keva, before a phone does, and how large their parts are. It changes nothing.
//
//	go run ./platform/android/check [-pack] APK…
package main

import (
	"flag"
	"fmt"
	"os"

	"keva/platform/android/apk"
)

func main() {
	pack := flag.Bool("pack", false, "the userland must be in it")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: check [-pack] APK…")
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
