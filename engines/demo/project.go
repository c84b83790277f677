package demo

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"keva/agent/event"
	"keva/assets"
)

// projectMark is the file by which the sample project is recognised: a folder without it is never written over.
const projectMark = "demo-project.txt"

// ErrNoGit is wrapped by the error of NewProject when everything is there but the git repository, which is a convenience.
var ErrNoGit = errors.New("the sample project has no git repository")

// Git is a git to make the repository with, and its environment. The zero value is none.
type Git struct {
	Path string
	Env  []string
}

// HostGit is this machine's git, if it has one.
func HostGit() Git {
	path, err := exec.LookPath("git")
	if err != nil {
		return Git{} // a bare machine has none; the project works without
	}
	return Git{path, []string{"PATH=" + os.Getenv("PATH")}}
}

// NewProject is NewProjectWith this machine's git.
func NewProject(dir string) error { return NewProjectWith(HostGit(), dir) }

// NewProjectWith makes the sample project of the tour in dir, which must be missing, empty, or the unchanged project already.
// It runs nothing but git.
func NewProjectWith(git Git, dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return projectError("The folder for the sample project can't be read. Choose another one.", err)
	case len(entries) == 0:
	case !IsProject(dir):
		return projectError("The folder for the sample project is not empty, and what is in it is not the sample project. Choose another one.", errors.New(dir))
	case unchanged(dir):
		return nil
	default:
		return projectError("The sample project is there already, and it was changed. Open it as it is, or reset it.", errors.New(dir))
	}
	return writeProject(git, dir)
}

// ResetProject puts the files of the sample project back to their first state. Other files in dir stay. A folder that is
// not the sample project is refused.
func ResetProject(dir string) error {
	if !IsProject(dir) {
		return projectError("This folder is not the sample project, so it is not reset.", errors.New(dir))
	}
	return writeProject(HostGit(), dir)
}

// IsProject tells whether dir holds the sample project, changed or not.
func IsProject(dir string) bool {
	want, err := fs.ReadFile(assets.Demo, "demo/project/"+projectMark)
	if err != nil {
		return false
	}
	have, err := os.ReadFile(filepath.Join(dir, projectMark))
	return err == nil && bytes.Equal(have, want)
}

func projectError(message string, cause error) error {
	return &event.Error{Class: event.ClassConfig, Message: message, Detail: cause.Error()}
}

// projectFiles calls f for each file of the project, with its path below the folder.
func projectFiles(f func(name string, data []byte) error) error {
	const root = "demo/project"
	return fs.WalkDir(assets.Demo, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(assets.Demo, name)
		if err != nil {
			return err
		}
		return f(strings.TrimPrefix(name, root+"/"), data)
	})
}

func unchanged(dir string) bool {
	ours := map[string]bool{}
	err := projectFiles(func(name string, data []byte) error {
		ours[name] = true
		have, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if !bytes.Equal(have, data) {
			return errors.New(name + " differs")
		}
		return nil
	})
	if err != nil {
		return false
	}
	err = filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		if !ours[filepath.ToSlash(name)] {
			return errors.New(name + " is not ours")
		}
		return nil
	})
	return err == nil
}

func writeProject(git Git, dir string) error {
	err := projectFiles(func(name string, data []byte) error {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if path.Ext(name) == ".sh" {
			mode = 0o755
		}
		return os.WriteFile(file, data, mode)
	})
	if err != nil {
		return projectError("The sample project could not be written. Check the free space and the permissions of its folder.", err)
	}
	return initGit(git, dir)
}

// initGit makes a repository with one commit, so that the change of the tour can be seen with git. The person's own git
// settings (hooks, signing) stay out of it.
func initGit(git Git, dir string) error {
	if git.Path == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		return nil
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "Sample project of the demo"}} {
		cmd := exec.Command(git.Path, args...)
		cmd.Dir = dir
		cmd.Env = append(append([]string{}, git.Env...),
			"HOME="+dir, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
			"GIT_AUTHOR_NAME=Keva", "GIT_AUTHOR_EMAIL=demo@localhost", "GIT_COMMITTER_NAME=Keva", "GIT_COMMITTER_EMAIL=demo@localhost",
		)
		if out, err := cmd.CombinedOutput(); err != nil {
			return errors.Join(ErrNoGit, projectError("The sample project is ready, but git could not make a repository of it.", errors.New(err.Error()+": "+string(out))))
		}
	}
	return nil
}
