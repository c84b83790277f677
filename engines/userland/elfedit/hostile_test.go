package elfedit

import (
	"bytes"
	"testing"
)

// digest runs everything on a file; it may fail, but neither panic nor break what it promises.
func digest(t *testing.T, file []byte, p Policy) {
	t.Helper()
	before := bytes.Clone(file)
	edited, relocs, err := Prepare(file, Options{Path: "usr/bin/x", Interp: "/ld", Static: "/ldk", Library: "l", Preload: "k.so"})
	if err == nil {
		if len(relocs) == 0 && !bytes.Equal(edited, file) {
			t.Fatal("changed without a relocation")
		}
		for _, r := range relocs {
			if r.Offset < int64(len(file)) || r.Offset+int64(r.Room) != int64(len(edited)) {
				t.Fatalf("the slot %+v isn't at the end", r)
			}
		}
	}
	if edited, _, err := NopAll(file, p); err == nil && len(edited) != len(file) {
		t.Fatal("NopAll changed the size")
	}
	if r, err := RootSlot(file, ".keva.root", ""); err == nil && r.Offset+SlotSize > int64(len(file)) {
		t.Fatal("a slot outside the file")
	}
	if r, err := Shebang(file, func(string) bool { return true }); err == nil && r != nil && r.Offset >= int64(len(file)) {
		t.Fatal("an insertion outside the file")
	}
	if !bytes.Equal(before, file) {
		t.Fatal("the input was changed")
	}
}

// Every header field, one at a time, with the values that break careless arithmetic; and every truncation.
func TestHostileHeaders(t *testing.T) {
	p := policy(t, "read 0\nexit 60\n")
	for name, file := range map[string][]byte{
		"dynamic": compile(t, "gcc", hello, "-s"),
		"static":  compile(t, "gcc", bare, append(bareFlags, `-DWORD="x"`, "-static-pie")...),
	} {
		t.Run(name, func(t *testing.T) {
			m, err := parse(file)
			if err != nil {
				t.Fatal(err)
			}
			n := uint64(len(file))
			places := []uint64{}
			for at := uint64(16); at < m.programs[0].at+uint64(len(m.programs))*programSize; at += 2 {
				places = append(places, at)
			}
			for _, q := range m.programs {
				if q.kind == 2 { // PT_DYNAMIC
					for at := q.offset; at < q.offset+q.filled; at += 8 {
						places = append(places, at)
					}
				}
			}
			sections := le.Uint64(file[40:])
			for at := sections; at+8 <= n; at += 8 {
				places = append(places, at)
			}
			for _, at := range places {
				for _, v := range []uint64{0, 1, 7, n - 1, n, n + 1, 1 << 31, 1 << 32, 1 << 63, ^uint64(0), ^uint64(0) - 63} {
					if at+8 > n {
						continue
					}
					bad := bytes.Clone(file)
					le.PutUint64(bad[at:], v)
					digest(t, bad, p)
				}
			}
			for cut := 0; cut < len(file); cut += 1 + cut/50 {
				digest(t, file[:cut], p)
			}
		})
	}
}

func FuzzEdit(f *testing.F) {
	f.Add(compile(f, "gcc", bare, append(bareFlags, `-DWORD="x"`, "-static-pie", "-s")...))
	f.Add(compile(f, "gcc", bare, append(bareFlags, `-DWORD="x"`, "-static", "-s")...))
	f.Add(compile(f, "gcc", hello, "-s"))
	f.Add([]byte("#!/bin/sh -e\n"))
	p := policy(f, "read 0\n")
	f.Fuzz(func(t *testing.T, file []byte) { digest(t, file, p) })
}

func FuzzPolicy(f *testing.F) {
	f.Add([]byte("# x\nread 63\nopenat 56\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, err := ParsePolicy("fuzz", text); err == nil && !p.Allows(0) && !p.Allows(63) {
			t.Fatal("a policy that can't read was accepted")
		}
	})
}
