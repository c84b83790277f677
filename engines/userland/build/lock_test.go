package build

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"keva/assets/userland"
)

const hash0 = "0000000000000000000000000000000000000000000000000000000000000000"

func lockText(lines ...string) string {
	return "# comment\nuserland-lock 1 arm64\n" + strings.Join(lines, "\n") + "\n"
}

const (
	aLine = "aa 1:2.0-1+b2 arm64 10 " + hash0 + " pool/main/a/aa/aa_2.0-1+b2_arm64.deb"
	bLine = "bb 3~rc1 all 20 " + hash0 + " pool/updates/main/b/bb/bb_3~rc1_all.deb"
)

func TestLockIsReadAsItWasWritten(t *testing.T) {
	want := Lock{Arch: "arm64", Packages: []Package{
		{"bb", "3~rc1", "all", 20, hash0, "pool/updates/main/b/bb/bb_3~rc1_all.deb"},
		{"aa", "1:2.0-1+b2", "arm64", 10, hash0, "pool/main/a/aa/aa_2.0-1+b2_arm64.deb"},
	}}
	var b bytes.Buffer
	if err := WriteLock(&b, want); err != nil {
		t.Fatal(err)
	}
	got, err := ParseLock(&b)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(want.Packages) // it is sorted when it is written
	if got.Arch != want.Arch || !slices.Equal(got.Packages, want.Packages) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// What a lock names becomes paths, addresses and arguments, and a torn one would make a pack that lacks programs.
func TestBadLocks(t *testing.T) {
	field := func(n int, value string) string {
		f := strings.Split(aLine, " ")
		f[n] = value
		return lockText(strings.Join(f, " "), "end 1")
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":              {"", "cut off"},
		"torn at a line":     {lockText(aLine), "cut off"},
		"torn in a line":     {lockText(aLine, bLine[:40]), "fields"},
		"a line is gone":     {lockText(bLine, "end 2"), "there are 1"},
		"more after the end": {lockText(aLine, "end 1", bLine), "follows the end"},
		"twice":              {lockText(aLine, aLine, "end 2"), "twice"},
		"not sorted":         {lockText(bLine, aLine, "end 2"), "not sorted"},
		"no header":          {aLine + "\nend 1\n", "does not begin"},
		"other format":       {"userland-lock 2 arm64\nend 0\n", "format"},
		"other architecture": {"userland-lock 1 mips\nend 0\n", "mips"},
		"name is an option":  {field(0, "-oDir=/"), "not a package name"},
		"name leads out":     {field(0, "../aa"), "not a package name"},
		"odd version":        {field(1, "$(id)"), "not a version"},
		"for another one":    {field(2, "amd64"), `for "amd64"`},
		"no size":            {field(3, "ten"), "ten"},
		"negative size":      {field(3, "-1"), "size"},
		"huge":               {field(3, "999999999999"), "size"},
		"short hash":         {field(4, "00"), "sha256"},
		"upper case hash":    {field(4, strings.ToUpper("a")+hash0[1:]), "sha256"},
		"absolute path":      {field(5, "/pool/main/a/aa/aa_1_arm64.deb"), "path"},
		"path leads out":     {field(5, "pool/../../aa_1_arm64.deb"), "path"},
		"path with a host":   {field(5, "https://x/pool/aa_1_arm64.deb"), "path"},
		"of another package": {field(5, "pool/main/b/bb/bb_1_arm64.deb"), "path"},
		"not a package":      {field(5, "pool/main/a/aa/aa_1_arm64.tar"), "path"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseLock(strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func FuzzParseLock(f *testing.F) {
	f.Add(lockText(aLine, bLine, "end 2"))
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLock(strings.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteLock(&b, l); err != nil {
			t.Fatalf("read, but can't be written: %v", err)
		}
		again, err := ParseLock(&b)
		if err != nil || !slices.Equal(l.Packages, again.Packages) {
			t.Errorf("%v: %+v became %+v", err, l, again)
		}
	})
}

// The lock files are those of the package list, and both architectures get the same userland.
func TestOurLocks(t *testing.T) {
	read := func(name string) string {
		data, err := userland.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	wanted, err := ParseWanted(read("packages"))
	if err != nil {
		t.Fatal(err)
	}
	var names [][]string
	for _, tg := range targets {
		l, err := ParseLock(strings.NewReader(read(tg.arch + ".lock")))
		if err != nil || l.Arch != tg.arch {
			t.Fatalf("%s.lock: %q %v", tg.arch, l.Arch, err)
		}
		var has []string
		for _, p := range l.Packages {
			has = append(has, p.Name)
		}
		names = append(names, has)
		for _, w := range wanted.Install {
			if !slices.Contains(has, w) {
				t.Errorf("%s.lock lacks %s: run make pack-lock", tg.arch, w)
			}
		}
		for _, w := range wanted.Without {
			if slices.Contains(has, w) {
				t.Errorf("%s.lock pins %s, which the list leaves out: run make pack-lock", tg.arch, w)
			}
		}
	}
	if !slices.Equal(names[0], names[1]) {
		t.Errorf("the architectures differ: %q and %q", names[0], names[1])
	}
}

func TestWantedIsStrict(t *testing.T) {
	w, err := ParseWanted("# shell\nbash\n\n-dpkg\n")
	if err != nil || !slices.Equal(w.Install, []string{"bash"}) || !slices.Equal(w.Without, []string{"dpkg"}) {
		t.Errorf("%+v %v", w, err)
	}
	for _, bad := range []string{"bash\nbash\n", "bash\n-bash\n", "--option\n", "two words\n", "../x\n"} {
		if w, err := ParseWanted(bad); err == nil {
			t.Errorf("%q was read as %+v", bad, w)
		}
	}
}
