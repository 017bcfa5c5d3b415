// Package xplane reads XLA's own profile format, the .xplane.pb files that JAX and
// TensorFlow write.
//
// A file is a protobuf message XSpace: planes (a GPU, the host), of lines (a stream, a
// thread), of events. Names of events and of their statistics stand in tables behind the
// lines, so a plane is held in memory while it is read. The few messages involved are
// read straight from the wire; field numbers are named where they are used.
package xplane

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"saturate/internal/human"
	"saturate/internal/trace"
	"saturate/internal/trace/wire"
)

const format = "xplane"

// Importer reads .xplane.pb files.
var Importer = trace.Importer{Name: format, Endings: []string{".xplane.pb"}, Sniff: sniff, Read: read}

// The fields of XSpace.
const (
	spacePlanes    = 1
	spaceErrors    = 2
	spaceWarnings  = 3
	spaceHostnames = 4
)

// maxPlane is the largest plane that is read.
const maxPlane = 4 << 30

// sniff accepts what begins with a plane: a message whose first fields are those of XPlane.
func sniff(head []byte) bool {
	if len(head) < 2 || head[0] != spacePlanes<<3|wire.Delimited {
		return false
	}
	size, n := binary.Uvarint(head[1:])
	if n <= 0 {
		return false
	}
	head = head[1+n:]
	cut := uint64(len(head)) < size // only the beginning of the plane is here
	m := wire.Message(head)
	if !cut {
		m = m[:size]
	}
	named := false
	for len(m) > 0 {
		f, ok := m.Next()
		if !ok {
			return cut && named
		}
		switch f.Number {
		case planeID:
			ok = f.Wire == wire.Varint
		case planeName:
			named = true
			ok = f.Wire == wire.Delimited && utf8.Valid(f.Bytes) && bytes.IndexFunc(f.Bytes, func(r rune) bool { return r < ' ' }) < 0
		case planeLines, planeEvents, planeStats, planeOwn:
			ok = f.Wire == wire.Delimited
		default:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return named
}

func read(ctx context.Context, r io.Reader, _ trace.ReadOptions) (*trace.Trace, error) {
	b := trace.NewBuilder()
	b.Meta.Format = format
	x := &reader{builder: b, lexicon: trace.NewLexicon(), in: bufio.NewReaderSize(r, 64<<10)}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		more, err := x.field()
		if err != nil {
			if x.planes == 0 {
				return nil, err
			}
			b.Truncated(err.Error() + "; the part before it was read")
		}
		if !more {
			break
		}
	}
	if x.planes == 0 {
		return nil, errors.New("not a profile: it has no plane")
	}
	return b.Finish(), nil
}

// reader reads a file plane by plane.
type reader struct {
	builder *trace.Builder
	lexicon *trace.Lexicon
	in      *bufio.Reader
	at      int64
	planes  int
}

// field reads one field of the file. It reports whether another may follow.
func (x *reader) field() (more bool, err error) {
	start := x.at
	tag, err := x.varint()
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("the file is truncated at byte %s: %w", human.Count(start), err)
	}
	if tag&7 != wire.Delimited || tag>>3 == 0 {
		return false, fmt.Errorf("byte %s is not a field of an xplane file", human.Count(start))
	}
	size, err := x.varint()
	if err != nil {
		return false, fmt.Errorf("the file is truncated at byte %s: %w", human.Count(start), unexpected(err))
	}
	if size > maxPlane {
		return false, fmt.Errorf("byte %s starts a part of %s bytes, which is too large for a profile", human.Count(start), human.Count(min(size, 1<<62)))
	}
	// The buffer grows with what is there, not with what is announced.
	var body bytes.Buffer
	n, err := io.CopyN(&body, x.in, int64(size))
	x.at += n
	switch tag >> 3 {
	case spacePlanes:
		x.planes++
		x.plane(body.Bytes(), x.at-n)
	case spaceErrors, spaceWarnings:
		x.builder.Note("the profiler says: " + body.String())
	case spaceHostnames:
		x.builder.Meta.Host = body.String()
	}
	if err != nil {
		return false, fmt.Errorf("the file is truncated at byte %s, inside plane %d: %w", human.Count(x.at), x.planes, unexpected(err))
	}
	return true, nil
}

func (x *reader) varint() (uint64, error) {
	v, err := binary.ReadUvarint(byteCounter{x})
	return v, err
}

type byteCounter struct{ *reader }

func (c byteCounter) ReadByte() (byte, error) {
	b, err := c.in.ReadByte()
	if err == nil {
		c.at++
	}
	return b, err
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
