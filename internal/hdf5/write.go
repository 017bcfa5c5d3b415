package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Writer plans and writes one file. Its methods are for one goroutine at a time; those of a
// Dataset are for any number.
type Writer struct {
	file     io.WriterAt
	end      int64 // where the next thing goes
	datasets []*Dataset
	root     []attributeValue
	open     *Dataset // the one whose length is not known yet
	done     bool
}

// Dataset is an array in the file.
type Dataset struct {
	name       string
	kind       Type
	dims       []int64
	file       io.WriterAt
	offset     int64
	size       int64 // reserved bytes; without bound while its length is not known
	attributes []attributeValue
}

type attributeValue struct {
	name  string
	kind  Type
	value []byte
	text  string
}

// page is what datasets are aligned to, so that they can be mapped by themselves.
const page = 4096

// Unknown as the first dimension makes a dataset that grows until Close says its length.
const Unknown = -1

// NewWriter starts a file. Nothing is written before Finish but what datasets are given.
func NewWriter(file io.WriterAt) *Writer { return &Writer{file: file, end: page} }

func alignUp(n, to int64) int64 { return (n + to - 1) / to * to }

// Dataset reserves room for an array of numbers; what is never written is zero. The first
// dimension may be Unknown: nothing can be reserved behind it then until it is closed.
func (w *Writer) Dataset(name string, t Type, dims ...int64) (*Dataset, error) {
	if t == String {
		return nil, fmt.Errorf("hdf5: dataset %q: strings are written by Strings", name)
	}
	return w.reserve(name, t, dims)
}

func (w *Writer) reserve(name string, t Type, dims []int64) (*Dataset, error) {
	fail := func(why string, args ...any) (*Dataset, error) {
		return nil, fmt.Errorf("hdf5: dataset %q "+why, append([]any{name}, args...)...)
	}
	switch {
	case w.done:
		return fail("was added after the file was finished")
	case w.open != nil:
		return fail("was added while %q is still growing; close that first", w.open.name)
	case name == "" || name == "." || strings.ContainsAny(name, "/\x00") || len(name) > 1<<15:
		return fail("has an invalid name; use up to 32768 bytes without a slash")
	case kinds[t].size == 0:
		return fail("has an unsupported type")
	case len(dims) == 0 || len(dims) > 32:
		return fail("has %d dimensions; use 1 to 32", len(dims))
	}
	for _, d := range w.datasets {
		if d.name == name {
			return fail("already exists")
		}
	}
	d := &Dataset{name: name, kind: t, dims: append([]int64{}, dims...), file: w.file}
	d.offset = alignUp(w.end, page)
	if dims[0] == Unknown {
		d.dims[0] = 0
	}
	size, ok := d.bytes()
	if !ok || size > math.MaxInt64-d.offset-page {
		return fail("of shape %v is not possible", dims)
	}
	if dims[0] == Unknown {
		d.size = math.MaxInt64 - d.offset
		w.open = d
	} else {
		d.size = size
		w.end = d.offset + size
	}
	w.datasets = append(w.datasets, d)
	return d, nil
}

// bytes is the size of the array, if it has one.
func (d *Dataset) bytes() (size int64, ok bool) {
	size = int64(d.kind.Size())
	for _, n := range d.dims {
		if n < 0 || n > 0 && size > math.MaxInt64/n {
			return 0, false
		}
		size *= n
	}
	return size, true
}

// rowBytes is the size of one element of the first dimension.
func (d *Dataset) rowBytes() int64 {
	row := Dataset{kind: d.kind, dims: d.dims[1:]}
	size, _ := row.bytes()
	return size
}

// Offset is where the array starts in the file, at a page boundary.
func (d *Dataset) Offset() int64 { return d.offset }

// Size is the bytes reserved for it.
func (d *Dataset) Size() int64 { return d.size }

// WriteAt writes bytes of the array, little-endian and in row-major order.
func (d *Dataset) WriteAt(p []byte, at int64) (int, error) {
	if at < 0 || at > d.size || int64(len(p)) > d.size-at {
		return 0, fmt.Errorf("hdf5: %d bytes at %d do not fit dataset %q of %d bytes", len(p), at, d.name, d.size)
	}
	return d.file.WriteAt(p, d.offset+at)
}

// Close sets how many rows a growing dataset has in the end. For one whose length was known it
// may be smaller: only these rows are visible then.
func (w *Writer) Close(d *Dataset, rows int64) error {
	old := d.dims[0]
	if w.open != d && (rows > old || rows < 0) {
		return fmt.Errorf("hdf5: dataset %q has room for %d rows, not for %d", d.name, old, rows)
	}
	d.dims[0] = rows
	size, ok := d.bytes()
	if !ok || size > math.MaxInt64-d.offset-page {
		d.dims[0] = old
		return fmt.Errorf("hdf5: dataset %q cannot have %d rows of %d bytes", d.name, rows, d.rowBytes())
	}
	if w.open == d {
		d.size, w.end, w.open = size, d.offset+size, nil
	}
	return nil
}

