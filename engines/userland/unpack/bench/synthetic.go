package bench

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"

	"keva/engines/userland/pack"
)

// The shape of the real tree: a fifth of the bytes in 6,000 files, the rest in few big ones.
const (
	smallFiles = 6000
	bigFiles   = 5
	perFolder  = 40
)

func synthetic(size int64) []pack.Entry {
	entries := []pack.Entry{{Path: "usr", Kind: pack.Dir, Mode: 0o755, Part: "base"}}
	files := min(smallFiles, int(size/50_000)) // fewer in a pack for tests
	small := size / 5 / int64(files)
	for i := range files {
		dir := fmt.Sprintf("usr/share%d", i/perFolder)
		if i%perFolder == 0 {
			entries = append(entries, pack.Entry{Path: dir, Kind: pack.Dir, Mode: 0o755, Part: "base"})
		}
		// Sizes from almost nothing to twice the mean.
		entries = append(entries, file(fmt.Sprintf("%s/file%d", dir, i), "base", uint64(i), small*int64(i%100+1)/50))
	}
	entries = append(entries, pack.Entry{Path: "opt", Kind: pack.Dir, Mode: 0o755, Part: "claude"})
	for i := range bigFiles {
		f := file(fmt.Sprintf("opt/program%d", i), "claude", uint64(smallFiles+i), size*4/5/bigFiles)
		f.Relocs = []pack.Reloc{{Kind: pack.Slot, Offset: 64, Room: 256, Suffix: "/l/ld.so"}}
		entries = append(entries, f)
	}
	return entries
}

func file(path, part string, seed uint64, size int64) pack.Entry {
	return pack.Entry{
		Path: path, Kind: pack.Regular, Mode: 0o755, Part: part,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(io.LimitReader(newProse(seed), size)), nil },
	}
}

// prose is endless text that compresses about as well as programs do. It begins with room for a slot.
type prose struct {
	random *rand.Rand
	words  [][]byte
	rest   []byte
}

func newProse(seed uint64) *prose {
	p := &prose{random: rand.New(rand.NewPCG(seed, 1)), rest: make([]byte, 512)}
	for range 2000 {
		w := make([]byte, 3+p.random.IntN(12))
		for i := range w {
			w[i] = byte(p.random.Uint32())
		}
		p.words = append(p.words, w)
	}
	return p
}

func (p *prose) Read(b []byte) (int, error) {
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	var more bytes.Buffer
	for more.Len() < len(b)-n {
		// Some words are much more frequent than others.
		more.Write(p.words[p.random.IntN(1+p.random.IntN(len(p.words)))])
	}
	m := copy(b[n:], more.Bytes())
	p.rest = append(p.rest, more.Bytes()[m:]...)
	return n + m, nil
}
