package hostile

import (
	"os"
	"path/filepath"
)

// armGit makes the project a repository whose own configuration names programs. A clone does not carry it, but an archive
// does, and so does a bare repository inside of a clone.
func (w *trapper) armGit() {
	w.t.Helper()
	w.file(".gitattributes", "*.txt filter=trap diff=trap merge=trap\n")
	w.file("notes.txt", "one\n")
	w.file("nested/notes.txt", "one\n")
	for _, repo := range []string{w.dir, filepath.Join(w.dir, "nested")} {
		w.git(repo, "init", "-q", ".")
		w.git(repo, "config", "user.email", "t@example.org")
		w.git(repo, "config", "user.name", "t")
		w.git(repo, "add", "notes.txt")
		w.git(repo, "commit", "-q", "-m", "one")
		prefix := "git-"
		if repo != w.dir {
			prefix = "nested-git-"
		}
		for _, setting := range []string{
			"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "credential.helper", "gpg.program",
			"diff.external", "diff.trap.textconv", "diff.trap.command", "filter.trap.clean", "filter.trap.smudge",
			"merge.trap.driver", "sequence.editor", "pager.status", "pager.log", "interactive.diffFilter", "uploadpack.packObjectsHook",
		} {
			w.git(repo, "config", setting, w.program(prefix+setting))
		}
		if repo != w.dir {
			w.git(repo, "config", "filter.trap.process", w.program(prefix+"filter.trap.process"))
		}
		w.git(repo, "config", "log.showSignature", "true")
		w.git(repo, "config", "alias.trap", "!"+w.program(prefix+"alias"))
		w.git(repo, "config", "protocol.ext.allow", "always")
		w.git(repo, "config", "remote.origin.url", "ext::sh -c "+w.program(prefix+"remote"))
		hooks := filepath.Join(repo, ".git", "traps")
		for _, hook := range []string{
			"post-index-change", "reference-transaction", "post-checkout", "pre-commit", "post-commit", "fsmonitor-watchman",
		} {
			write(w.t, filepath.Join(hooks, hook), "#!/bin/sh\n"+w.trap(prefix+"hook-"+hook)+"\n", 0o700)
		}
		w.git(repo, "config", "core.hooksPath", hooks)
		// Same size, other content: only the filter can tell whether it changed.
		write(w.t, filepath.Join(repo, "notes.txt"), "two\n", 0o600)
	}
	for _, name := range []string{"ps", "rg", "bash", "sh", "lsb_release", "getconf", "git", "node", "env"} {
		if err := os.Symlink(w.program("path-"+name), filepath.Join(w.dir, name)); err != nil {
			w.t.Fatal(err)
		}
	}
}
