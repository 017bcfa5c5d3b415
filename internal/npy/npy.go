// Package npy writes and reads the headers of .npy files, numpy's format for one array: a magic word, a
// Python dictionary that tells type and shape, and the values as they lie in memory.
//
// Header can be made any length, so that values begin at a page and a file's shape can be written
// last.
package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

const magic = "\x93NUMPY\x01\x00"

// Info is what a header tells.
type Info struct {
	Type  string // "<f2", "|u1", "<i8", "<f8"
	Shape []int64
	Start int64 // of the values
}

// Size is the bytes of one element; 0 for types that are not read here.
func (i Info) Size() int64 {
	if len(i.Type) != 3 || i.Type[0] != '<' && i.Type[0] != '|' {
		return 0
	}
	n := int64(i.Type[2] - '0')
	if n < 1 || n > 8 {
		return 0
	}
	return n
}

// Whole reports whether a file of so many bytes holds all values and nothing else.
func (i Info) Whole(size int64) error {
	want, fits := i.Size(), i.Size() > 0
	for _, n := range i.Shape {
		if n > 0 && want > math.MaxInt64/4/n {
			fits = false
			break
		}
		want *= n
	}
	switch {
	case !fits:
		return fmt.Errorf("npy: unsupported array %v of %s", i.Shape, i.Type)
	case size != i.Start+want:
		return fmt.Errorf("npy: the file has %d bytes; an array %v of %s needs %d", size, i.Shape, i.Type, i.Start+want)
	}
	return nil
}

// Header makes a header that takes exactly so many bytes, a multiple of 64.
func Header(kind string, shape []int64, size int) ([]byte, error) {
	var dims strings.Builder
	for i, n := range shape {
		if i > 0 {
			dims.WriteString(" ")
		}
		dims.WriteString(strconv.FormatInt(n, 10) + ",")
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, dims.String())
	const before = len(magic) + 2
	if size%64 != 0 || size > 1<<16 || before+len(text)+1 > size {
		return nil, fmt.Errorf("npy: a header of %d bytes does not fit %q", size, text)
	}
	h := append(make([]byte, 0, size), magic...)
	h = binary.LittleEndian.AppendUint16(h, uint16(size-before))
	h = append(h, text...)
	h = append(h, bytes.Repeat([]byte{' '}, size-len(h)-1)...)
	return append(h, '\n'), nil
}

// Read reads the header that data begins with.
func Read(data []byte) (Info, error) {
	const before = len(magic) + 2
	if len(data) < before || string(data[:len(magic)]) != magic {
		return Info{}, errors.New("npy: not a .npy file of version 1")
	}
	n := int(binary.LittleEndian.Uint16(data[len(magic):]))
	if len(data) < before+n {
		return Info{}, errors.New("npy: the header is truncated")
	}
	text := string(data[before : before+n])
	info := Info{Start: int64(before + n)}
	_, after, ok := strings.Cut(text, "'descr': '")
	kind, after, ok2 := strings.Cut(after, "'")
	_, dims, ok3 := strings.Cut(after, "'shape': (")
	dims, _, ok4 := strings.Cut(dims, ")")
	if !ok || !ok2 || !ok3 || !ok4 || !strings.Contains(text, "'fortran_order': False") {
		return Info{}, errors.New("npy: only plain arrays in C order are supported")
	}
	info.Type = kind
	for _, d := range strings.FieldsFunc(dims, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.ParseInt(d, 10, 64)
		if err != nil || n < 0 {
			return Info{}, fmt.Errorf("npy: %q is not a dimension", d)
		}
		info.Shape = append(info.Shape, n)
	}
	return info, nil
}
