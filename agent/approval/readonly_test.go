package approval

import (
	"strings"
	"testing"
)

func TestCommandsThatOnlyLook(t *testing.T) {
	for _, c := range []string{
		"ls",
		"ls -la src",
		"ls *.go",
		"pwd",
		"cd sub && ls -l",
		"cat go.mod | head -5",
		"cat 'a file.txt' \"another one\" b\\ c",
		"cat *",
		"head -n 20 README.md; tail -n 5 README.md;",
		"grep -rn 'func main' --include='*.go' .",
		`grep -n "a\.b\"c" f`,
		"grep foo src/*.go || true",
		"rg -n TODO src",
		"rg --files -g '*.go'",
		"rg -t go -A 3 'x > y' .",
		"find . -name '*.go' -type f -mtime -1",
		`find . \( -name a -o -name b \) -print`,
		"find src* -maxdepth 2",
		"wc -l notes.txt && echo héllo",
		"sort -u -k2 x | uniq -c | sort -rn",
		"sort -t , -k 2,3n x",
		"sed -n '10,20p' main.go",
		"sed -n '5,$p' main.go",
		"sed -n 3p main.go",
		"stat x; file --mime-type x",
		"tree -L 2 -I node_modules",
		"command -v go gofmt",
		"date +%F",
		"diff a b",
		"echo '$(rm -rf /)' \"a > b\" '`x`'",
		"ls ~/project",
		"/bin/bash -lc ls",
		"/bin/bash -lc 'ls -la'",
		"/bin/bash -lc 'cat a && cat b | head'",
		`bash -c "ls -la"`,
		`/bin/zsh -lc 'cat '\''a b'\'''`,
	} {
		if !ReadOnly(c) {
			t.Errorf("asks for %s", c)
		}
	}
}

// What is wrongly called harmless runs without a question. Each line is a way in which "looking" does something else.
func TestCommandsThatMayDoMore(t *testing.T) {
	for why, commands := range map[string][]string{
		"nothing at all": {"", " ", ";", "&&", "''", "\"\""},
		"not listed":     {"rm x", "touch x", "make", "npm test", "go test ./...", "python x.py", "./ls", "/tmp/ls", "src/ls", "tee x", "xxd a b", "hostname evil"},
		"git runs what the repository configures": {"git status", "git log", "git diff", "git show", "git -c core.pager=x log"},
		"starts other programs": {
			"env ls", "xargs ls", "time ls", "nice ls", "exec ls", "eval ls", "command ls", "builtin cd", "nohup ls", "sudo ls", "watch ls",
			"awk 1 x", "less x", "man ls", "test -v 'a[$(id)]'", "[ -f x ]", ". ./x", "source x", "bash x", "bash -x -c ls", "sh -c",
		},
		"sets shell variables":  {"printf -v PATH x; ls", "export PATH=.; ls", "PATH=. ls", "A=1", "read x", "alias ls=rm; ls"},
		"redirection":           {"ls > x", "ls >x", "cat < x", "ls 2>/dev/null", "cat <<E", "ls >| x", "ls &> x", "cat <(ls)", "echo x>>y", "ls 2>&1"},
		"substitution":          {"ls $(rm x)", "ls `rm x`", "ls \"$(rm x)\"", "ls \"`rm x`\"", "ls $X", "ls \"$X\"", "ls ${X}", "ls $'a'", "echo $((1))"},
		"background and groups": {"ls &", "ls & ls", "ls & rm x", "(ls)", "{ ls; }", "ls |& cat", "ls ;; ls", "! ls", "if ls; then ls; fi", "ls() { rm x; }; ls"},
		"an unlisted one in a list": {
			"ls; rm x", "ls && rm x", "ls || rm x", "ls | sh", "ls | tee x", "cat x | xargs rm", "ls ; ; ls", "ls &&", "ls |", "| ls", "&& ls", "ls;rm x",
		},
		"line ends and hidden characters": {
			"ls\nrm x", "ls\r\nrm x", "ls\x00", "ls\trm", "ls \u202erm", "ls\u200b", "ls\u00a0x", "ls \u2028", "\xffls", "ls \x1b[2J",
			"/bin/bash -lc 'ls\nrm x'", "ls \\\nrm",
		},
		"quotes that can't be read": {"ls 'a", "ls \"a", "ls \\", "ls 'a'b'", "ls \"a\\\"", "/bin/bash -lc 'ls"},
		"braces":                    {"find . -{exec,x} ls", "ls {a,b}", "find . -exec ls {} +"},
		"comments":                  {"ls # x", "# x", "ls;#x"},
		"programs chosen by files that lie around": {"*", "./*", "l?", "[l]s", "l*"},
		"file names that become options":           {"rg x *", "find *", "sort *", "sort ?x", "find [a-z]*", "uniq a*", "rg ''* x", "grep x *"},
		"find":                                     {"find . -exec rm {} ;", "find . -exec rm x \\;", "find . -delete", "find . -execdir x \\;", "find . -ok x \\;", "find . -okdir x", "find . -fprint x", "find . -fprintf x y", "find . -fprint0 x", "find . -fls x", "find . '-delete'", "find . -de\"lete\"", "find . \\-delete"},
		"rg":                                       {"rg --pre x y", "rg --pre=x y", "rg '--pre' x y", "rg -z x", "rg -nz x", "rg --search-zip x", "rg --hostname-bin x y", "rg --hostname-bin=x y", "rg -n --pre ./x a"},
		"grep, which may be ugrep":                 {"grep --filter=x y", "grep --pager=x y", "grep --view=x y", "grep --save-config=x", "grep -Q x", "grep ---x y", "grep --config=x y"},
		"sort":                                     {"sort -o x y", "sort -ox y", "sort --output=x y", "sort --compress-program=x y", "sort -ro x", "sort -T x y", "sort --outp x", "sort -uo x y", "sort x -o y"},
		"sed":                                      {"sed p x", "sed -i s/a/b/ x", "sed -n 'w x' y", "sed -n '1,2w x' y", "sed -n 1e x", "sed -n -i 1p x", "sed -n 1p -i x", "sed -n 's/a/b/w x' y", "sed -n '1p;w x' y", "sed -n 1p *", "sed -ni 1p x", "sed -n --in-place 1p x"},
		"uniq":                                     {"uniq a b", "uniq a"},
		"date":                                     {"date 01010000", "date -s x", "date --set=x", "date -us x", "date +*"},
		"file":                                     {"file -C -m x", "file -Cm x", "file -z x", "file --compile x"},
		"tree":                                     {"tree -o x", "tree -fo x", "tree -R", "tree --output x"},
		"shells": {
			"fish -c ls", "/tmp/bash -c ls", "bash -c ls rm", "bash -lc ls; rm x", "bash -lc 'ls; rm x'", "bash -lc \"ls; rm x\"", "bash -lc 'bash -c ls'",
			"bash -lc 'ls' && rm x", "bash -lc ls*", "bash -lc ls' '*", "bash -lc $X", "bash -ic ls", "bash --rcfile x -c ls", "bash -c 'ls > x'", "bash -lc 'ls $(x)'",
		},
		"endless": {strings.Repeat("ls;", 4000)},
	} {
		for _, c := range commands {
			if ReadOnly(c) {
				t.Errorf("%s: %.80q is called harmless", why, c)
			}
		}
	}
}

