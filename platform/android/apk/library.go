package apk

import (
	"bytes"
	"debug/elf"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"keva/platform/android/toolchain"
)

// page is the largest page that Android has.
const page = 16 << 10

// Libraries of Android that the app may need, and the shape of the names that it may take from those whose headers say
// what they hold. What may be taken from the C library is listed one by one (toolchain/abi/symbols.txt).
var (
	needed    = []string{"libandroid.so", "liblog.so", "libEGL.so", "libGLESv2.so", "libc.so", "libm.so", "libdl.so"}
	framework = regexp.MustCompile(`^(A(Asset|AssetDir|AssetManager|Configuration|InputEvent|InputQueue|KeyEvent|Looper|MotionEvent|NativeActivity|NativeWindow)_\w+|__android_log_\w+|egl[A-Z]\w+|gl[A-Z]\w+)$`)
)

func (a *APK) checkLibraries() []string {
	abi, err := a.ABI()
	if err != nil {
		return []string{err.Error()}
	}
	arch, err := toolchain.Find(abi)
	if err != nil {
		return []string{err.Error()}
	}
	var bad []string
	for _, f := range a.libraries() {
		say := func(format string, args ...any) { bad = append(bad, f.Name+": "+fmt.Sprintf(format, args...)) }
		data, err := read(f)
		if err != nil {
			say("%v", err)
			continue
		}
		lib, err := elf.NewFile(bytes.NewReader(data))
		if err != nil {
			say("%v", err)
			continue
		}
		if want := map[string]elf.Machine{"arm64": elf.EM_AARCH64, "amd64": elf.EM_X86_64}[arch.Go]; lib.Machine != want || lib.Type != elf.ET_DYN {
			say("it is %v %v, not a library for %v", lib.Machine, lib.Type, want)
		}
		if !regexp.MustCompile(`/lib\w+\.so$`).MatchString(f.Name) {
			say("Android unpacks only files called lib*.so")
		}
		for _, text := range shape(lib) {
			say("%s", text)
		}
		for _, text := range a.symbols(lib) {
			say("%s", text)
		}
	}
	return bad
}

// shape looks at how a library is laid out.
func shape(lib *elf.File) (bad []string) {
	loads := 0
	for _, p := range lib.Progs {
		switch {
		case p.Type == elf.PT_LOAD && (p.Align < page || p.Align%page != 0 || (p.Vaddr-p.Off)%page != 0):
			bad = append(bad, fmt.Sprintf("a segment is aligned to %#x: it can't be loaded on phones with pages of 16 KiB", p.Align))
		case p.Type == elf.PT_TLS:
			bad = append(bad, "it has thread-local storage, which Android 9 can not load")
		case p.Type == elf.PT_GNU_STACK && p.Flags&elf.PF_X != 0:
			bad = append(bad, "its stack may be executed")
		case p.Type == elf.PT_LOAD && p.Flags&(elf.PF_W|elf.PF_X) == elf.PF_W|elf.PF_X:
			bad = append(bad, "a segment can be written and executed")
		}
		if p.Type == elf.PT_LOAD {
			loads++
		}
	}
	if loads == 0 {
		bad = append(bad, "there is nothing to load")
	}
	for _, s := range lib.Sections {
		if s.Type == elf.SHT_SYMTAB || strings.HasPrefix(s.Name, ".debug") || strings.HasPrefix(s.Name, ".zdebug") {
			bad = append(bad, "it is not stripped: "+s.Name)
		}
	}
	for tag, name := range map[elf.DynTag]string{elf.DT_RPATH: "RPATH", elf.DT_RUNPATH: "RUNPATH", elf.DT_TEXTREL: "TEXTREL"} {
		if v, err := lib.DynValue(tag); err != nil || len(v) > 0 {
			bad = append(bad, "it has a "+name)
		}
	}
	return bad
}

// symbols looks at what a library offers and what it wants.
func (a *APK) symbols(lib *elf.File) (bad []string) {
	libs, err := lib.ImportedLibraries()
	if err != nil {
		return []string{err.Error()}
	}
	for _, l := range libs {
		if !slices.Contains(needed, l) {
			bad = append(bad, "it needs "+l+", which apps may not have")
		}
	}
	all, err := lib.DynamicSymbols()
	if err != nil {
		return append(bad, err.Error())
	}
	offers := map[string]bool{}
	allowed := toolchain.Symbols()
	for _, s := range all {
		if s.Section != elf.SHN_UNDEF {
			offers[s.Name] = true
			continue
		}
		ok := framework.MatchString(s.Name)
		for _, list := range allowed {
			ok = ok || slices.Contains(list, s.Name)
		}
		if !ok && elf.ST_BIND(s.Info) != elf.STB_WEAK {
			bad = append(bad, "it wants "+s.Name+", which is not known to be in Android 9")
		}
	}
	for _, want := range a.want.Exports {
		if !offers[want] {
			bad = append(bad, "it does not offer "+want)
		}
	}
	return bad
}
