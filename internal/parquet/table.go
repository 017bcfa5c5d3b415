package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"
	"math/bits"
	"reflect"

	"github.com/klauspost/compress/zstd"
)

// rowGroup is how many rows are held in memory and written together.
const rowGroup = 1 << 17

// WriteTable writes rows as a table, compressed, from the first byte to the last. A row is a struct; a field with
// a tag `parquet:"name"` is a column, and one that is a pointer may be null. Times should be integers that carry
// their unit in their name.
func WriteTable[Row any](w io.Writer, rows iter.Seq[Row]) error {
	var row Row
	t, err := newTable(w, reflect.ValueOf(&row).Elem())
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	for row = range rows {
		if err := t.add(); err != nil {
			return fmt.Errorf("writing a Parquet table: %w", err)
		}
	}
	if err := t.finish(); err != nil {
		return fmt.Errorf("writing a Parquet table: %w", err)
	}
	return nil
}

// table writes one group of rows after the other.
type table struct {
	to      io.Writer
	at      int64
	zstd    *zstd.Encoder
	columns []column
	rows    int // of the group that is being filled
	groups  []group
}

// column gathers what one field has in a group of rows.
type column struct {
	element
	field  reflect.Value // of the current row
	values []byte        // plain, or those of the dictionary
	index  []uint32      // into the dictionary, of texts
	known  map[string]uint32
	null   []uint32 // 1 where there is a value, of columns that may be null
	count  int      // of values that are not null
	low    int64
	high   int64
}

func newTable(to io.Writer, row reflect.Value) (*table, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	t := &table{to: to, zstd: encoder}
	for i := range row.NumField() {
		name, kind := row.Type().Field(i).Tag.Get("parquet"), row.Field(i).Type()
		if name == "" {
			continue
		}
		c := column{element: element{name: name, converted: unconverted}, field: row.Field(i)}
		if kind.Kind() == reflect.Pointer {
			c.repetition, kind = optional, kind.Elem()
		}
		switch kind.Kind() {
		case reflect.Bool:
			c.physical = typeBool
		case reflect.Int32:
			c.physical = typeInt32
		case reflect.Uint32:
			c.physical, c.converted = typeInt32, convertedUint32
		case reflect.Int64:
			c.physical = typeInt64
		case reflect.Float32:
			c.physical = typeFloat
		case reflect.Float64:
			c.physical = typeDouble
		case reflect.String:
			c.physical, c.converted, c.logical = typeBytes, convertedUTF8, logicalString
		default:
			return nil, fmt.Errorf("column %s: no Parquet type for %s", name, kind)
		}
		t.columns = append(t.columns, c)
	}
	return t, t.write([]byte(Magic))
}

func (t *table) write(p []byte) error {
	_, err := t.to.Write(p)
	t.at += int64(len(p))
	return err
}

// add takes the row that the fields point into.
func (t *table) add() error {
	for i := range t.columns {
		t.columns[i].add()
	}
	if t.rows++; t.rows == rowGroup {
		return t.flush()
	}
	return nil
}

func (c *column) add() {
	v := c.field
	if c.repetition == optional {
		if v.IsNil() {
			c.null = append(c.null, 0)
			return
		}
		c.null, v = append(c.null, 1), v.Elem()
	}
	switch v.Kind() {
	case reflect.Bool:
		if c.count%8 == 0 {
			c.values = append(c.values, 0)
		}
		if v.Bool() {
			c.values[len(c.values)-1] |= 1 << (c.count % 8)
		}
	case reflect.Int32:
		c.values = binary.LittleEndian.AppendUint32(c.values, uint32(v.Int()))
		c.within(v.Int())
	case reflect.Int64:
		c.values = binary.LittleEndian.AppendUint64(c.values, uint64(v.Int()))
		c.within(v.Int())
	case reflect.Uint32:
		c.values = binary.LittleEndian.AppendUint32(c.values, uint32(v.Uint()))
	case reflect.Float32:
		c.values = binary.LittleEndian.AppendUint32(c.values, math.Float32bits(float32(v.Float())))
	case reflect.Float64:
		c.values = binary.LittleEndian.AppendUint64(c.values, math.Float64bits(v.Float()))
	case reflect.String:
		c.text(v.String())
	}
	c.count++
}

