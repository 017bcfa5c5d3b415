package files

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Limits of what is read whole, by kind.
const (
	MaxSource  int64 = 32 << 20 // sources, settings, lists of patterns
	MaxRecord  int64 = 64 << 20 // what saturate itself has written about a run
	MaxJournal int64 = 4 << 30  // a line for each file of a data set
	MaxAudio   int64 = 2 << 30  // one recording
	MaxSystem  int64 = 8 << 20  // files of the kernel
)

// ErrNotRegular says that a name holds a FIFO, a device or a folder, which is not read.
var ErrNotRegular = errors.New("not a regular file")

// errTooLarge says that a file has more bytes than its kind may have.
var errTooLarge = errors.New("too large")

// Open opens a regular file for reading. It never waits, and refuses everything that is not a regular file.
func Open(path string) (*os.File, error) {
	f, _, err := open(path)
	return f, err
}

// open is Open that also tells how many bytes the file has.
func open(path string) (*os.File, int64, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// Read reads a regular file of at most so many bytes.
func Read(path string, most int64) ([]byte, error) { return ReadInto(nil, path, most) }

// ReadInto is Read into a buffer, whose content it replaces. It returns a larger buffer if that is too small.
func ReadInto(buffer []byte, path string, most int64) ([]byte, error) {
	f, size, err := open(path)
	if err != nil {
		return buffer[:0], err
	}
	defer f.Close()
	data, err := readInto(buffer, f, size, most)
	if failed := fault("read", path); failed != nil {
		err = failed
	}
	if err != nil && !errors.As(err, new(*os.PathError)) {
		err = &os.PathError{Op: "read", Path: path, Err: err}
	}
	return data, err
}

// ReadAll reads to the end of something, and no further than most bytes.
func ReadAll(r io.Reader, most int64) ([]byte, error) {
	size := int64(0)
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil {
			size = info.Size()
		}
	}
	return readInto(nil, r, size, most)
}

// readInto reads what has about so many bytes.
func readInto(buffer []byte, r io.Reader, size, most int64) ([]byte, error) {
	if size > most {
		return nil, tooLarge(most)
	}
	size = max(size, 512)
	data := buffer[:0]
	if int64(cap(data)) <= size {
		data = make([]byte, 0, size+1)
	}
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > most:
			return nil, tooLarge(most)
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return data, err
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

func tooLarge(most int64) error {
	if most < 1<<20 {
		return fmt.Errorf("%w: more than %d KiB", errTooLarge, most>>10)
	}
	return fmt.Errorf("%w: more than %d MiB", errTooLarge, most>>20)
}
