package elfedit

import (
	"bytes"
	"fmt"

	"keva/engines/userland/pack"
)

// Linux reads this much of a script (BINPRM_BUF_SIZE) and refuses an interpreter's path that is cut off there.
const lineLimit = 256

// Shebang gives the relocation that puts the installation path before a script's interpreter. It is nil for what is no
// script, and for an interpreter that the tree doesn't have: inside answers for an absolute path of the tree, "/usr/bin/env".
// Only then does the kernel run the script for every parent; k.so helps only the programs that load it.
func Shebang(file []byte, inside func(path string) bool) (*pack.Reloc, error) {
	if !bytes.HasPrefix(file, []byte("#!")) {
		return nil, nil
	}
	line := file[:min(len(file), lineLimit)]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	} else if len(line) == lineLimit {
		return nil, nil // the kernel takes it as cut off, whatever we do
	}
	at := 2
	for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
		at++
	}
	end := at
	for end < len(line) && line[end] != ' ' && line[end] != '\t' && line[end] != '\r' && line[end] != 0 {
		end++
	}
	name := string(line[at:end])
	if name == "" || name[0] != '/' || !inside(name) {
		return nil, nil
	}
	if len(line)+pack.MaxPrefix >= lineLimit {
		return nil, fail(fmt.Sprintf("The script's first line has %d bytes; with the installation path it is longer than the kernel reads.", len(line)), string(line))
	}
	return &pack.Reloc{Kind: pack.Insert, Offset: int64(at)}, nil
}
