package parquet

import "encoding/binary"

// How Parquet counts its types, encodings and compressions.
const (
	typeBool   = 0
	typeInt32  = 1
	typeInt64  = 2
	typeFloat  = 4
	typeDouble = 5
	typeBytes  = 6
	typeFixed  = 7

	required, optional, repeated         = 0, 1, 2
	plain, rle, dictionary               = 0, 3, 8
	uncompressed, zstandard              = 0, 6
	dataPage, dictionaryPage             = 0, 2
	unconverted, convertedUTF8           = -1, 0
	convertedList, convertedUint32       = 3, 13
	logicalString                  int16 = 1
	logicalList                    int16 = 3
	logicalFloat16                 int16 = 15
)

// Magic begins and ends a file.
const Magic = "PAR1"

// element is a node of the schema: a leaf, or a group with children.
type element struct {
	name       string
	physical   int // of a leaf; -1 of a group
	length     int // of typeFixed
	repetition int // -1 of the root
	children   int
	converted  int
	logical    int16
}

// chunk is a column in one row group.
type chunk struct {
	path             []string
	physical         int
	encodings        []int
	codec            int
	values           int64
	raw, size        int64 // bytes before and after compression, page headers included
	at, dictionaryAt int64 // of the first data page, and of the dictionary where there is one
	low, high        string
}

type group struct {
	rows   int64
	chunks []chunk
}

// pageHeader appends the header of a page: its kind, its size before and after compression, and what it holds.
func pageHeader(b []byte, kind, raw, size, values, encoding int) []byte {
	w := newWriter(b)
	w.i32(1, kind)
	w.i32(2, raw)
	w.i32(3, size)
	if kind == dictionaryPage {
		w.begin(7)
		w.i32(1, values)
		w.i32(2, encoding)
	} else {
		w.begin(5)
		w.i32(1, values)
		w.i32(2, encoding)
		w.i32(3, rle)
		w.i32(4, rle)
	}
	w.end()
	w.b = append(w.b, 0)
	return w.b
}

// footer is all that follows the last page: schema, groups, named values, its own length.
func footer(schema []element, groups []group, metadata [][2]string) []byte {
	t := newWriter(nil)
	t.i32(1, 2) // version
	t.list(2, thriftStruct, len(schema))
	for _, e := range schema {
		t.open()
		t.element(e)
		t.end()
	}
	rows := int64(0)
	for _, g := range groups {
		rows += g.rows
	}
	t.i64(3, rows)
	t.list(4, thriftStruct, len(groups))
	for _, g := range groups {
		t.open()
		t.group(g)
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
	return append(t.b, Magic...)
}

func (w *writer) element(e element) {
	if e.physical >= 0 {
		w.i32(1, e.physical)
	}
	if e.length > 0 {
		w.i32(2, e.length)
	}
	if e.repetition >= 0 {
		w.i32(3, e.repetition)
	}
	w.text(4, e.name)
	if e.children > 0 {
		w.i32(5, e.children)
	}
	if e.converted >= 0 {
		w.i32(6, e.converted)
	}
	if e.logical > 0 {
		w.begin(10)
		w.begin(e.logical)
		w.end()
		w.end()
	}
}

func (w *writer) group(g group) {
	total := int64(0)
	w.list(1, thriftStruct, len(g.chunks))
	for _, c := range g.chunks {
		w.open()
		w.i64(2, c.at)
		w.begin(3)
		w.chunk(c)
		w.end()
		w.end()
		total += c.raw
	}
	w.i64(2, total)
	w.i64(3, g.rows)
}

func (w *writer) chunk(c chunk) {
	w.i32(1, c.physical)
	w.list(2, thriftI32, len(c.encodings))
	for _, e := range c.encodings {
		w.zigzag(int64(e))
	}
	w.list(3, thriftBinary, len(c.path))
	for _, p := range c.path {
		w.bytes(p)
	}
	w.i32(4, c.codec)
	w.i64(5, c.values)
	w.i64(6, c.raw)
	w.i64(7, c.size)
	w.i64(9, c.at)
	if c.dictionaryAt > 0 {
		w.i64(11, c.dictionaryAt)
	}
	if c.high != "" {
		w.begin(12)
		w.text(5, c.high)
		w.text(6, c.low)
		w.end()
	}
}
