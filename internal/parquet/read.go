package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// File is what a file that this package wrote holds.
type File struct {
	Rows     int64
	Metadata map[string]string
	Matrix   []Chunk // the matrix, a chunk a row group
	Texts    map[string][]string
	Numbers  map[string][]float64
}

// Chunk is the matrix in one row group.
type Chunk struct{ Rows, At, Size int64 }

// Read reads footer and small columns of a file of that size.
func Read(r io.ReaderAt, size int64) (*File, error) {
	f, err := read(r, size)
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	return f, nil
}

func read(r io.ReaderAt, size int64) (*File, error) {
	const tail = 8
	if size < int64(len(Magic))+tail {
		return nil, errors.New("it is too short for a Parquet file")
	}
	var end [tail]byte
	if _, err := r.ReadAt(end[:], size-tail); err != nil && err != io.EOF {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4:]) != Magic || n > size-tail-int64(len(Magic)) {
		return nil, errors.New("it is not a Parquet file, or it is unfinished")
	}
	raw := make([]byte, n)
	if _, err := r.ReadAt(raw, size-tail-n); err != nil {
		return nil, err
	}
	root, err := newReader(raw).readStruct()
	if err != nil {
		return nil, err
	}
	f := &File{
		Rows: root.at(3).number, Metadata: map[string]string{}, Texts: map[string][]string{},
		Numbers: map[string][]float64{},
	}
	for _, m := range root.at(5).list {
		f.Metadata[m.at(1).text] = m.at(2).text
	}
	rows := int64(0)
	for _, g := range root.at(4).list {
		rows += g.at(3).number
		for _, c := range g.at(1).list {
			if err := f.chunk(r, size, c, g.at(3).number); err != nil {
				return nil, err
			}
		}
	}
	if rows != f.Rows {
		return nil, fmt.Errorf("its row groups have %d rows; the footer says %d", rows, f.Rows)
	}
	return f, nil
}

// chunk reads a small column, or notes where the matrix is.
func (f *File) chunk(r io.ReaderAt, size int64, c node, rows int64) error {
	meta := c.at(3)
	path, at, n := meta.at(3).list, meta.at(9).number, meta.at(7).number
	if len(path) == 0 || at < 0 || n < 0 || at > size || n > size-at || rows < 0 {
		return errThrift
	}
	name := path[0].text
	if len(path) > 1 {
		f.Matrix = append(f.Matrix, Chunk{rows, at, n})
		return nil
	}
	raw := make([]byte, n)
	if _, err := r.ReadAt(raw, at); err != nil {
		return err
	}
	page := newReader(raw)
	head, err := page.readStruct()
	if err != nil {
		return err
	}
	if head.at(5, 1).number != rows || !f.values(name, meta.at(1).number, rows, page.b) {
		return fmt.Errorf("column %q is damaged", name)
	}
	return nil
}

// values takes the rows of a column from the body of its page; false where they are damaged.
func (f *File) values(name string, kind, rows int64, body []byte) bool {
	if rows > 8*int64(len(body)) && rows > 0 {
		return false
	}
	for row := range rows {
		switch kind {
		case typeBool:
			f.Numbers[name] = append(f.Numbers[name], float64(body[row/8]>>(row%8)&1))
		case typeInt64, typeDouble:
			if len(body) < 8 {
				return false
			}
			v := float64(int64(binary.LittleEndian.Uint64(body)))
			if kind == typeDouble {
				v = math.Float64frombits(binary.LittleEndian.Uint64(body))
			}
			f.Numbers[name], body = append(f.Numbers[name], v), body[8:]
		case typeBytes:
			if len(body) < 4 || uint64(binary.LittleEndian.Uint32(body)) > uint64(len(body)-4) {
				return false
			}
			n := binary.LittleEndian.Uint32(body)
			f.Texts[name], body = append(f.Texts[name], string(body[4:4+n])), body[4+n:]
		default:
			return false
		}
	}
	return true
}
