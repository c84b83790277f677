package lab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"keva/test/jail/box"
)

// install puts the pack into the app's folder, unless there is one already.
func (l *Lab) install(context.Context) error {
	current, err := os.ReadFile(filepath.Join(l.Root, box.FilesDir, "userland/current"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("no userland is installed in %s", l.Root)
	case err != nil:
		return err
	}
	l.Tree = filepath.Join(box.FilesDir, "userland/versions", strings.TrimSpace(string(current)))
	_, err = os.Stat(filepath.Join(l.Root, l.Tree, "usr/bin"))
	return err
}
