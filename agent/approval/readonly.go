// Package approval decides about requests of an engine without a person, as far as the user allowed it beforehand, and
// says what a person should know before deciding. It is pure text work: it must never run, open or resolve anything, and
// in doubt it must never say that something is harmless.
package approval

import (
	"regexp"
	"slices"
	"strings"
)

// ReadOnly reports whether a command certainly only looks: it is a list or pipeline of commands that are known to have no
// way to change or run anything, with options that are known. false means only "not known to be harmless".
//
// git is not on the list, not even git status or git log: a repository's own configuration names programs that git then
// runs (core.fsmonitor, core.pager, diff.external, textconv, aliases), and a cloned project may bring such a folder along.
// Neither are programs that start others by design (env, xargs, awk, less), whatever their arguments.
func ReadOnly(command string) bool {
	if inner, ok := unwrap(command); ok {
		command = inner
	}
	commands, ok := parse(command)
	if !ok {
		return false
	}
	return !slices.ContainsFunc(commands, func(c []word) bool { return !harmless(c) })
}

// shells are the programs that an engine wraps a command in; their languages agree on all that parse reads.
var shells = []string{"bash", "/bin/bash", "/usr/bin/bash", "sh", "/bin/sh", "/usr/bin/sh", "zsh", "/bin/zsh", "/usr/bin/zsh"}

// unwrap takes the script out of "/bin/bash -lc 'script'".
func unwrap(command string) (string, bool) {
	commands, ok := parse(command)
	if !ok || len(commands) != 1 || len(commands[0]) != 3 {
		return "", false
	}
	c := commands[0]
	if !slices.Contains(shells, c[0].text) || c[1].text != "-lc" && c[1].text != "-c" || c[2].open {
		return "", false
	}
	return c[2].text, true
}

// harmless reports whether one simple command is on the list.
func harmless(c []word) bool {
	// A name with an open * ? or [ is never on the list: which program it is depends on the files that lie around.
	name, args := c[0], c[1:]
	if slices.Contains(anyArguments, name.text) {
		return true
	}
	check, ok := checked[name.text]
	if !ok || slices.ContainsFunc(args, func(w word) bool { return w.free }) {
		return false
	}
	return check(args)
}

// anyArguments are commands that have no option and no operand that writes, runs or sets something.
var anyArguments = []string{
	"ls", "pwd", "cat", "head", "tail", "wc", "stat", "echo", "cd", "basename", "dirname",
	"realpath", "readlink", "nl", "tac", "cut", "tr", "comm", "cmp", "diff", "du", "df", "od", "which", "whoami", "id",
	"uname", "true", "false", "md5sum", "sha1sum", "sha256sum", "sha512sum",
}

// checked are commands that look only with the right options. The check sees every word, so it does not matter which of
// them are values of options: a word with a dash at its start must be on the list wherever it stands.
var checked = map[string]func([]word) bool{
	"rg": options(rgOption), // not --pre, --hostname-bin, -z: they start programs
	// One engine puts ugrep in the place of grep, and that has --filter, --pager, --view, --save-config.
	"grep":    options(grepOption),
	"egrep":   options(grepOption),
	"fgrep":   options(grepOption),
	"find":    options(findOption),                                                                  // not -exec…, -ok…, -delete, -fprint…, -fls
	"sort":    options(regexp.MustCompile(`^-([bdfgiMhnRrVsuzcC]+|[kt]|k[0-9.,bdfgiMhnRrV]+|t.)$`)), // not -o, --compress-program
	"file":    options(regexp.MustCompile(`^(-[bhiLk]+|--brief|--mime|--mime-type|--mime-encoding)$`)),
	"tree":    options(regexp.MustCompile(`^(-[adfpshugDFlxCirtIP]+|-L[0-9]*|--dirsfirst|--noreport|--gitignore|--prune)$`)), // not -o, -R
	"uniq":    onlyOptions(regexp.MustCompile(`^-[cdDiuz]+$`)),                                                               // its second operand is written
	"date":    onlyOptions(regexp.MustCompile(`^(-u|-R|-I(date|hours|minutes|seconds|ns)?|\+.*)$`)),                          // an operand sets the clock
	"sed":     printsLines,
	"command": looksUp,
}

var rgOption = regexp.MustCompile(`^(-[0-9A-Za-y.]+|--|--(files|hidden|no-ignore|no-ignore-vcs|heading|no-heading|line-number|no-line-number|` +
	`ignore-case|case-sensitive|smart-case|word-regexp|line-regexp|fixed-strings|multiline|multiline-dotall|pcre2|invert-match|count|` +
	`count-matches|files-with-matches|files-without-match|only-matching|with-filename|no-filename|column|vimgrep|json|stats|trim|null|` +
	`text|quiet|type-list|no-messages|follow|max-count|max-depth|max-columns|max-filesize|context|after-context|before-context|` +
	`glob|iglob|type|type-not|regexp|sort|sortr|color|replace|passthru|pretty)(=.*)?)$`)

var grepOption = regexp.MustCompile(`^(-[0-9ABCEFGHLPRTUabcehilmnoqrsvwxZ]+|--|--(include|exclude|exclude-dir|color|colour|line-number|count|` +
	`ignore-case|files-with-matches|files-without-match|recursive|no-messages|max-count|context|after-context|before-context|` +
	`only-matching|word-regexp|line-regexp|fixed-strings|extended-regexp|basic-regexp|perl-regexp|invert-match|with-filename|` +
	`no-filename|text|binary-files|null|quiet|regexp)(=.*)?)$`)

var findOption = regexp.MustCompile(`^-([HLP]|name|iname|path|ipath|wholename|iwholename|lname|ilname|regex|iregex|regextype|type|xtype|` +
	`maxdepth|mindepth|depth|xdev|mount|follow|size|empty|links|inum|samefile|newer|newer[aBcm][aBcmt]|anewer|cnewer|[acm]time|[acm]min|` +
	`used|perm|user|group|uid|gid|nouser|nogroup|readable|writable|executable|print|print0|printf|ls|prune|quit|not|a|and|o|or|true|` +
	`false|daystart|noleaf|[0-9]+[bcwkMG]?)$`)

// options accepts operands, and options that match.
func options(re *regexp.Regexp) func([]word) bool {
	return func(args []word) bool {
		return !slices.ContainsFunc(args, func(w word) bool { return strings.HasPrefix(w.text, "-") && w.text != "-" && !re.MatchString(w.text) })
	}
}

// onlyOptions accepts no operands.
func onlyOptions(re *regexp.Regexp) func([]word) bool {
	return func(args []word) bool {
		return !slices.ContainsFunc(args, func(w word) bool { return w.open || !re.MatchString(w.text) })
	}
}

var sedPrint = regexp.MustCompile(`^([0-9]+|\$)(,(\+?[0-9]+|\$))?p$`)

// printsLines accepts sed -n '10,20p' FILE…, the way in which engines read a part of a file. Any other script may write
// files (w) or run programs (e).
func printsLines(args []word) bool {
	if len(args) < 2 || args[0].text != "-n" || args[1].open || !sedPrint.MatchString(args[1].text) {
		return false
	}
	return !slices.ContainsFunc(args[2:], func(w word) bool { return strings.HasPrefix(w.text, "-") })
}

// looksUp accepts command -v NAME…; without -v it runs NAME.
func looksUp(args []word) bool {
	if len(args) < 2 || args[0].text != "-v" && args[0].text != "-V" {
		return false
	}
	return !slices.ContainsFunc(args[1:], func(w word) bool { return strings.HasPrefix(w.text, "-") || w.open })
}