// The classifier's promise, in a form that does not use its own parser: outside of quotes nothing that the shell acts on,
// and every word at the start of a simple command on the list.
func FuzzReadOnly(f *testing.F) {
	for _, s := range []string{
		"ls", "ls > x", "ls `x`", "ls $(x)", "ls; rm x", "cat a | head", "/bin/bash -lc 'ls'", "echo 'a > b'", `echo "a\"b"`, "ls && x",
		`bash -c "ls '$(x)'"`, "find . -exec x", "ls 'a'\\''b'", "rg \"--pre\" x", "sed -n '1,2p' x", `echo \> x`, "ls '' \"\" ;", "echo a'b'\"c\"\\d",
	} {
		f.Add(s)
	}
	listed := map[string]bool{}
	for _, n := range anyArguments {
		listed[n] = true
	}
	for n := range checked {
		listed[n] = true
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !ReadOnly(s) {
			return
		}
		if inner, ok := unwrap(s); ok {
			s = inner
		}
		bare := bareOf(t, s)
		if i := strings.IndexAny(bare, "<>`$(){}\n\r\t\x00"); i >= 0 {
			t.Fatalf("%q has an unquoted %q", s, bare[i])
		}
		if strings.Contains(strings.ReplaceAll(bare, "&&", ""), "&") {
			t.Fatalf("%q runs in the background", s)
		}
		for _, c := range strings.FieldsFunc(bare, func(r rune) bool { return r == ';' || r == '|' || r == '&' }) {
			words := strings.Fields(c)
			if len(words) == 0 {
				continue
			}
			// A name that is partly quoted or escaped can't be compared here.
			if name := words[0]; !strings.ContainsAny(name, "\x01") && !listed[name] {
				t.Fatalf("%q runs %q", s, name)
			}
			for _, w := range words {
				for _, bad := range []string{"-exec", "-delete", "-ok", "-fprint", "-fls", "--pre", "--hostname-bin", "--filter", "--pager", "--output", "--compress-program", "-i"} {
					if words[0] != "echo" && words[0] != "ls" && words[0] != "cat" && strings.HasPrefix(w, bad) && checked[words[0]] != nil && w != "-ignore" {
						if bad == "-i" && words[0] != "sed" {
							continue
						}
						t.Fatalf("%q has %q", s, w)
					}
				}
			}
		}
	})
}

// bareOf blanks all that is quoted or escaped, and what substitution would still reach in double quotes it leaves.
func bareOf(t *testing.T, s string) string {
	t.Helper()
	out := []byte(s)
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			out[i] = 1
			if i++; i < len(s) {
				out[i] = 1
			}
		case '\'':
			out[i] = 1
			for i++; i < len(s) && s[i] != '\''; i++ {
				out[i] = 1
			}
			if i >= len(s) {
				t.Fatalf("%q has an open quote", s)
			}
			out[i] = 1
		case '"':
			out[i] = 1
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' && i+1 < len(s) {
					out[i] = 1
					i++
				}
				if s[i] != '$' && s[i] != '`' || s[i-1] == '\\' {
					out[i] = 1
				}
			}
			if i >= len(s) {
				t.Fatalf("%q has an open quote", s)
			}
			out[i] = 1
		}
	}
	return string(out)
}
