// Package perfetto reads Perfetto's own format, a protobuf of packets: what rocprofv3 writes with `--output-format
// pftrace`, and the slices of programs that use Perfetto's SDK.
//
// A file is a run of packets. A packet belongs to a sequence, which has its own names (given once, then by number), its
// own clock and its own defaults. Packets are read one after the other; names and tracks are kept.
package perfetto

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/trace"
	"saturate/internal/trace/wire"
)

const format = "perfetto"

// Importer reads Perfetto's protobuf.
var Importer = trace.Importer{Name: format, Endings: []string{".pftrace", ".perfetto-trace"}, Sniff: sniff, Read: read}

// Fields of Trace and of TracePacket.
const (
	tracePacket = 1

	packetClocks     = 6
	packetTime       = 8
	packetSequence   = 10
	packetEvent      = 11
	packetNames      = 12
	packetFlags      = 13
	packetConfig     = 33
	packetStats      = 35
	packetSync       = 36
	packetCleared    = 41
	packetPacked     = 50
	packetClock      = 58
	packetDefaults   = 59
	packetTrack      = 60
	largestField     = 1024
	namesAreGone     = 1 // a bit of packetFlags
	mostDecompressed = 64 << 20
)

// usual are fields; every packet that a tool writes has one of them.
var usual = map[int]bool{
	packetClocks: true, packetTime: true, packetSequence: true, packetEvent: true, packetNames: true, packetFlags: true, packetConfig: true,
	packetStats: true, packetSync: true, packetCleared: true, packetPacked: true, packetDefaults: true, packetTrack: true,
}

// sniff accepts what begins with a packet: a message of fields that packets have.
func sniff(head []byte) bool {
	if len(head) < 3 || head[0] != tracePacket<<3|wire.Delimited {
		return false
	}
	size, n := binary.Uvarint(head[1:])
	if n <= 0 || size == 0 {
		return false
	}
	m := wire.Message(head[1+n:])
	cut := uint64(len(m)) < size
	if !cut {
		m = m[:size]
	}
	known := false
	for len(m) > 0 {
		f, ok := m.Next()
		if !ok {
			tag, n := binary.Uvarint(m) // the first field may be longer than the beginning of the file
			return cut && n > 0 && (known || usual[int(tag>>3)] && tag&7 == wire.Delimited)
		}
		if f.Number > largestField {
			return false
		}
		known = known || usual[f.Number]
	}
	return known
}

func read(ctx context.Context, r io.Reader, opt trace.ReadOptions) (*trace.Trace, error) {
	most := opt.MaxEvent
	if most == 0 {
		most = trace.DefaultMaxEvent
	}
	x := &reader{b: trace.NewBuilder(), l: trace.NewLexicon(), tracks: map[uint64]*track{}, sequences: map[uint64]*sequence{}}
	x.batch = x.l.NewBatch()
	x.b.Meta.Format = format
	in, at := bufio.NewReaderSize(r, 1<<16), int64(0)
	var body bytes.Buffer
	for n := 0; ; n++ {
		if n&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		size, err := x.packetOf(in, &body, most)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			err = fmt.Errorf("the file cannot be read past byte %s: %w", human.Count(at), err)
			if x.events == 0 {
				return nil, err
			}
			x.b.Truncated(err.Error() + "; the part before it was read")
			break
		}
		at += size
	}
	if x.events == 0 {
		return nil, errors.New("this Perfetto trace has no slices; record kernels and calls with `rocprofv3 --runtime-trace --output-format pftrace`")
	}
	x.b.Append(x.batch.Seal())
	return x.b.Finish(), nil
}

// packetOf reads a field of the file, which is a packet or passed over. It returns how long that was.
func (x *reader) packetOf(in *bufio.Reader, body *bytes.Buffer, most int64) (int64, error) {
	tag, err := binary.ReadUvarint(in)
	if err != nil {
		return 0, err // io.EOF where the file ends between packets
	}
	if tag&7 != wire.Delimited || tag>>3 == 0 || tag>>3 > largestField {
		return 0, errors.New("this is not a packet")
	}
	size, err := binary.ReadUvarint(in)
	if err != nil {
		return 0, io.ErrUnexpectedEOF
	}
	if size > uint64(most) {
		return 0, fmt.Errorf("a packet of %s bytes is too large", human.Count(min(size, 1<<62)))
	}
	body.Reset()
	if _, err := io.CopyN(body, in, int64(size)); err != nil {
		return 0, io.ErrUnexpectedEOF
	}
	if tag>>3 == tracePacket {
		x.packet(body.Bytes(), true)
	}
	return int64(size) + 2, nil
}

// unpack reads packets that are compressed in a packet.
func (x *reader) unpack(packed []byte) {
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err == nil {
		var text []byte
		if text, err = files.ReadAll(z, mostDecompressed); err == nil {
			for m := wire.Message(text); len(m) > 0; {
				f, ok := m.Next()
				if !ok {
					err = io.ErrUnexpectedEOF
					break
				}
				if f.Number == tracePacket && f.Wire == wire.Delimited {
					x.packet(f.Bytes, false)
				}
			}
		}
	}
	if err != nil {
		x.batch.Dropped("in a compressed packet that cannot be read", trace.Place{})
	}
}
