package dataset

import (
	"encoding/binary"
	"fmt"
	"math"

	"saturate/internal/files"
	"saturate/internal/hdf5"
)

// hdf5Format is one file: /mel first, so that rows have their places from the start, then a dataset
// a column. Parameters are attributes of the file.
type hdf5Format struct {
	shape shape
	base  int64 // where /mel begins
}

func newHDF5(_ Options, s shape, _ *List) format {
	f := &hdf5Format{shape: s}
	d, err := f.reserve(hdf5.NewWriter(nil))
	if err != nil {
		panic(err) // the shape was checked
	}
	f.base = d.Offset()
	return f
}

func (f *hdf5Format) reserve(w *hdf5.Writer) (*hdf5.Dataset, error) {
	if f.shape.ragged {
		return w.Dataset("mel", hdf5.Float16, hdf5.Unknown)
	}
	return w.Dataset("mel", hdf5.Float16, hdf5.Unknown, int64(f.shape.params.Mels), int64(f.shape.frames(f.shape.length)))
}

func (f *hdf5Format) folder() bool    { return false }
func (f *hdf5Format) file(int) string { return "" }
func (f *hdf5Format) ordered() bool   { return false }

// begin removes the signature, and everything else before the rows.
func (f *hdf5Format) begin(o *output) error { return o.blank(0, int(f.base)) }

func (f *hdf5Format) place(c *cursor, r *rowInfo, rec *record) {
	rec.file, rec.at, rec.values = 0, f.base+2*c.values, r.values
	c.values += int64(r.values)
}

func (f *hdf5Format) finish(o *output, t *table) error {
	file, err := o.file(0)
	if err != nil {
		return err
	}
	// An earlier end of the file is gone, and places without a row are zero.
	if err := file.Truncate(f.base + 2*t.values); err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	w := hdf5.NewWriter(file)
	d, err := f.reserve(w)
	if err != nil {
		return err
	}
	rows := t.rows
	if f.shape.ragged {
		rows = t.values
	}
	if err := w.Close(d, rows); err != nil {
		return err
	}
	for i := range t.columns {
		if err := f.column(w, t, &t.columns[i]); err != nil {
			return err
		}
	}
	for _, a := range t.b.attributes {
		if err := w.Attribute(nil, a.name, a.value); err != nil {
			return err
		}
	}
	size, err := w.Finish()
	if err == nil {
		err = file.Truncate(size)
	}
	if err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	return nil
}

func (f *hdf5Format) column(w *hdf5.Writer, t *table, c *column) error {
	if c.kind == texts {
		_, err := w.Strings(c.name, t.rows, func(i int64) (string, error) { return c.text(t.row(i)), nil })
		return err
	}
	kinds := map[kind]hdf5.Type{flags: hdf5.Uint8, wholes: hdf5.Int64, reals: hdf5.Float64}
	d, err := w.Dataset(c.name, kinds[c.kind], t.rows)
	if err != nil {
		return err
	}
	at := int64(0)
	return t.binary(c, func(block []byte) error {
		_, err := d.WriteAt(block, at)
		at += int64(len(block))
		return err
	})
}

// binary gives a column of numbers as little-endian bytes, a block at a time.
func (t *table) binary(c *column, do func(block []byte) error) error {
	block := make([]byte, 0, 1<<16)
	for row := range t.rows {
		r := t.row(row)
		switch c.kind {
		case flags:
			block = append(block, byte(c.whole(r)))
		case wholes:
			block = binary.LittleEndian.AppendUint64(block, uint64(c.whole(r)))
		case reals:
			block = binary.LittleEndian.AppendUint64(block, math.Float64bits(c.real(r)))
		}
		if len(block)+8 > cap(block) || row == t.rows-1 {
			if err := do(block); err != nil {
				return err
			}
			block = block[:0]
		}
	}
	return nil
}

func (f *hdf5Format) open(path string) (*built, error) {
	file, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	b := &built{closers: []func() error{file.Close}}
	info, err := file.Stat()
	if err != nil {
		return nil, b.fail(err)
	}
	h, err := hdf5.Read(file, info.Size())
	if err != nil {
		return nil, b.fail(err)
	}
	b.attributes = h.Attributes
	data, ok := h.Dataset("mel")
	if !ok || data.Type != hdf5.Float16 {
		return nil, b.fail(fmt.Errorf("it has no float16 dataset /mel"))
	}
	b.dims = data.Dims
	b.features = func(first int64, dst []uint16) error {
		return readHalf(file, data.Offset+2*first, dst)
	}
	for _, d := range h.Datasets {
		switch {
		case d.Name == "mel":
		case d.Type == hdf5.String:
			var list []string
			err = h.Strings(d, func(_ int64, s string) error { list = append(list, s); return nil })
			b.addText(d.Name, list)
		default:
			raw := make([]byte, d.Size)
			if _, err = file.ReadAt(raw, d.Offset); err == nil {
				b.addNumbers(d.Name, raw, d.Type.Size(), d.Type == hdf5.Float64)
			}
		}
		if err != nil {
			return nil, b.fail(err)
		}
	}
	return b, nil
}
