package apk

import (
	"archive/zip"
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"

	"keva/platform/android"
)

// PackEntry is where the userland lies in an APK.
const PackEntry = android.PackEntry

// The userland comes as Zstandard frames; a first frame of the skippable kind may hold what is known about them.
var (
	frame     = []byte{0x28, 0xb5, 0x2f, 0xfd}
	skippable = []byte{0x2a, 0x4d, 0x18}
)

func isZstd(head []byte) bool {
	return bytes.HasPrefix(head, frame) || len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], skippable)
}

// CheckPack says whether a file can be the userland.
func CheckPack(path string) error {
	f, err := os.Open(path) //nolint:gosec // the user's choice
	if err != nil {
		return fmt.Errorf("the userland is missing; `make pack` makes it: %w", err)
	}
	defer f.Close()
	head := make([]byte, 4)
	if _, err := io.ReadFull(f, head); err != nil || !isZstd(head) {
		return fmt.Errorf("%s is no Zstandard archive: make it anew with `make pack`", path)
	}
	return nil
}

// checkPack looks whether the userland can be read in place, and whether it is whole.
func (a *APK) checkPack() []string {
	f, err := a.file(PackEntry)
	if err != nil {
		return nil // a shell; whoever needs the userland asks HasPack
	}
	if f.Method != zip.Store || f.CompressedSize64 != f.UncompressedSize64 {
		return []string{"it is compressed once more: it can't be read in place"}
	}
	at, err := f.DataOffset()
	if err != nil {
		return []string{err.Error()}
	}
	file, err := os.Open(a.Path)
	if err != nil {
		return []string{err.Error()}
	}
	defer file.Close()
	size := int64(f.UncompressedSize64) //nolint:gosec // of a file
	place := io.NewSectionReader(file, at, size)
	head := make([]byte, 4)
	if _, err := place.ReadAt(head, 0); err != nil || !isZstd(head) {
		return []string{"in its place there is no Zstandard archive"}
	}
	sum := crc32.NewIEEE()
	if n, err := io.Copy(sum, place); err != nil || n != size || sum.Sum32() != f.CRC32 {
		return []string{fmt.Sprintf("it is damaged: %d of %d bytes, %v", n, size, err)}
	}
	return nil
}

// checkAssets looks for programs that lie about: they are taken for malware, and belong into the userland.
func (a *APK) checkAssets() []string {
	var bad []string
	for _, f := range a.zip.File {
		if strings.HasPrefix(f.Name, "assets/") && f.Name != PackEntry {
			bad = append(bad, "nobody asked for "+f.Name)
		}
		if strings.HasPrefix(f.Name, "lib/") || f.Name == PackEntry {
			continue
		}
		data, err := read(f)
		if err != nil {
			bad = append(bad, err.Error())
		}
		if bytes.HasPrefix(data, []byte("\x7fELF")) {
			bad = append(bad, "a program lies loose: "+f.Name)
		}
	}
	return bad
}
