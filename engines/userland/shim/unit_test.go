package shim

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// parts of unit/probe.c that need no policy.
var parts = []string{"accounts", "files", "shared", "shells"}

// Everything that a program is promised, on this machine.
func TestUnit(t *testing.T) {
	tr := newTree(t, "amd64")
	for _, p := range parts {
		says(t, tr.command(nil, "usr/bin/probe", p), "ok\n")
	}
	scripts(t, tr)
	foreign(t, tr)
	names(t, tr)
}

// The same programs for phones' processors. The emulator starts no children of another processor and has no policy.
func TestUnitARM64(t *testing.T) {
	tr := newTree(t, "arm64")
	// The emulator looks for an interpreter where the program says, so ldk runs, and loads glibc's linker.
	for _, p := range []string{"accounts", "files", "shared"} {
		says(t, tr.command(tr.run, "usr/bin/probe", p), "ok\n")
	}
	says(t, tr.command(tr.run, "usr/bin/probe", "args", "a b", ""), "[a b][]\n")
}

// What reads foreign input, with and without sanitizers, on both processors.
func TestParse(t *testing.T) {
	sources := []string{"unit/parse.c", "src/load.c", "src/nameservers.c", "src/place.c", "src/root.c", "src/shebang.c"}
	dir := t.TempDir()
	checked, plain := filepath.Join(dir, "checked"), filepath.Join(dir, "arm64")
	build(t, "amd64", checked, append([]string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all"}, sources...)...)
	says(t, exec.Command(checked, "20000"), "ok\n")
	build(t, "arm64", plain, append([]string{"-static"}, sources...)...)
	qemu, err := exec.LookPath(libraries["arm64"].run)
	if err != nil {
		t.Fatal("qemu-aarch64-static is missing; install qemu-user-static")
	}
	says(t, exec.Command(qemu, plain, "2000"), "ok\n")
}

// The preload's functions in one program with the address and undefined behaviour sanitizers.
func TestSanitized(t *testing.T) {
	tr := newTree(t, "amd64")
	program := filepath.Join(t.TempDir(), "probe")
	args := []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all", "unit/probe.c", "-Wno-nonnull-compare"}
	for _, s := range products[Preload].sources {
		args = append(args, "src/"+s)
	}
	build(t, "amd64", program, args...)
	for _, p := range []string{"accounts", "files", "shared", "shells"} {
		cmd := tr.command(nil, "usr/bin/probe", p)
		cmd.Path, cmd.Args[0] = program, program
		cmd.Env = append(cmd.Env, "ASAN_OPTIONS=detect_leaks=0")
		says(t, cmd, "ok\n")
	}
}

// scripts: the name and every argument arrive, whatever starts them.
func scripts(t *testing.T, tr *tree) {
	t.Helper()
	for _, c := range []struct{ line, want string }{
		{"#!/usr/bin/probe args", "[SCRIPT][one][two three][]\n"},
		{"#! /bin/probe args", "[SCRIPT][one][two three][]\n"},
		{"#!/usr/bin/probe args x y", ""}, // one argument, "args x y", which is no part
		{"#!/bin/sh -S a b", "[/bin/sh][-S a b][SCRIPT][one][two three][]\n"},
		{"echo plain", "[sh][SCRIPT][one][two three][]\n"},
	} {
		path := tr.put(t, "data/script", []byte(c.line+"\nbody\n"), nil)
		cmd := tr.command(nil, "usr/bin/probe", "exec", path, "one", "two three", "")
		out, err := cmd.CombinedOutput()
		want := []byte(c.want)
		for i := 0; i+6 <= len(want); i++ {
			if string(want[i:i+6]) == "SCRIPT" {
				want = append(append(append([]byte{}, want[:i]...), path...), want[i+6:]...)
			}
		}
		if string(out) != string(want) || (err == nil) != (c.want != "") {
			t.Errorf("%q: %v\ngot  %q\nwant %q", c.line, err, out, want)
		}
	}
	a := tr.put(t, "data/first", []byte("#!/usr/bin/probe same\n"), nil)
	b := tr.put(t, "data/other-one", []byte("#!/usr/bin/probe same\n"), nil)
	says(t, tr.command(nil, "usr/bin/probe", "racing", a, b), "ok\n")
	plain := tr.put(t, "data/plain", []byte("#!/usr/bin/probe args\n"), nil)
	if err := os.Chmod(plain, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := tr.command(nil, "usr/bin/probe", "exec", plain).CombinedOutput(); err == nil || string(out) != plain+": Permission denied\n" {
		t.Errorf("a script that is not executable: %v, %q", err, out)
	}
	missing := tr.put(t, "data/missing", []byte("#!/usr/bin/not-there\n"), nil)
	if out, err := tr.command(nil, "usr/bin/probe", "exec", missing).CombinedOutput(); err == nil || string(out) != missing+": No such file or directory\n" {
		t.Errorf("a missing interpreter: %v, %q", err, out)
	}
}

// foreign: a program that a user brought, made for an ordinary system, runs with the tree's libraries.
func foreign(t *testing.T, tr *tree) {
	t.Helper()
	dir := outside(t)
	source := filepath.Join(dir, "foreign.c")
	if err := os.WriteFile(source, []byte(`#include <stdio.h>
#include <string.h>
int main(int c, char **v) {
  char line[4096];
  FILE *f = fopen("/proc/self/maps", "r");
  while (f && fgets(line, sizeof line, f)) if (strstr(line, "/l/k.so")) return printf("%d %s\n", c, v[1]) < 0;
  return 1;
}`), 0o600); err != nil {
		t.Fatal(err)
	}
	build(t, tr.arch, filepath.Join(dir, "foreign"), source)
	says(t, tr.command(nil, "usr/bin/probe", "exec", filepath.Join(dir, "foreign"), "a b"), "2 a b\n")
}

// names: the app's name server, on a port of its own, answers libc.
func names(t *testing.T, tr *tree) {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		b := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(b[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
			if q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1},
					Body:   &dnsmessage.AResource{A: [4]byte{192, 0, 2, 77}},
				}}
			}
			if out, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(out, from)
			}
		}
	}()
	tr.put(t, "etc/resolv.conf", []byte("nameserver "+conn.LocalAddr().String()+"\n"), nil)
	says(t, tr.command(nil, "usr/bin/probe", "names", "host.example", "192.0.2.77"), "ok\n")
	says(t, tr.command(nil, "usr/bin/probe", "names", "10.1.2.3", "10.1.2.3"), "ok\n")
}
