package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Types of Thrift's compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftI32    = 5
	thriftI64    = 6
	thriftBinary = 8
	thriftList   = 9
	thriftStruct = 12
)

// writer writes one struct; fields come in the order of their numbers.
type writer struct {
	b    []byte
	last []int16 // number of the last field, of each struct that is open
}

func newWriter(b []byte) *writer { return &writer{b: b, last: []int16{0}} }

func (w *writer) field(id int16, kind byte) {
	top := &w.last[len(w.last)-1]
	w.b = append(w.b, byte(id-*top)<<4|kind) // numbers are never 16 apart here
	*top = id
}

func (w *writer) zigzag(v int64) { w.b = binary.AppendUvarint(w.b, uint64(v<<1)^uint64(v>>63)) }

func (w *writer) i32(id int16, v int) {
	w.field(id, thriftI32)
	w.zigzag(int64(v))
}

func (w *writer) i64(id int16, v int64) {
	w.field(id, thriftI64)
	w.zigzag(v)
}

func (w *writer) bytes(s string) {
	w.b = binary.AppendUvarint(w.b, uint64(len(s)))
	w.b = append(w.b, s...)
}

func (w *writer) text(id int16, s string) {
	w.field(id, thriftBinary)
	w.bytes(s)
}

func (w *writer) list(id int16, kind byte, n int) {
	w.field(id, thriftList)
	if n < 15 {
		w.b = append(w.b, byte(n)<<4|kind)
		return
	}
	w.b = binary.AppendUvarint(append(w.b, 0xf0|kind), uint64(n))
}

// begin opens a struct that is a field; open one that is an element of a list.
func (w *writer) begin(id int16) {
	w.field(id, thriftStruct)
	w.open()
}

func (w *writer) open() { w.last = append(w.last, 0) }

func (w *writer) end() {
	w.b = append(w.b, 0)
	w.last = w.last[:len(w.last)-1]
}

// node is a value that was read: a struct's fields by number, a list, a number or bytes.
type node struct {
	fields map[int16]node
	list   []node
	number int64
	text   string
}

func (n node) at(ids ...int16) node {
	for _, id := range ids {
		n = n.fields[id]
	}
	return n
}

var errThrift = errors.New("the footer is damaged")

// reader reads what writer writes, and what else the protocol has is an error.
type reader struct {
	b     []byte
	depth int
	nodes int // how many more there may be
}

func newReader(b []byte) *reader { return &reader{b: b, nodes: len(b)} }

func (r *reader) uvarint() (uint64, error) {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		return 0, errThrift
	}
	r.b = r.b[n:]
	return v, nil
}

func (r *reader) readStruct() (node, error) {
	n := node{fields: map[int16]node{}}
	if r.depth++; r.depth > 16 {
		return n, errThrift
	}
	defer func() { r.depth-- }()
	id := int16(0)
	for {
		if len(r.b) == 0 {
			return n, errThrift
		}
		head := r.b[0]
		r.b = r.b[1:]
		if head == 0 {
			return n, nil
		}
		if head>>4 == 0 {
			v, err := r.uvarint()
			if err != nil {
				return n, err
			}
			id = int16(v>>1) ^ -int16(v&1)
		} else {
			id += int16(head >> 4)
		}
		value, err := r.value(head & 15)
		if err != nil {
			return n, err
		}
		n.fields[id] = value
	}
}

func (r *reader) value(kind byte) (n node, err error) {
	if r.nodes--; r.nodes < 0 { // values take a byte each, but for flags in lists
		return n, errThrift
	}
	switch kind {
	case thriftTrue, thriftFalse:
		n.number = int64(2 - kind)
		return n, nil
	case 3: // a byte
		if len(r.b) == 0 {
			return n, errThrift
		}
		n.number, r.b = int64(int8(r.b[0])), r.b[1:]
		return n, nil
	case 4, thriftI32, thriftI64:
		v, err := r.uvarint()
		n.number = int64(v>>1) ^ -int64(v&1)
		return n, err
	case thriftBinary:
		size, err := r.uvarint()
		if err != nil || size > uint64(len(r.b)) {
			return n, errThrift
		}
		n.text, r.b = string(r.b[:size]), r.b[size:]
		return n, nil
	case thriftList:
		return r.readList()
	case thriftStruct:
		return r.readStruct()
	}
	return n, fmt.Errorf("%w: a value of type %d", errThrift, kind)
}

func (r *reader) readList() (n node, err error) {
	if r.depth++; r.depth > 16 {
		return n, errThrift
	}
	defer func() { r.depth-- }()
	if len(r.b) == 0 {
		return n, errThrift
	}
	head := r.b[0]
	r.b = r.b[1:]
	size := uint64(head >> 4)
	if size == 15 {
		if size, err = r.uvarint(); err != nil {
			return n, err
		}
	}
	if size > uint64(len(r.b)) {
		return n, errThrift
	}
	for range size {
		v, err := r.value(head & 15)
		if err != nil {
			return n, err
		}
		n.list = append(n.list, v)
	}
	return n, nil
}
