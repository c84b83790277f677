package pack

import (
	"encoding/binary"
	"fmt"
)

// The seek table of zstd's seekable format (contrib/seekable_format in the zstd sources), without checksums: a
// skippable frame of (packed size, plain size) for each frame, then a footer of 9 bytes.
const (
	skippable  = 0x184D2A5E
	seekable   = 0x8F92EAB1
	zstdMagic  = 0xFD2FB528
	seekHeader = 8
	seekEntry  = 8
	seekFooter = 9
	maxFrames  = 1 << 16
)

// Frame is one frame of the archive.
type Frame struct {
	Offset int64 // in the archive
	Packed int   // bytes in the archive
	Start  int64 // in the tar stream
	Size   int   // bytes of tar
}

func seekTable(frames []Frame) []byte {
	b := binary.LittleEndian.AppendUint32(nil, skippable)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(frames)*seekEntry+seekFooter))
	for _, f := range frames {
		b = binary.LittleEndian.AppendUint32(b, uint32(f.Packed))
		b = binary.LittleEndian.AppendUint32(b, uint32(f.Size))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(frames)))
	b = append(b, 0)
	return binary.LittleEndian.AppendUint32(b, seekable)
}

// readSeekTable finds the frames. They must fill the archive without a gap.
func readSeekTable(src Source) ([]Frame, error) {
	size := src.Size()
	head := make([]byte, 4)
	if size < int64(len(head)) {
		return nil, torn(fmt.Sprintf("only %d bytes", size))
	}
	if err := readAt(src, head, 0); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(head) != zstdMagic {
		return nil, &Error{Reason: ReasonFormat, Message: "This is no userland pack of Keva: it is no zstd archive." + again}
	}
	footer := make([]byte, seekFooter)
	if size < seekHeader+seekFooter {
		return nil, torn(fmt.Sprintf("only %d bytes", size))
	}
	if err := readAt(src, footer, size-seekFooter); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(footer[5:]) != seekable {
		return nil, torn("no seek table at the end")
	}
	n := int64(binary.LittleEndian.Uint32(footer))
	length := seekHeader + n*seekEntry + seekFooter
	if footer[4] != 0 || n < 2 || n > maxFrames || length > size {
		return nil, Corrupt("", fmt.Sprintf("a seek table of %d frames, flags %#x, in %d bytes", n, footer[4], size))
	}
	table := make([]byte, length)
	if err := readAt(src, table, size-length); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(table) != skippable || int64(binary.LittleEndian.Uint32(table[4:])) != length-seekHeader {
		return nil, Corrupt("", "the seek table has no header")
	}
	frames := make([]Frame, n)
	var at Frame
	for i := range frames {
		entry := table[seekHeader+i*seekEntry:]
		at.Packed = int(binary.LittleEndian.Uint32(entry))
		at.Size = int(binary.LittleEndian.Uint32(entry[4:]))
		// A frame of random bytes grows by a few bytes for each block of 128 KiB.
		if at.Size == 0 || at.Size > MaxFrame || at.Packed == 0 || at.Packed > MaxFrame+MaxFrame/64+1024 {
			return nil, hostile("", "has a frame %d of %d bytes, packed in %d", i, at.Size, at.Packed)
		}
		frames[i] = at
		at.Offset += int64(at.Packed)
		at.Start += int64(at.Size)
	}
	if at.Offset != size-length {
		return nil, torn(fmt.Sprintf("frames of %d bytes in an archive of %d", at.Offset, size-length))
	}
	return frames, nil
}
