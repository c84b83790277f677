// Command driver is Keva without a screen, for the jail: the service, both adapters, the demo provider and the orphan guard
// as the product has them, in one static program. Only what needs cgo is replaced: sessions are kept in files.
//
//	driver keva TASK     serve one prompt; TASK is JSON, what happens goes to standard output as lines of JSON
//	driver kill TASK     be killed as Keva and look at what the next start makes of it
//	driver install APK FOLDER
//	                     unpack the userland that is in an APK, and check all of it
//	driver measure WORKS run commands and tell how long each took
//
// TASK is a task of package drive.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"keva/test/jail/drive"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 1 && args[0] == "stranger" {
		stranger()
	}
	out := json.NewEncoder(os.Stdout)
	if len(args) == 3 && args[0] == "install" {
		return unpackAPK(args[1], args[2], out)
	}
	if len(args) == 2 && args[0] == "measure" {
		return measure(args[1], out)
	}
	if len(args) != 2 {
		return fmt.Errorf("usage: driver keva|kill TASK, driver measure WORKS, or driver install APK FOLDER")
	}
	var t drive.Task
	if err := json.Unmarshal([]byte(args[1]), &t); err != nil {
		return err
	}
	switch args[0] {
	case "keva":
		return keva(t, out)
	case "kill":
		r, err := kill(t)
		if err != nil {
			return err
		}
		return out.Encode(r)
	}
	return fmt.Errorf("no such role: %q", args[0])
}
