// Package chrome reads traces in Chrome's JSON format, as PyTorch's Kineto and as JAX
// write them, and writes a window of a trace in it.
//
// Files are large and mostly events, so reading is a pipeline:
//
//  1. The document reader walks the top of the file, keeps its metadata, and stops where
//     the array of events begins.
//  2. A goroutine decompresses ahead into chunks and cuts them where an event seems to
//     begin.
//  3. Workers parse chunks into batches, each with its own lexicon.
//  4. Chunks are taken in file order. A chunk that ends inside an event was cut at the
//     wrong place: it is joined with the next one and parsed again.
//  5. Behind the array's end the document reader goes on.
//
// No JSON tree is built. Values that repeat from event to event are recognised by
// comparing bytes. Times become integers without passing through floating point.
//
// Profilers write broken files, so what can be understood is: see the tests for the list.
package chrome

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"saturate/internal/human"
	"saturate/internal/trace"
	"saturate/internal/trace/xla"
)

const format = "chrome"

// Importer reads Chrome's JSON: an object with traceEvents, or a bare array of events.
var Importer = trace.Importer{Name: format, Endings: []string{".json"}, Sniff: sniff, Read: read}

// sniff accepts what begins like a JSON object or array.
func sniff(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte(byteOrderMark)), " \t\r\n")
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}

const byteOrderMark = "\xEF\xBB\xBF"

func read(ctx context.Context, r io.Reader, opt trace.ReadOptions) (*trace.Trace, error) {
	return readChunks(ctx, r, opt, chunkSize)
}

func readChunks(ctx context.Context, r io.Reader, opt trace.ReadOptions, size int) (*trace.Trace, error) {
	d := &document{ctx: ctx, opt: opt, chunk: size, builder: trace.NewBuilder(), in: newInput(r)}
	if d.opt.MaxEvent == 0 {
		d.opt.MaxEvent = trace.DefaultMaxEvent
	}
	err := d.read()
	for _, p := range d.pipelines {
		p.finish()
	}
	if err != nil {
		return nil, err
	}
	d.builder.Meta.Format = format
	d.builder.Classify(xla.Place, xla.Kind)
	return d.builder.Finish(), nil
}

// document reads the top of a file.
type document struct {
	ctx       context.Context
	opt       trace.ReadOptions
	chunk     int // bytes in a chunk
	builder   *trace.Builder
	in        *input
	hasEvents bool // an array of events was found
	pipelines []*pipeline
}

func (d *document) read() error {
	d.in.skipMark()
	for {
		switch c := d.in.token(); c {
		case '{':
			d.in.pos++
			if err := d.object(); err != nil {
				return err
			}
		case '[':
			d.in.pos++
			if err := d.events(); err != nil {
				return err
			}
		case 0:
			return d.ended()
		default:
			if d.hasEvents {
				d.builder.Note(fmt.Sprintf("data after byte %s is not part of the trace and was skipped", human.Count(d.in.at())))
				return nil
			}
			return fmt.Errorf("byte %s is %q; expected the start of a JSON object or array", human.Count(d.in.at()), c)
		}
	}
}

// ended looks at how the file ended, at a place where it may end.
func (d *document) ended() error {
	switch {
	case d.builder.IsTruncated(): // said already
	case d.in.failed() != nil && !d.hasEvents:
		return fmt.Errorf("the file is truncated at byte %s, before its events: %w", human.Count(d.in.at()), d.in.failed())
	case d.in.failed() != nil:
		d.builder.Truncated(fmt.Sprintf("the file is truncated at byte %s, after its events: %v", human.Count(d.in.at()), d.in.failed()))
	case !d.hasEvents:
		return fmt.Errorf(`not a trace: JSON without "traceEvents"; use the output of export_chrome_trace or JAX's profiler`)
	}
	return nil
}

// object reads the members of the top object; its brace is behind us.
func (d *document) object() error {
	for {
		key, problem := d.in.key()
		switch {
		case problem == 0:
		case d.in.token() == '}':
			d.in.pos++
			return nil
		case d.in.token() == 0 || problem == cut:
			return d.brokenOff()
		default:
			if d.hasEvents {
				d.builder.Note(fmt.Sprintf("cannot read the metadata after the events, from byte %s on", human.Count(d.in.at())))
				d.in.discard()
				return nil
			}
			return fmt.Errorf("byte %s is %q; expected a key of the top-level object", human.Count(d.in.at()), d.in.token())
		}
		switch opening := d.in.token(); {
		case key == "traceEvents" && opening == '[':
			d.in.pos++
			if err := d.events(); err != nil {
				return err
			}
		case (opening == '{' || opening == '[') && !metadata[key]:
			if !d.in.skipNested() {
				return d.brokenOff()
			}
		default:
			value, ok := d.in.value(d.opt.MaxEvent)
			if !ok {
				return d.brokenOff()
			}
			d.meta(key, value)
		}
	}
}

// brokenOff says that the file ends inside the top object.
func (d *document) brokenOff() error {
	at := human.Count(d.in.at())
	d.in.discard()
	if !d.hasEvents {
		return fmt.Errorf("the file is truncated at byte %s, before its events", at)
	}
	if !d.builder.IsTruncated() {
		d.builder.Truncated(fmt.Sprintf("the file is truncated at byte %s, after its events; all %s events were read",
			at, human.Count(d.builder.Seen())))
	}
	return nil
}
