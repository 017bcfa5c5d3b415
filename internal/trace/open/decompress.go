package open

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"saturate/internal/human"
)

// Default limits on what a compressed file may become.
const (
	defaultMaxRatio = 200      // real traces shrink 10 to 40 times
	DefaultMaxBytes = 32 << 30 // decompressed
	freeBytes       = 64 << 20 // the ratio is not asked below this
)

// counter counts what was read of a file.
type counter struct {
	r        io.Reader
	n        int64
	progress func(n int64)
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.progress != nil {
		c.progress(c.n)
	}
	return n, err
}

// decompress looks at the first bytes of the file, not at its name, and returns what is
// inside, layer by layer. The second result watches the limits.
func decompress(file *counter, opt Options) (*bufio.Reader, *limited, error) {
	const size = 64 << 10 // larger reads pass by the buffer
	in, top := bufio.NewReaderSize(file, size), &limited{}
	const layers = 4 // nobody compresses more often, except to hide something
	for range layers {
		head, _ := in.Peek(4)
		next := &limited{inner: top, file: file, maxBytes: opt.MaxBytes, maxRatio: opt.MaxRatio}
		switch {
		case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
			z, err := gzip.NewReader(in)
			if err != nil {
				return nil, top, fmt.Errorf("damaged gzip file: %w", err)
			}
			next.Reader = z
		case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
			z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(256<<20))
			if err != nil {
				return nil, top, fmt.Errorf("damaged zstd file: %w", err)
			}
			next.Reader, next.release = z, z.Close
		default:
			return in, top, nil
		}
		in, top = bufio.NewReaderSize(next, size), next
	}
	return nil, top, fmt.Errorf("is compressed more than %d times", layers-1)
}

// limited is one layer of compression. It gives up when the file becomes suspiciously large.
type limited struct {
	io.Reader
	inner    *limited // the layer below
	file     *counter
	n        int64
	maxBytes int64
	maxRatio int
	exceeded error
	release  func()
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	l.n += int64(n)
	switch {
	case l.n > l.maxBytes:
		l.exceeded = tooManyBytes(l.maxBytes)
	case l.n > freeBytes && l.n > int64(l.maxRatio)*l.file.n:
		l.exceeded = fmt.Errorf("grows more than %d× when decompressed, which no trace does; if it is a trace, decompress it first", l.maxRatio)
	default:
		return n, err
	}
	return n, l.exceeded
}

func tooManyBytes(limit int64) error {
	return fmt.Errorf("is more than %s when decompressed; raise the limit with --max-bytes", human.Memory(limit))
}

// tooLarge is why reading was given up, if it was.
func (l *limited) tooLarge() error {
	for ; l != nil; l = l.inner {
		if l.exceeded != nil {
			return l.exceeded
		}
	}
	return nil
}

// close releases what the layers hold.
func (l *limited) close() {
	for ; l != nil; l = l.inner {
		if l.release != nil {
			l.release()
		}
	}
}
