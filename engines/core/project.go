package core

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"

	"keva/agent/event"
)

// NewProject makes an empty project folder below the user's home and returns it: on a phone there is no other program that
// could. It becomes a git repository where there is a git; without one it is a folder all the same. Errors are *event.Error.
func (c *Core) NewProject(ctx context.Context, name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") || len(name) > 100 ||
		strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) }):
		return "", &event.Error{Class: event.ClassConfig, Message: "Give the project a name of letters and digits, without slashes, that does not begin with a dot or a dash."}
	case c.Home() == "":
		return "", &event.Error{Class: event.ClassConfig, Message: "There is no home folder to make a project in. Type the full path of a folder instead."}
	}
	dir := filepath.Join(c.Home(), "projects", name)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", &event.Error{Class: event.ClassConfig, Message: "The folder for projects can't be made. Check the free space.", Detail: err.Error()}
	}
	if err := os.Mkdir(dir, 0o700); errors.Is(err, fs.ErrExist) {
		return "", &event.Error{Class: event.ClassConfig, Message: "There is a project of this name already. Open it, or choose another name."}
	} else if err != nil {
		return "", &event.Error{Class: event.ClassConfig, Message: "The project's folder can't be made. Check the name and the free space.", Detail: err.Error()}
	}
	if git := c.git(); git.Path != "" {
		cmd := exec.CommandContext(ctx, git.Path, "init", "-q")
		cmd.Dir, cmd.Env = dir, append(append([]string{}, git.Env...), "HOME="+c.Home(), "GIT_TERMINAL_PROMPT=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			c.Log.Warn().Err(err).Str("git", string(out)).Msg("the new project has no repository")
		}
	}
	return dir, nil
}
