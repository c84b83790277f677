package apk

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

func (a *APK) checkDex() []string {
	var bad []string
	names := map[string][]string{}
	for _, f := range a.zip.File {
		if !strings.HasSuffix(f.Name, ".dex") {
			continue
		}
		data, err := read(f)
		if err != nil {
			return []string{err.Error()}
		}
		list, err := classes(data)
		if err != nil {
			return []string{f.Name + ": " + err.Error()}
		}
		names[f.Name] = list
	}
	if len(names) != 2 {
		bad = append(bad, fmt.Sprintf("there are %d dex files, not two", len(names)))
	}
	for _, want := range a.want.FrameworkClasses {
		if !slices.Contains(names["classes.dex"], want) {
			bad = append(bad, "Fyne's class is missing: "+want)
		}
	}
	if got := names["classes2.dex"]; !slices.Equal(got, a.want.Classes) {
		bad = append(bad, fmt.Sprintf("our classes are %v, not %v", got, a.want.Classes))
	}
	return bad
}

// classes are the classes that a dex file defines, sorted (Dalvik executable format, class_defs).
func classes(dex []byte) ([]string, error) {
	word := func(at uint64) (uint64, error) {
		if at > uint64(len(dex)) || uint64(len(dex))-at < 4 {
			return 0, fmt.Errorf("it is cut off at %d", at)
		}
		return uint64(binary.LittleEndian.Uint32(dex[at:])), nil
	}
	if len(dex) < 0x70 || string(dex[:4]) != "dex\n" {
		return nil, fmt.Errorf("it is no dex file")
	}
	header := func(at uint64) uint64 { v, _ := word(at); return v } // the header is there
	strs, types, defs, n := header(0x3c), header(0x44), header(0x64), header(0x60)
	var list []string
	for i := range n {
		class, err := word(defs + 32*i)
		if err != nil {
			return nil, err
		}
		descriptor, err := word(types + 4*class)
		if err != nil {
			return nil, err
		}
		at, err := word(strs + 4*descriptor)
		if err != nil {
			return nil, err
		}
		if at >= uint64(len(dex)) {
			return nil, fmt.Errorf("a name lies outside")
		}
		_, size := binary.Uvarint(dex[at:]) // the length in UTF-16 units; the text ends with 0
		end := -1
		if size > 0 {
			end = slices.Index(dex[at+uint64(size):], 0)
		}
		if end < 0 {
			return nil, fmt.Errorf("a name has no end")
		}
		list = append(list, string(dex[at+uint64(size):][:end]))
	}
	slices.Sort(list)
	return list, nil
}
