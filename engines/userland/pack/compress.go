package pack

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Compress makes one or more complete zstd frames of at most [MaxFrame] bytes. It must give the same bytes for the
// same input, and is called concurrently.
type Compress func(plain []byte) ([]byte, error)

// Fast compresses for development and tests: seconds instead of minutes for a whole pack.
func Fast() Compress {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false))
	return func(plain []byte) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		return enc.EncodeAll(plain, nil), nil
	}
}

// decoder unpacks single frames, safe for concurrent use. It gives no output beyond the capacity of the buffer, whatever
// a frame says of itself. Checksums are not needed: headers are compared, contents have a SHA-256.
var decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true),
		zstd.IgnoreChecksum(true), zstd.WithDecoderMaxWindow(1<<27))
})
