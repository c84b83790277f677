package proc

import (
	"fmt"

	"keva/agent/event"
)

func checkDir(dir string) error { return nil }

func startError(path, dir string, err error) error {
	return &event.Error{Class: event.ClassEngine, Message: fmt.Sprintf("%s could not be started.", path), Detail: err.Error()}
}