func (c *column) text(s string) {
	n, ok := c.known[s]
	if !ok {
		if c.known == nil {
			c.known = map[string]uint32{}
		}
		n = uint32(len(c.known))
		c.known[s] = n
		c.values = append(binary.LittleEndian.AppendUint32(c.values, uint32(len(s))), s...)
	}
	c.index = append(c.index, n)
}

// within keeps the smallest and the largest number, by which readers leave out whole groups.
func (c *column) within(v int64) {
	if c.count == 0 {
		c.low, c.high = v, v
	}
	c.low, c.high = min(c.low, v), max(c.high, v)
}

// flush writes the current group.
func (t *table) flush() error {
	if t.rows == 0 {
		return nil
	}
	g := group{rows: int64(t.rows)}
	for i := range t.columns {
		c, err := t.chunk(&t.columns[i])
		if err != nil {
			return err
		}
		g.chunks = append(g.chunks, c)
		t.columns[i].reset()
	}
	t.groups, t.rows = append(t.groups, g), 0
	return nil
}

func (t *table) chunk(c *column) (chunk, error) {
	at := t.at
	out := chunk{
		path: []string{c.name}, physical: c.physical, encodings: []int{plain, rle}, codec: zstandard, values: int64(t.rows),
	}
	var body []byte
	if c.repetition == optional {
		levels := packed(c.null, 1)
		body = append(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels...)
	}
	encoding := plain
	if c.physical == typeBytes {
		encoding, out.encodings, out.dictionaryAt = dictionary, []int{plain, rle, dictionary}, t.at
		if err := t.page(&out, dictionaryPage, len(c.known), plain, c.values); err != nil {
			return out, err
		}
		width := max(1, bits.Len(uint(max(len(c.known), 1)-1)))
		body = append(append(body, byte(width)), packed(c.index, width)...)
	} else {
		body = append(body, c.values...)
	}
	out.at = t.at
	if err := t.page(&out, dataPage, t.rows, encoding, body); err != nil {
		return out, err
	}
	out.size = t.at - at
	if signed := c.converted == unconverted; signed && c.count > 0 &&
		(c.physical == typeInt32 || c.physical == typeInt64) {
		size := map[int]int{typeInt32: 4, typeInt64: 8}[c.physical]
		out.low = string(binary.LittleEndian.AppendUint64(nil, uint64(c.low))[:size])
		out.high = string(binary.LittleEndian.AppendUint64(nil, uint64(c.high))[:size])
	}
	return out, nil
}

// page compresses and writes a page and counts it in its chunk.
func (t *table) page(c *chunk, kind, values, encoding int, body []byte) error {
	if len(body) > math.MaxInt32 {
		return fmt.Errorf("column %s has %d bytes in one group of rows, more than a page can hold", c.path[0], len(body))
	}
	small := t.zstd.EncodeAll(body, nil)
	header := pageHeader(nil, kind, len(body), len(small), values, encoding)
	c.raw += int64(len(header) + len(body))
	return t.write(append(header, small...))
}

func (c *column) reset() {
	c.values, c.index, c.null, c.count = c.values[:0], c.index[:0], c.null[:0], 0
	clear(c.known)
}

func (t *table) finish() error {
	if err := t.flush(); err != nil {
		return err
	}
	schema := []element{{name: "schema", physical: -1, repetition: -1, children: len(t.columns), converted: unconverted}}
	for _, c := range t.columns {
		schema = append(schema, c.element)
	}
	return t.write(footer(schema, t.groups, nil))
}

// packed writes numbers of so many bits each as one run of Parquet's hybrid encoding, in groups of eight.
func packed(numbers []uint32, width int) []byte {
	b := binary.AppendUvarint(nil, uint64(len(numbers)+7)/8<<1|1)
	hold, held := uint64(0), 0
	for i := range (len(numbers) + 7) / 8 * 8 {
		if i < len(numbers) {
			hold |= uint64(numbers[i]) << held
		}
		for held += width; held >= 8; held -= 8 {
			b = append(b, byte(hold))
			hold >>= 8
		}
	}
	return b
}
