package sqlite

import (
	"encoding/binary"
	"math"
)

// Row is one row of a table. Columns are asked for by their place; one that is not there is empty.
type Row struct {
	number int64 // the row's own
	id     int   // the column that is that number
	types  []uint64
	values [][]byte
}

// decode cuts a record into its values.
func (r *Row) decode(record []byte, columns int) bool {
	r.types, r.values = r.types[:0], r.values[:0]
	size, n := uvarint(record)
	if n == 0 || size < uint64(n) || size > uint64(len(record)) {
		return false
	}
	head, body := record[n:size], record[size:]
	for len(head) > 0 && len(r.types) < columns {
		kind, n := uvarint(head)
		if n == 0 {
			return false
		}
		head = head[n:]
		length := lengthOf(kind)
		if length > uint64(len(body)) {
			length = uint64(len(body)) // of a row that was not read whole
		}
		r.types, r.values = append(r.types, kind), append(r.values, body[:length])
		body = body[length:]
	}
	return true
}

func lengthOf(kind uint64) uint64 {
	switch {
	case kind >= 12:
		return (kind - 12) / 2
	case kind <= 4:
		return kind
	case kind == 5:
		return 6
	case kind <= 7:
		return 8
	}
	return 0
}

// Null reports whether a column has no value.
func (r *Row) Null(column int) bool {
	return column != r.id && (column < 0 || column >= len(r.types) || r.types[column] == 0)
}

// Int is a column as a whole number; 0 where it is none.
func (r *Row) Int(column int) int64 {
	if column < 0 {
		return 0
	}
	if column == r.id && (column >= len(r.types) || r.types[column] == 0) {
		return r.number
	}
	if column >= len(r.types) {
		return 0
	}
	b := r.values[column]
	switch kind := r.types[column]; {
	case kind == 9:
		return 1
	case kind == 7 && len(b) == 8:
		return int64(math.Float64frombits(binary.BigEndian.Uint64(b)))
	case kind >= 1 && kind <= 6 && len(b) > 0:
		v := int64(int8(b[0]))
		for _, x := range b[1:] {
			v = v<<8 | int64(x)
		}
		return v
	}
	return 0
}

// Text is a column as text; empty where it is none.
func (r *Row) Text(column int) string { return string(r.Bytes(column)) }

// Bytes is the same without a copy: valid until the next row.
func (r *Row) Bytes(column int) []byte {
	if column < 0 || column >= len(r.types) || r.types[column] < 12 {
		return nil
	}
	return r.values[column]
}
