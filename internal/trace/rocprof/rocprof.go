// Package rocprof reads what rocprofv3 writes with `--output-format json`, one file a process.
//
// A file is one object, `rocprofiler-sdk-tool`, which holds a list of processes. Each has tables first (agents, names
// of calls, kernels) and then its records, in lists by kind: kernels, copies, calls of HIP, ranges of roctx. Times are
// nanoseconds since boot. The records are read one after the other.
package rocprof

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"saturate/internal/human"
	"saturate/internal/trace"
)

const format = "rocprof"

// Importer reads JSON of rocprofv3.
var Importer = trace.Importer{Name: format, Endings: []string{".json"}, Sniff: sniff, Read: read}

const root = `"rocprofiler-sdk-tool"`

func sniff(head []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	return bytes.HasPrefix(bytes.TrimLeft(text[1:], " \t\r\n"), []byte(root))
}

func read(ctx context.Context, r io.Reader, opt trace.ReadOptions) (*trace.Trace, error) {
	most := opt.MaxEvent
	if most == 0 {
		most = trace.DefaultMaxEvent
	}
	w := &window{r: bufio.NewReaderSize(r, 1<<16), most: most}
	x := &reader{ctx: ctx, w: w, d: json.NewDecoder(w), b: trace.NewBuilder(), l: trace.NewLexicon()}
	x.batch = x.l.NewBatch()
	x.b.Meta.Format = format
	err := x.file()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && x.events == 0:
		return nil, fmt.Errorf("cannot be read as rocprofv3's JSON: %w", err)
	case err != nil:
		x.b.Truncated(fmt.Sprintf("the file cannot be read past byte %s (%v); the part before it was read", human.Count(x.d.InputOffset()), err))
	case x.events == 0:
		return nil, errors.New("this rocprofv3 file has no kernels, copies, HIP calls or ranges; record with `rocprofv3 --runtime-trace --output-format json`")
	}
	x.b.Append(x.batch.Seal())
	return x.b.Finish(), nil
}

// window is a reader that gives up where one value would need too much memory.
type window struct {
	r    io.Reader
	n    int64 // read since the last value began
	most int64
}

func (w *window) Read(p []byte) (int, error) {
	if w.n > w.most {
		return 0, fmt.Errorf("one value is longer than %s bytes", human.Count(w.most))
	}
	n, err := w.r.Read(p)
	w.n += int64(n)
	return n, err
}

type reader struct {
	ctx    context.Context
	w      *window
	d      *json.Decoder
	b      *trace.Builder
	l      *trace.Lexicon
	batch  *trace.Batch
	events int

	process process
	places  int64 // processes read so far, to tell their correlations apart
}

// process is what the tables of a process say.
type process struct {
	pid     int64
	agents  map[uint64]trace.Device // GPUs by handle
	kinds   []kind
	markers map[uint64]string // texts of ranges, by correlation
	kernels map[uint64]kernel
}

type kind struct {
	Kind       string   `json:"kind"`
	Operations []string `json:"operations"`
}

type kernel struct {
	name      string
	registers int32
}

// object gives the keys of an object; give reads the value.
func (x *reader) object(give func(key string) error) error {
	if err := x.delim('{'); err != nil {
		return err
	}
	for x.d.More() {
		key, err := x.d.Token()
		if err != nil {
			return err
		}
		if err := give(key.(string)); err != nil {
			return err
		}
	}
	return x.delim('}')
}

// list gives the places of a list; give reads the value.
func (x *reader) list(give func(i int) error) error {
	if err := x.delim('['); err != nil {
		return err
	}
	for i := 0; x.d.More(); i++ {
		x.w.n = 0
		if i&0xfff == 0 && x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		if err := give(i); err != nil {
			return err
		}
	}
	return x.delim(']')
}

func (x *reader) delim(want json.Delim) error {
	token, err := x.d.Token()
	if err != nil {
		return unexpected(err)
	}
	if token != want {
		return fmt.Errorf("%v stands where %q should", token, rune(want))
	}
	return nil
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// skip passes over a value without keeping it.
func (x *reader) skip() error {
	for depth := 0; ; {
		token, err := x.d.Token()
		if err != nil {
			return unexpected(err)
		}
		x.w.n = 0
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

func (x *reader) file() error {
	return x.object(func(key string) error {
		if key != root[1:len(root)-1] {
			return x.skip()
		}
		return x.list(func(int) error {
			x.process = process{agents: map[uint64]trace.Device{}, markers: map[uint64]string{}, kernels: map[uint64]kernel{}}
			x.places++
			return x.tool()
		})
	})
}

// tool reads a process. Its tables stand before its records.
func (x *reader) tool() error {
	return x.object(func(key string) error {
		switch key {
		case "metadata":
			return x.metadata()
		case "agents":
			return x.list(func(int) error { return x.agent() })
		case "strings":
			return x.strings()
		case "kernel_symbols":
			return x.list(func(int) error { return x.symbol() })
		case "buffer_records":
			return x.object(x.records)
		}
		return x.skip()
	})
}
