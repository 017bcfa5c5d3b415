package dataset

import (
	"errors"
	"fmt"

	"saturate/internal/files"
	"saturate/internal/parquet"
)

// parquetFormat is one file with a page a row, so that rows have their places from the start. Parameters
// are in the footer, under the name saturate.
type parquetFormat struct {
	shape  shape
	matrix parquet.Matrix
	group  int64 // rows
}

func newParquet(o Options, s shape, _ *List) format {
	return &parquetFormat{s, parquet.Matrix{Bands: s.params.Mels}, int64(o.Shard)}
}

func (f *parquetFormat) folder() bool          { return false }
func (f *parquetFormat) file(int) string       { return "" }
func (f *parquetFormat) ordered() bool         { return false }
func (f *parquetFormat) begin(o *output) error { return o.blank(0, len(parquet.Magic)) }

func (f *parquetFormat) place(c *cursor, r *rowInfo, rec *record) {
	rec.before = f.matrix.Page(rec.before, r.room)
	rec.file, rec.values = 0, r.values
	size := int64(len(rec.before) + 2*r.values)
	if f.shape.ordered() {
		rec.at = int64(len(parquet.Magic)) + c.at
		c.at += size
	} else {
		rec.at = int64(len(parquet.Magic)) + c.row*size
	}
	c.values += int64(r.values)
}

func (f *parquetFormat) finish(o *output, t *table) error {
	file, err := o.file(0)
	if err != nil {
		return err
	}
	type span struct{ first, end, at, size, values int64 }
	groups, end := []span{}, int64(len(parquet.Magic))
	err = t.places(func(r *rowInfo, rec *record) error {
		if r.row%f.group == 0 {
			groups = append(groups, span{first: r.row, at: rec.at})
		}
		g := &groups[len(groups)-1]
		g.end, g.size = r.row+1, g.size+rec.size()
		g.values += int64(max(1, rec.values))
		end = rec.at + rec.size()
		return nil
	})
	if err == nil {
		err = file.Truncate(end)
	}
	if err == nil {
		_, err = file.WriteAt([]byte(parquet.Magic), 0)
	}
	if err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	w := parquet.NewWriter(file, end, f.matrix, f.columns(t))
	for _, g := range groups {
		if err := w.Group(g.first, g.end, g.at, g.size, g.values); err != nil {
			return fmt.Errorf("cannot write the output: %w", err)
		}
	}
	text, err := attributesJSON(t)
	if err != nil {
		return err
	}
	size, err := w.Finish([][2]string{{"saturate", string(text)}})
	if err == nil {
		err = file.Truncate(size)
	}
	if err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	return nil
}

var parquetKinds = map[kind]parquet.Kind{
	flags: parquet.Bool, wholes: parquet.Int64, reals: parquet.Float64,
	texts: parquet.Text,
}

func (f *parquetFormat) columns(t *table) (list []parquet.Column) {
	for i := range t.columns {
		c := &t.columns[i]
		list = append(list, parquet.Column{
			Name: c.name, Kind: parquetKinds[c.kind],
			Whole: func(row int64) int64 { return c.whole(t.row(row)) },
			Real:  func(row int64) float64 { return c.real(t.row(row)) },
			Text:  func(row int64) string { return c.text(t.row(row)) },
		})
	}
	return list
}

func (f *parquetFormat) open(path string) (*built, error) {
	file, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	b := &built{closers: []func() error{file.Close}, perRow: true}
	info, err := file.Stat()
	if err != nil {
		return nil, b.fail(err)
	}
	p, err := parquet.Read(file, info.Size())
	if err != nil {
		return nil, b.fail(err)
	}
	if b.attributes, err = parseAttributes([]byte(p.Metadata["saturate"])); err != nil {
		return nil, b.fail(errors.New("its footer has no saturate parameters"))
	}
	b.texts, b.numbers = p.Texts, p.Numbers
	mels, _ := b.attributes["n_mels"].(int64)
	room, _ := b.attributes["row_frames"].(int64)
	row := 0
	for _, c := range p.Matrix {
		at := c.At
		for range c.Rows {
			frames := room
			if list := p.Numbers["frames"]; b.attributes["layout"] == Ragged && row < len(list) {
				frames = int64(list[row])
			}
			start := at + int64(len(parquet.Matrix{Bands: int(mels)}.Page(nil, int(frames))))
			b.rowsAt = append(b.rowsAt, func(dst []uint16) error { return readHalf(file, start, dst) })
			b.rowDims = append(b.rowDims, []int64{mels, frames})
			at = start + 2*mels*frames
			row++
		}
		if at != c.At+c.Size {
			return nil, b.fail(errors.New("its pages are not at the expected offsets"))
		}
	}
	return b, nil
}
