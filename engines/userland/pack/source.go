package pack

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
)

// Source is the bytes of a pack. ReadAt must be safe for concurrent use, as that of files is.
type Source interface {
	io.ReaderAt
	Size() int64 // in bytes
}

// Opened is a pack in a file, or in an APK. Close it when its readers are done.
type Opened struct {
	*io.SectionReader
	file *os.File
}

// Close closes the file.
func (o *Opened) Close() error { return o.file.Close() }

// OpenFile opens a pack that is a file of its own.
func OpenFile(path string) (*Opened, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, cantRead(path, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		return nil, cantRead(path, errors.Join(err, f.Close()))
	}
	return &Opened{io.NewSectionReader(f, 0, info.Size()), f}, nil
}

// OpenAPK opens a pack that is a stored entry of an APK (or another zip file) and reads it in place: there is never a
// second copy. An entry that the APK compresses is an error, since it can only be read from its beginning.
func OpenAPK(path, entry string) (*Opened, error) {
	whole, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	section, err := storedEntry(whole, path, entry)
	if err != nil {
		_ = whole.Close() // only read
		return nil, err
	}
	return &Opened{section, whole.file}, nil
}

func storedEntry(apk *Opened, path, entry string) (*io.SectionReader, error) {
	z, err := zip.NewReader(apk, apk.Size())
	if err != nil {
		return nil, &Error{Reason: ReasonFormat, Message: fmt.Sprintf("%s is no APK.%s", path, again), Cause: err}
	}
	for _, f := range z.File {
		if f.Name != entry {
			continue
		}
		if f.Method != zip.Store {
			return nil, &Error{
				Reason: ReasonCompressed, File: entry,
				Message: fmt.Sprintf("The APK holds %s compressed, so it can't be read in place. Build the APK so that this entry is stored.", entry),
			}
		}
		start, err := f.DataOffset()
		if err != nil {
			return nil, cantRead(path, err)
		}
		size := f.UncompressedSize64
		if f.CompressedSize64 != size || start < 0 || start > apk.Size() || size > uint64(apk.Size()-start) {
			return nil, torn(fmt.Sprintf("the APK's entry %s has %d bytes at %d of %d", entry, size, start, apk.Size()))
		}
		return io.NewSectionReader(apk.file, start, int64(size)), nil
	}
	return nil, &Error{
		Reason: ReasonRead, File: entry,
		Message: fmt.Sprintf("The APK has no userland pack (%s). Install a complete build of Keva.", entry),
	}
}

func cantRead(path string, err error) error {
	return &Error{
		Reason: ReasonRead, Cause: err,
		Message: fmt.Sprintf("The userland pack can't be read from %s. Check that the file is there and may be read.", path),
	}
}

// readAt fills b. What is missing at the end is a torn archive; all else is the fault of what holds it.
func readAt(src Source, b []byte, off int64) error {
	n, err := src.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return torn(fmt.Sprintf("%d bytes wanted at %d, %d are there", len(b), off, n))
	}
	return &Error{
		Reason: ReasonRead, Cause: err, Detail: fmt.Sprintf("reading %d bytes at %d: %v", len(b), off, err),
		Message: "The userland pack can't be read from where it is stored. What was unpacked is kept; try again.",
	}
}
