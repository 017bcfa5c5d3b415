package trace

import (
	"context"
	"io"
)

// Importer reads one format. Each lives in a folder of its own and is listed once, in
// the package that opens files.
type Importer struct {
	Name    string   // "kineto", for people
	Endings []string // by which traces are found in folders; .gz and .zst may follow

	// Sniff tells from the first bytes of the decompressed file whether it may be of this
	// format. File names are not asked.
	Sniff func(head []byte) bool

	// Read reads a decompressed file. An error of the reader ends the file early: what is
	// whole is kept, and the trace's Quality says what is missing. Read fails only where
	// nothing could be read.
	Read func(ctx context.Context, r io.Reader, opt ReadOptions) (*Trace, error)
}

// ReadOptions bound what reading may take.
type ReadOptions struct {
	Workers  int   // goroutines that parse; 0 means one a processor, at most eight
	MaxEvent int64 // longest single event or metadata value in bytes; 0 means DefaultMaxEvent

	// File is the file itself, where it is not compressed and is of a format that is not read from first to last; nil
	// otherwise.
	File io.ReaderAt
	Size int64 // of File
}

// DefaultMaxEvent is the longest single value that is read unless the options say otherwise.
const DefaultMaxEvent = 128 << 20
