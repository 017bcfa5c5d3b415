package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Kind is the type of a column.
type Kind int

const (
	Bool Kind = iota + 1
	Int64
	Float64
	Text
	matrix
)

// How Parquet counts its types.
const (
	typeBool   = 0
	typeInt64  = 2
	typeDouble = 5
	typeBytes  = 6
	typeFixed  = 7

	required, repeated       = 0, 2
	plain, rle               = 0, 3
	convertedUTF8            = 0
	convertedList            = 3
	logicalString            = 1
	logicalList              = 3
	logicalFloat16     int16 = 15
)

// Magic begins and ends a file.
const Magic = "PAR1"

// Matrix is the shape of the large column's rows: bands by frames.
type Matrix struct{ Bands int }

// Page appends what a row's page has before its values: header and levels. Values follow, bands by frames,
// 2 bytes each, and nothing else. A row without frames is an empty list.
func (m Matrix) Page(b []byte, frames int) []byte {
	values := m.Bands * frames
	run := func(levels []byte, count, level int) []byte {
		if count == 0 {
			return levels
		}
		return append(binary.AppendUvarint(levels, uint64(count)<<1), byte(level))
	}
	var repetition, definition []byte
	if values == 0 {
		repetition, definition = run(nil, 1, 0), run(nil, 1, 0)
	} else {
		for band := range m.Bands {
			repetition = run(run(repetition, 1, min(band, 1)), frames-1, 2)
		}
		definition = run(nil, values, 2)
	}
	b = pageHeader(b, 4+len(repetition)+4+len(definition)+2*values, max(values, 1))
	for _, levels := range [][]byte{repetition, definition} {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(levels)))
		b = append(b, levels...)
	}
	return b
}

func pageHeader(b []byte, size, values int) []byte {
	w := newWriter(b)
	w.i32(1, 0) // a data page
	w.i32(2, size)
	w.i32(3, size)
	w.begin(5)
	w.i32(1, values)
	w.i32(2, plain)
	w.i32(3, rle)
	w.i32(4, rle)
	w.end()
	w.b = append(w.b, 0)
	return w.b
}

// Writer writes what follows the pages of the matrix.
type Writer struct {
	file    io.WriterAt
	at      int64
	bands   int
	columns []Column
	groups  []group
}

// Column is a further column. Its values are asked for in order.
type Column struct {
	Name  string
	Kind  Kind
	Whole func(row int64) int64 // of Bool too
	Real  func(row int64) float64
	Text  func(row int64) string
}

type chunk struct{ at, size, values int64 }

type group struct {
	rows   int64
	chunks []chunk
}

// NewWriter goes on at byte at, behind the pages of the matrix.
func NewWriter(file io.WriterAt, at int64, m Matrix, columns []Column) *Writer {
	return &Writer{file: file, at: at, bands: m.Bands, columns: columns}
}

// Group writes the columns of the rows from first to before end. The pages of their matrices take size bytes from at on
// and hold so many values, an empty row counting as one.
func (w *Writer) Group(first, end, at, size, values int64) error {
	g := group{rows: end - first, chunks: []chunk{{at, size, values}}}
	for i := range w.columns {
		body := w.columns[i].body(first, end)
		if len(body) > math.MaxInt32 {
			return fmt.Errorf("parquet: column %q has %d bytes in one row group; use smaller groups", w.columns[i].Name, len(body))
		}
		page := append(pageHeader(nil, len(body), int(end-first)), body...)
		g.chunks = append(g.chunks, chunk{w.at, int64(len(page)), end - first})
		if err := w.write(page); err != nil {
			return err
		}
	}
	w.groups = append(w.groups, g)
	return nil
}

func (c *Column) body(first, end int64) (body []byte) {
	for row := first; row < end; row++ {
		switch c.Kind {
		case Bool:
			bit := int(row-first) % 8
			if bit == 0 {
				body = append(body, 0)
			}
			body[len(body)-1] |= byte(c.Whole(row)&1) << bit
		case Int64:
			body = binary.LittleEndian.AppendUint64(body, uint64(c.Whole(row)))
		case Float64:
			body = binary.LittleEndian.AppendUint64(body, math.Float64bits(c.Real(row)))
		case Text:
			s := c.Text(row)
			body = binary.LittleEndian.AppendUint32(body, uint32(len(s)))
			body = append(body, s...)
		}
	}
	return body
}

