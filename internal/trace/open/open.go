// Package open reads trace files of any known format and compression.
//
// A path becomes files ([Files]); each is decompressed under limits, recognised by its
// content, and read by the importer that recognised it. Several files are the ranks of
// one job and come back in rank order.
package open

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"saturate/internal/files"
	"saturate/internal/sqlite"
	"saturate/internal/trace"
)

// Options say how to read. The zero value is right for most.
type Options struct {
	MaxBytes int64 // decompressed size of a file; 0 means DefaultMaxBytes
	MaxRatio int   // growth by decompression; 0 means defaultMaxRatio
	MaxEvent int64 // longest single event; 0 means trace.DefaultMaxEvent
	Workers  int   // goroutines that parse; 0 means one a processor, at most eight

	// Progress, if set, is called now and then with how many bytes of all files were read. It is
	// called from one goroutine at a time.
	Progress func(done, total int64)

	// Skip, if set, is called with each file of a folder that cannot be read, and why; the others are read.
	// Without it, and for a file that was named, such a file is an error.
	Skip func(path string, why error)

	file io.ReaderAt // see trace.ReadOptions
	size int64
}

// calmGC lets the collector run more often while a trace is read: nearly everything
// allocated then is kept, so the usual doubling of the heap would only cost memory. It
// returns what undoes it.
func calmGC() (undo func()) {
	before := debug.SetGCPercent(40)
	return func() { debug.SetGCPercent(before) }
}

func readFile(ctx context.Context, path string, opt Options) (*trace.Trace, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, unwrapPath(err)
	}
	if !info.Mode().IsRegular() { // a pipe may wait for ever for whoever writes to it
		return files.Await(ctx, func() (*trace.Trace, error) { return readNow(ctx, path, opt) })
	}
	return readNow(ctx, path, opt)
}

func readNow(ctx context.Context, path string, opt Options) (*trace.Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, unwrapPath(err)
	}
	defer f.Close()
	size := int64(0)
	info, err := f.Stat()
	if err == nil {
		size = info.Size()
	}
	if opt.MaxBytes > 0 && size > opt.MaxBytes {
		return nil, tooManyBytes(opt.MaxBytes)
	}
	file := &counter{r: f}
	if opt.Progress != nil {
		file.progress = func(n int64) { opt.Progress(n, size) }
	}
	if head := make([]byte, len(sqlite.Magic)); info != nil && info.Mode().IsRegular() {
		if _, err := f.ReadAt(head, 0); err == nil && string(head) == sqlite.Magic {
			opt.file, opt.size = f, size
		}
	}
	t, err := From(ctx, file, opt)
	if err != nil {
		return nil, err
	}
	return t.WithOrigin(path, t.Meta().Rank), nil
}

// From reads one trace from a stream, compressed or not.
func From(ctx context.Context, r io.Reader, opt Options) (*trace.Trace, error) {
	if opt.MaxBytes == 0 {
		opt.MaxBytes = DefaultMaxBytes
	}
	if opt.MaxRatio == 0 {
		opt.MaxRatio = defaultMaxRatio
	}
	file, ok := r.(*counter)
	if !ok {
		file = &counter{r: r}
	}
	in, layers, err := decompress(file, opt)
	defer layers.close()
	if err != nil {
		return nil, err
	}
	format, err := recognize(in)
	if err != nil {
		return nil, err
	}
	t, err := format.Read(ctx, in, trace.ReadOptions{Workers: opt.Workers, MaxEvent: opt.MaxEvent, File: opt.file, Size: opt.size})
	if tooLarge := layers.tooLarge(); tooLarge != nil {
		return nil, tooLarge
	}
	return t, err
}

// Check says by a file's first bytes why it is not a trace; nil where it may be one.
func Check(path string) error {
	f, err := files.Open(path)
	if err != nil {
		return unwrapPath(err)
	}
	defer f.Close()
	in, layers, err := decompress(&counter{r: f}, Options{MaxBytes: DefaultMaxBytes, MaxRatio: defaultMaxRatio})
	defer layers.close()
	if err != nil {
		return err
	}
	_, err = recognize(in)
	return err
}

// recognize finds the format by the first bytes, or says what the file is instead.
func recognize(in *bufio.Reader) (trace.Importer, error) {
	head, err := in.Peek(4096) // enough for any importer to recognise its format
	if len(head) == 0 {
		if err != nil && err != io.EOF {
			return trace.Importer{}, fmt.Errorf("cannot be read: %w", err)
		}
		return trace.Importer{}, errors.New("is empty")
	}
	if err := notTimed(head); err != nil {
		return trace.Importer{}, err
	}
	for _, format := range formats {
		if format.Sniff(head) {
			return format, nil
		}
	}
	return trace.Importer{}, notATrace(head)
}
