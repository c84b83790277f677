package build

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"keva/engines/userland/pack"
	"keva/engines/userland/shim"
)

// cookBase does what the packages' maintainer scripts do on a machine, as far as an app needs it. No script is run: that
// would need the target's processor, root and a chroot.
func (t tree) cookBase(tg target) error {
	// Links of the merged /usr, and the short name of the library folder that programs find it by.
	for _, m := range merged {
		if t["usr/"+m] != nil {
			if err := t.ln(m, "usr/"+m); err != nil {
				return err
			}
		}
	}
	if err := t.ln(shim.Library, tg.libraries()); err != nil {
		return err
	}
	if err := t.certificates(); err != nil {
		return err
	}
	if err := t.alternatives(); err != nil {
		return err
	}
	for _, dir := range []string{"tmp", "var/tmp", "home"} {
		if err := t.dir(dir, "Keva"); err != nil {
			return err
		}
		t[dir].from = "Keva" // kept although nothing is in it
	}
	for p, text := range standIns {
		if err := t.set("var/proc/"+p, 0o644, []byte(text)); err != nil {
			return err
		}
	}
	// Python builds extensions with the compiler that it was built with, by its long name.
	for _, name := range []string{"cc", "gcc", "c++", "g++", tg.triplet + "-gcc", tg.triplet + "-g++"} {
		if t["usr/bin/"+name] != nil {
			return fmt.Errorf("usr/bin/%s is there: a package brings a compiler", name)
		}
		if err := t.set("usr/bin/"+name, 0o755, []byte(noCompiler)); err != nil {
			return err
		}
	}
	return nil
}

// standIns are given to programs where Android hides the real files (ps, uptime, os.cpus()): plausible, and never true.
var standIns = map[string]string{
	"stat": "cpu  100 0 100 10000 0 0 0 0 0 0\n" + cpus(8) +
		"intr 1\nctxt 1\nbtime 1700000000\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n",
	"uptime":  "100000.00 100000.00\n",
	"loadavg": "0.10 0.10 0.10 1/100 1000\n",
	"version": "Linux version 5.10.0-android (keva)\n",
	"vmstat":  "pgpgin 1\n",
}

func cpus(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "cpu%d 100 0 100 10000 0 0 0 0 0 0\n", i)
	}
	return b.String()
}

// noCompiler stands where builds look for a compiler. Without it they fail with "command not found", or not at all.
const noCompiler = `#!/bin/sh
echo "${0##*/}: Keva's userland has no C or C++ compiler, so nothing can be compiled on this phone. Use a package that comes compiled for Linux (pip install --only-binary :all: NAME; npm packages with prebuilt binaries), or one in pure Python or JavaScript." >&2
exit 127
`

// certificates joins the trusted certificates into the one file that all programs are pointed to.
func (t tree) certificates() error {
	const from = "usr/share/ca-certificates/mozilla/"
	var bundle bytes.Buffer
	for _, p := range t.paths() {
		if strings.HasPrefix(p, from) && path.Ext(p) == ".crt" {
			bundle.Write(bytes.TrimRight(t[p].data, "\n"))
			bundle.WriteByte('\n')
		}
	}
	if bundle.Len() == 0 {
		return fmt.Errorf("no package brings certificates below %s", from)
	}
	t.remove("usr/share/ca-certificates")
	if err := t.set("etc/ssl/certs/ca-certificates.crt", 0o644, bundle.Bytes()); err != nil {
		return err
	}
	return t.ln("usr/lib/ssl/cert.pem", "../../../etc/ssl/certs/ca-certificates.crt") // where OpenSSL itself looks
}

// choices are the links that update-alternatives and maintainer scripts would make, all in usr/bin. A missing target is
// an error: the package was left out.
var choices = [][2]string{
	{"sh", "bash"},
	{"awk", "gawk"},
	{"nawk", "gawk"},
	{"which", "which.debianutils"},
	{"python", "python3"},
	{"nc", "nc.openbsd"},
	{"netcat", "nc.openbsd"},
	{"pager", "less"},
	{"editor", "nano"},
	{"lzma", "xz"},
	{"unlzma", "unxz"},
	{"lzcat", "xzcat"},
	{"lzmore", "xzmore"},
	{"lzless", "xzless"},
	{"lzdiff", "xzdiff"},
	{"lzcmp", "xzcmp"},
	{"lzgrep", "xzgrep"},
	{"lzegrep", "xzegrep"},
	{"lzfgrep", "xzfgrep"},
}

func (t tree) alternatives() error {
	for _, c := range choices {
		if t["usr/bin/"+c[1]] == nil {
			return fmt.Errorf("usr/bin/%s should lead to %s, which no package brings", c[0], c[1])
		}
		if err := t.ln("usr/bin/"+c[0], c[1]); err != nil {
			return err
		}
	}
	return nil
}

// tidy removes what leads nowhere or holds nothing: each can make more of the other. It returns the links.
func (t tree) tidy() ([]string, error) {
	var gone []string
	for {
		before := len(t)
		t.empty()
		links, err := t.dangling()
		if err != nil {
			return nil, err
		}
		if gone = append(gone, links...); len(t) == before {
			return gone, nil
		}
	}
}

// dangling removes the links that lead nowhere, mostly to what was dropped, and returns them. One that was a second name of
// a file is an error: its content would be lost.
func (t tree) dangling() ([]string, error) {
	var gone []string
	for {
		before := len(gone)
		for _, p := range t.paths() {
			if t[p].kind != pack.Link {
				continue
			}
			if _, n := t.find(p); n != nil {
				continue
			}
			if t[p].hard {
				return nil, fmt.Errorf("%s was dropped, but it is also called %s: drop both or neither", path.Join(path.Dir(p), t[p].link), p)
			}
			gone = append(gone, p+" -> "+t[p].link)
			delete(t, p)
		}
		if len(gone) == before {
			return gone, nil
		}
	}
}

// empty removes the folders in which nothing is left, but not those that we made.
func (t tree) empty() {
	full := map[string]bool{}
	for p, n := range t {
		if n.kind != pack.Dir || n.from == "Keva" {
			for ; p != "." && !full[p]; p = path.Dir(p) {
				full[p] = true
			}
		}
	}
	for p := range t {
		if !full[p] {
			delete(t, p)
		}
	}
}