func (w *Writer) write(p []byte) error {
	_, err := w.file.WriteAt(p, w.at)
	w.at += int64(len(p))
	return err
}

// Finish writes the footer, with named values beside the schema, and gives the size of the file.
func (w *Writer) Finish(metadata [][2]string) (size int64, err error) {
	t := newWriter(nil)
	t.i32(1, 2) // version
	w.schema(t)
	rows := int64(0)
	for _, g := range w.groups {
		rows += g.rows
	}
	t.i64(3, rows)
	t.list(4, thriftStruct, len(w.groups))
	for _, g := range w.groups {
		t.open()
		w.group(t, g)
		t.end()
	}
	t.list(5, thriftStruct, len(metadata))
	for _, m := range metadata {
		t.open()
		t.text(1, m[0])
		t.text(2, m[1])
		t.end()
	}
	t.text(6, "saturate")
	t.b = append(t.b, 0)
	t.b = binary.LittleEndian.AppendUint32(t.b, uint32(len(t.b)))
	err = w.write(append(t.b, Magic...))
	return w.at, err
}

func (w *Writer) schema(t *writer) {
	const listLevels = 5
	t.list(2, thriftStruct, 1+listLevels+len(w.columns))
	element := func(kind, length, repetition int, name string, children, converted int, logical int16) {
		t.open()
		if kind >= 0 {
			t.i32(1, kind)
		}
		if length > 0 {
			t.i32(2, length)
		}
		if repetition >= 0 {
			t.i32(3, repetition)
		}
		t.text(4, name)
		if children > 0 {
			t.i32(5, children)
		}
		if converted >= 0 {
			t.i32(6, converted)
		}
		if logical > 0 {
			t.begin(10)
			t.begin(logical)
			t.end()
			t.end()
		}
		t.end()
	}
	element(-1, 0, -1, "schema", 1+len(w.columns), -1, 0)
	element(-1, 0, required, "mel", 1, convertedList, logicalList)
	element(-1, 0, repeated, "list", 1, -1, 0)
	element(-1, 0, required, "element", 1, convertedList, logicalList)
	element(-1, 0, repeated, "list", 1, -1, 0)
	element(typeFixed, 2, required, "element", 0, -1, logicalFloat16)
	for _, c := range w.columns {
		if c.Kind == Text {
			element(typeBytes, 0, required, c.Name, 0, convertedUTF8, logicalString)
		} else {
			element(c.Kind.physical(), 0, required, c.Name, 0, -1, 0)
		}
	}
}

func (k Kind) physical() int {
	return map[Kind]int{Bool: typeBool, Int64: typeInt64, Float64: typeDouble, Text: typeBytes, matrix: typeFixed}[k]
}

func (w *Writer) group(t *writer, g group) {
	total := int64(0)
	t.list(1, thriftStruct, len(g.chunks))
	for i, c := range g.chunks {
		path, kind := []string{"mel", "list", "element", "list", "element"}, matrix
		if i > 0 {
			path, kind = []string{w.columns[i-1].Name}, w.columns[i-1].Kind
		}
		t.open()
		t.i64(2, c.at)
		t.begin(3)
		t.i32(1, kind.physical())
		t.list(2, thriftI32, 2)
		t.zigzag(plain)
		t.zigzag(rle)
		t.list(3, thriftBinary, len(path))
		for _, p := range path {
			t.bytes(p)
		}
		t.i32(4, 0) // not compressed
		t.i64(5, c.values)
		t.i64(6, c.size)
		t.i64(7, c.size)
		t.i64(9, c.at)
		t.end()
		t.end()
		total += c.size
	}
	t.i64(2, total)
	t.i64(3, g.rows)
}