// Strings writes a column of n strings. A zero byte would end a string for every reader, so it is
// an error; bytes that are not UTF-8 are written as they are.
func (w *Writer) Strings(name string, n int64, value func(i int64) (string, error)) (*Dataset, error) {
	d, err := w.reserve(name, String, []int64{n})
	if err != nil {
		return nil, err
	}
	h := heap{address: uint64(alignUp(w.end, 8)), write: w.writeAt}
	const some = 1024 // references written at a time
	references := make([]byte, 0, some*referenceSize)
	for i := range n {
		s, err := value(i)
		if err != nil {
			return nil, err
		}
		r, err := addText(&h, s)
		if err != nil {
			return nil, fmt.Errorf("hdf5: string %d of %q %w", i, name, err)
		}
		references = append(references, r[:]...)
		if len(references) == cap(references) || i == n-1 {
			if _, err := d.WriteAt(references, (i+1)*referenceSize-int64(len(references))); err != nil {
				return nil, err
			}
			references = references[:0]
		}
	}
	if err := h.flush(); err != nil {
		return nil, err
	}
	w.end = int64(h.address)
	return d, nil
}

func addText(h *heap, s string) (r [referenceSize]byte, err error) {
	if strings.IndexByte(s, 0) >= 0 {
		return r, errors.New("contains a zero byte")
	}
	if int64(len(s)) > math.MaxInt32 {
		return r, fmt.Errorf("has %d bytes, more than 2 GiB", len(s))
	}
	return h.add(s)
}

func (w *Writer) writeAt(p []byte, at uint64) error {
	_, err := w.file.WriteAt(p, int64(at))
	return err
}

// Attribute gives the file, or a dataset when on is not nil, a named value: a string, an int, an
// int64 or a float64.
func (w *Writer) Attribute(on *Dataset, name string, value any) error {
	list := &w.root
	if on != nil {
		list = &on.attributes
	}
	a := attributeValue{name: name}
	switch v := value.(type) {
	case string:
		a.kind, a.text = String, v
	case int:
		a.kind, a.value = Int64, binary.LittleEndian.AppendUint64(nil, uint64(v))
	case int64:
		a.kind, a.value = Int64, binary.LittleEndian.AppendUint64(nil, uint64(v))
	case float64:
		a.kind, a.value = Float64, binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
	default:
		return fmt.Errorf("hdf5: attribute %q cannot be a %T; use string, int, int64 or float64", name, value)
	}
	if name == "" || strings.IndexByte(name, 0) >= 0 || len(name) > 1<<15 {
		return fmt.Errorf("hdf5: attribute %q has an invalid name", name)
	}
	for _, old := range *list {
		if old.name == name {
			return fmt.Errorf("hdf5: attribute %q is given twice", name)
		}
	}
	*list = append(*list, a)
	return nil
}

// Finish writes the headers and, last of all, the superblock. It gives the size that the file must
// have: whoever opened it truncates or extends it to that, and syncs it.
func (w *Writer) Finish() (size int64, err error) {
	if w.open != nil {
		return 0, fmt.Errorf("hdf5: dataset %q is still growing; close it first", w.open.name)
	}
	if w.done {
		return 0, errors.New("hdf5: the file is already finished")
	}
	h := heap{address: uint64(alignUp(w.end, 8)), write: w.writeAt}
	var headers []*header
	for _, d := range w.datasets {
		bytes, _ := d.bytes()
		address := uint64(d.offset)
		if bytes == 0 {
			address = undefined
		}
		o := &header{}
		o.add(messageDataspace, dataspace(d.dims))
		o.add(messageDatatype, d.kind.encode())
		o.add(messageFill, fillValue())
		o.add(messageLayout, contiguous(address, uint64(bytes)))
		if err := o.addAttributes(d.attributes, &h); err != nil {
			return 0, err
		}
		headers = append(headers, o)
	}
	root := &header{}
	root.add(messageLinkInfo, inHeader())
	root.add(messageGroupInfo, []byte{0, 0})
	if err := root.addAttributes(w.root, &h); err != nil {
		return 0, err
	}
	if err := h.flush(); err != nil {
		return 0, err
	}
	at := h.address
	put := func(o *header) (address uint64, err error) {
		address = at
		text := o.encode()
		at = uint64(alignUp(int64(at)+int64(len(text)), 8))
		return address, w.writeAt(text, address)
	}
	for i, o := range headers {
		address, err := put(o)
		if err != nil {
			return 0, err
		}
		root.add(messageLink, link(w.datasets[i].name, address))
	}
	address, err := put(root)
	if err != nil {
		return 0, err
	}
	if err := w.writeAt(superblock(address, at), 0); err != nil {
		return 0, err
	}
	w.done = true
	return int64(at), nil
}

func (o *header) addAttributes(list []attributeValue, h *heap) error {
	if len(list) > 0 {
		o.add(messageAttrInfo, inHeader())
	}
	for _, a := range list {
		value := a.value
		if a.kind == String {
			r, err := addText(h, a.text)
			if err != nil {
				return fmt.Errorf("hdf5: attribute %q %w", a.name, err)
			}
			value = r[:]
		}
		o.add(messageAttribute, attribute(a.name, a.kind, nil, value))
	}
	return nil
}
