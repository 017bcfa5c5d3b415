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
	size := 4 + len(repetition) + 4 + len(definition) + 2*values
	b = pageHeader(b, dataPage, size, size, max(values, 1), plain)
	for _, levels := range [][]byte{repetition, definition} {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(levels)))
		b = append(b, levels...)
	}
	return b
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

// NewWriter goes on at byte at, behind the pages of the matrix.
func NewWriter(file io.WriterAt, at int64, m Matrix, columns []Column) *Writer {
	return &Writer{file: file, at: at, bands: m.Bands, columns: columns}
}

// Group writes the columns of the rows from first to before end. The pages of their matrices take size bytes from at on
// and hold so many values, an empty row counting as one.
func (w *Writer) Group(first, end, at, size, values int64) error {
	g := group{rows: end - first, chunks: []chunk{w.chunk(matrixPath, matrix, at, size, values)}}
	for i := range w.columns {
		c := &w.columns[i]
		body := c.body(first, end)
		if len(body) > math.MaxInt32 {
			return fmt.Errorf("parquet: column %q has %d bytes in one row group; use smaller groups", c.Name, len(body))
		}
		page := append(pageHeader(nil, dataPage, len(body), len(body), int(end-first), plain), body...)
		g.chunks = append(g.chunks, w.chunk([]string{c.Name}, c.Kind, w.at, int64(len(page)), end-first))
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
	err = w.write(footer(w.schema(), w.groups, metadata))
	return w.at, err
}

var matrixPath = []string{"mel", "list", "element", "list", "element"}

func (w *Writer) schema() []element {
	schema := []element{
		{name: "schema", physical: -1, repetition: -1, children: 1 + len(w.columns), converted: unconverted},
		{name: "mel", physical: -1, repetition: required, children: 1, converted: convertedList, logical: logicalList},
		{name: "list", physical: -1, repetition: repeated, children: 1, converted: unconverted},
		{name: "element", physical: -1, repetition: required, children: 1, converted: convertedList, logical: logicalList},
		{name: "list", physical: -1, repetition: repeated, children: 1, converted: unconverted},
		{
			name: "element", physical: typeFixed, length: 2, repetition: required, converted: unconverted,
			logical: logicalFloat16,
		},
	}
	for _, c := range w.columns {
		e := element{name: c.Name, physical: c.Kind.physical(), repetition: required, converted: unconverted}
		if c.Kind == Text {
			e.converted, e.logical = convertedUTF8, logicalString
		}
		schema = append(schema, e)
	}
	return schema
}

func (k Kind) physical() int {
	return map[Kind]int{Bool: typeBool, Int64: typeInt64, Float64: typeDouble, Text: typeBytes, matrix: typeFixed}[k]
}

func (w *Writer) chunk(path []string, kind Kind, at, size, values int64) chunk {
	return chunk{
		path: path, physical: kind.physical(), encodings: []int{plain, rle}, at: at, raw: size, size: size,
		values: values,
	}
}
