package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"time"

	"keva/test/jail/drive"
)

// measure runs each work once to warm up, then as often as it says. A command that fails is no figure but an error.
func measure(works string, out *json.Encoder) error {
	var list []drive.Work
	if err := json.Unmarshal([]byte(works), &list); err != nil {
		return err
	}
	for _, w := range list {
		m := drive.Measured{Name: w.Name}
		for i := range w.Times + 1 {
			begun := time.Now()
			if said, err := exec.Command(w.Args[0], w.Args[1:]...).CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w\n%s", w.Name, err, said)
			}
			if i > 0 {
				m.Took = append(m.Took, time.Since(begun))
			}
		}
		if err := out.Encode(m); err != nil {
			return err
		}
	}
	return nil
}
