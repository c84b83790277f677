package approval

import (
	"slices"
	"strings"
)

// known adds what is known of a program.
func (r *risks) known(name string, args []string) {
	switch name {
	case "git":
		r.git(args)
	case "curl", "wget", "ssh", "scp", "sftp", "nc", "ncat", "netcat", "telnet", "ftp", "socat", "gh", "glab", "aws", "gcloud",
		"kubectl", "http", "https", "lftp", "aria2c":
		r.add("It sends to or fetches from the network (" + name + ").")
	case "rsync":
		if slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, ":") }) {
			r.add("It sends to or fetches from the network (" + name + ").")
		}
		if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--delete") }) {
			r.add("It deletes files (rsync --delete).")
		}
	case "npm", "pnpm", "yarn", "bun", "pip", "pip3", "cargo", "go", "gem", "apt", "apt-get", "dnf", "apk", "pkg", "brew", "docker", "podman":
		if i := slices.IndexFunc(args, fetches); i >= 0 {
			r.add("It fetches and may run programs from the network (" + name + " " + args[i] + ").")
		}
		if slices.Contains(args, "publish") || slices.Contains(args, "push") {
			r.add("It publishes to the network (" + name + ").")
		}
	case "npx", "bunx", "pipx", "uvx":
		r.add("It fetches and may run programs from the network (" + name + ").")
	case "rm":
		if slices.ContainsFunc(args, func(a string) bool { return flag(a, "rR", "--recursive") }) {
			r.add("It deletes whole folders (rm -r). This can't be undone.")
		} else {
			r.add("It deletes files (rm). This can't be undone.")
		}
	case "rmdir", "unlink", "shred", "truncate", "dd", "mkfs", "wipefs":
		r.add("It deletes or overwrites data (" + name + "). This can't be undone.")
	case "find":
		if slices.Contains(args, "-delete") {
			r.add("It deletes files (find -delete). This can't be undone.")
		}
		for i, a := range args {
			switch a {
			case "-exec", "-execdir", "-ok", "-okdir":
				r.command(simple{words: args[i+1:]}, 4)
			}
		}
	case "su":
		r.add("It runs with the rights of the administrator (su).")
	}
}

func fetches(arg string) bool {
	switch arg {
	case "install", "i", "ci", "add", "get", "update", "upgrade", "pull", "exec", "dlx", "create", "run-script":
		return true
	}
	return false
}

// git knows the commands that reach out or throw away; git's own options come before the command.
func (r *risks) git(args []string) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		skip := 1
		if args[0] == "-C" || args[0] == "-c" || args[0] == "--git-dir" || args[0] == "--work-tree" {
			skip = 2
		}
		args = args[min(skip, len(args)):]
	}
	if len(args) == 0 {
		return
	}
	has := func(short, long string) bool {
		return slices.ContainsFunc(args[1:], func(a string) bool { return flag(a, short, long) })
	}
	switch args[0] {
	case "push":
		r.add("It sends commits to another machine (git push).")
		if has("f", "--force") || has("", "--force-with-lease") || has("", "--mirror") || has("d", "--delete") ||
			slices.ContainsFunc(args[1:], func(a string) bool { return strings.HasPrefix(a, "+") || strings.HasPrefix(a, ":") }) {
			r.add("It overwrites or deletes history on the other machine (forced push).")
		}
	case "fetch", "pull", "clone", "ls-remote", "submodule", "remote", "send-email":
		r.add("It talks to another machine (git " + args[0] + ").")
	case "clean":
		r.add("It deletes files that Git does not know (git clean). This can't be undone.")
	case "reset":
		if has("", "--hard") {
			r.add("It throws away changes that are not committed (git reset --hard).")
		}
	case "checkout", "restore":
		if args[0] == "restore" || has("f", "--force") || slices.Contains(args, "--") || slices.Contains(args, ".") {
			r.add("It may throw away changes that are not committed (git " + args[0] + ").")
		}
	case "filter-branch", "filter-repo", "gc", "reflog":
		r.add("It can delete history (git " + args[0] + ").")
	case "rm":
		r.add("It deletes files (git rm).")
	}
}

// flag reports whether a is one of the short flags, also in a group such as -rf, or the long one.
func flag(a, short, long string) bool {
	if strings.HasPrefix(a, "--") {
		return a == long || strings.HasPrefix(a, long+"=")
	}
	return strings.HasPrefix(a, "-") && strings.ContainsAny(a, short) && short != ""
}
