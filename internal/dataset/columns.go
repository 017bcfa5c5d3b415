package dataset

import (
	"encoding/hex"
	"fmt"
	"math"
	"sort"
	"strconv"

	"saturate/internal/rows"
)

// kind is the type of a column.
type kind uint8

const (
	flags  kind = iota + 1 // 0 or 1, a byte
	wholes                 // int64
	reals                  // float64
	texts
)

// column is one thing that is known of every row.
type column struct {
	name  string
	kind  kind
	late  bool                   // known only after all rows of the file were computed
	whole func(r *rowInfo) int64 // of flags too
	real  func(r *rowInfo) float64
	text  func(r *rowInfo) string
}

// own names of columns; a manifest's of the same name are kept with input_ before it.
var ownColumns = []string{
	"mel", "path", "valid", "frames", "duration", "sample_rate", "channels", "checksum", "bad_samples", "error",
	"segment", "start", "offset",
}

// columns are all that stand beside the features.
func columns(l *List, s shape, checksum string) (list []column) {
	add := func(c column) { list = append(list, c) }
	whole := func(name string, f func(*rowInfo) int64) { add(column{name: name, kind: wholes, whole: f}) }
	add(column{name: "path", kind: texts, text: func(r *rowInfo) string { return r.item.name() }})
	for k, name := range l.columnNames() {
		add(l.inputColumn(k, name))
	}
	add(column{name: "valid", kind: flags, whole: func(r *rowInfo) int64 {
		if r.out.state == done {
			return 1
		}
		return 0
	}})
	whole("frames", func(r *rowInfo) int64 { return int64(r.frames) })
	if s.ragged {
		whole("offset", func(r *rowInfo) int64 { return r.first })
	}
	if s.step > 0 {
		whole("segment", func(r *rowInfo) int64 { return r.segment })
		add(column{name: "start", kind: reals, real: func(r *rowInfo) float64 {
			return r.item.Start + float64(r.segment)*float64(s.step)/float64(s.params.SampleRate)
		}})
	}
	add(column{name: "duration", kind: reals, late: s.step > 0, real: func(r *rowInfo) float64 { return r.out.seconds }})
	whole("sample_rate", func(r *rowInfo) int64 { return int64(r.out.rate) })
	whole("channels", func(r *rowInfo) int64 { return int64(r.out.channels) })
	add(column{name: "bad_samples", kind: wholes, late: true, whole: func(r *rowInfo) int64 { return int64(r.out.odd) }})
	if checksum != NoChecksum {
		add(column{name: "checksum", kind: texts, text: func(r *rowInfo) string { return r.out.checksum() }})
	}
	add(column{name: "error", kind: texts, text: func(r *rowInfo) string { return r.out.reason }})
	return list
}

// checksum as text; "" for a file that could not be read.
func (o *outcome) checksum() string {
	switch {
	case o.sha != nil:
		return hex.EncodeToString(o.sha[:])
	case o.state == done || o.crc != 0:
		return fmt.Sprintf("%08x", o.crc)
	}
	return ""
}

// columnNames are the names of the manifests' columns in the output: such as every format takes, and each another.
func (l *List) columnNames() []string {
	names := make([]string, len(l.Columns))
	for i, name := range l.Columns {
		names[i] = columnName(name)
	}
	for i, name := range names {
		names[i] = rows.Beside(name, ownColumns, names)
	}
	return rows.Distinct(names) // a/b and a:b are both a_b
}

// inputColumn is a manifest's column: numbers where all its cells are, texts otherwise.
func (l *List) inputColumn(k int, name string) column {
	c := column{name: name, kind: l.kindOf(k)}
	c.text = func(r *rowInfo) string { return r.item.value(k).text }
	c.whole = func(r *rowInfo) int64 {
		n, _ := strconv.ParseInt(c.text(r), 10, 64)
		return n
	}
	c.real = func(r *rowInfo) float64 {
		f, err := strconv.ParseFloat(c.text(r), 64)
		if err != nil {
			return math.NaN()
		}
		return f
	}
	return c
}

// kindOf is the type of a manifest's column.
func (l *List) kindOf(k int) kind {
	if l.kinds != nil {
		return l.kinds[k]
	}
	kind, numbers := wholes, false
	for i := range l.Items {
		v := l.Items[i].value(k)
		numbers = numbers || v.number
		_, err := strconv.ParseInt(v.text, 10, 64)
		switch {
		case !v.number && v.text != "":
			kind = texts
		case err != nil && kind == wholes:
			kind = reals // a fraction, or nothing
		}
		if kind == texts {
			break
		}
	}
	if !numbers {
		return texts // of nothing
	}
	return kind
}

// columnName makes a name that every format takes.
func columnName(name string) string {
	b := []rune(name)
	for i, r := range b {
		if r == '/' || r == '\\' || r == ':' || r < ' ' {
			b[i] = '_'
		}
	}
	switch name = string(b[:min(len(b), 100)]); name {
	case "", ".", "..":
		return "column_" + name
	}
	return name
}

// table is everything beside the features, for the first items of a build.
type table struct {
	b       *builder
	items   int
	rows    int64 // of the output
	values  int64 // of all features
	end     cursor
	first   []int64 // the first row of each item, where items have several
	offset  []int64 // the first value of each item, where items have different numbers
	columns []column
	info    rowInfo
}

func (b *builder) table(items int) *table {
	t := &table{b: b, items: items, columns: b.columns}
	for i := range items {
		if b.shape.step > 0 {
			t.first = append(t.first, t.end.row)
		}
		if b.shape.ragged {
			t.offset = append(t.offset, t.end.values)
		}
		b.move(&t.end, i, &b.results[i])
	}
	t.rows, t.values = t.end.row, t.end.values
	return t
}

// row describes a row; the description is good until the next call.
func (t *table) row(row int64) *rowInfo {
	item, segment := int(row), int64(0)
	if t.first != nil {
		item = sort.Search(len(t.first), func(i int) bool { return t.first[i] > row }) - 1
		segment = row - t.first[item]
	}
	t.b.row(item, &t.b.results[item], row, segment, &t.info)
	if t.offset != nil {
		t.info.first = t.offset[item]
	}
	return &t.info
}

// places gives every row's place again, in order.
func (t *table) places(do func(r *rowInfo, rec *record) error) error {
	var c cursor
	var rec record
	for i := range t.rows {
		r := t.row(i)
		rec.before, rec.after = rec.before[:0], rec.after[:0]
		t.b.form.place(&c, r, &rec)
		c.row++
		if err := do(r, &rec); err != nil {
			return err
		}
	}
	return nil
}
