package dataset

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"saturate/internal/files"
	"saturate/internal/npy"
)

// tarFormat is a folder of tar shards as WebDataset, NeMo and Energon read them: NNNNNNNNN.npy and
// NNNNNNNNN.json of each row, N being its number. Quarantined inputs are left out, as nobody looks there for
// a flag. index.npy tells where rows are, for access in any order; attributes.json holds the parameters.
type tarFormat struct {
	shape   shape
	shard   int64
	first   int64 // the number of the first row
	columns []column
}

func newTar(o Options, s shape, l *List) format {
	f := &tarFormat{shape: s, shard: int64(o.Shard), first: o.firstRow}
	for _, c := range columns(l, s, o.Checksum) {
		if !c.late && c.name != "valid" && c.name != "error" && c.name != "offset" {
			f.columns = append(f.columns, c)
		}
	}
	return f
}

func shardName(i int) string { return fmt.Sprintf("mel-%06d.tar", i) }

func (f *tarFormat) folder() bool          { return true }
func (f *tarFormat) file(i int) string     { return shardName(i) }
func (f *tarFormat) ordered() bool         { return true }
func (f *tarFormat) begin(o *output) error { return nil }

const (
	tarBlock = 512
	rowHead  = 128 // of a row's .npy
)

func (f *tarFormat) place(c *cursor, r *rowInfo, rec *record) {
	if shard := int(c.row / f.shard); shard != c.file {
		c.file, c.at = shard, 0
	}
	rec.file, rec.at, rec.values = c.file, c.at, r.values
	if r.out.state == quarantined {
		rec.values = 0
		return
	}
	size := rowHead + 2*r.values
	rec.before = tarHeader(rec.before, fmt.Sprintf("%09d.npy", f.first+c.row), size)
	head, err := npy.Header("<f2", []int64{int64(f.shape.params.Mels), int64(r.room)}, rowHead)
	if err != nil {
		panic(err) // two numbers always fit
	}
	rec.before = append(rec.before, head...)
	rec.after = append(rec.after, make([]byte, padding(size))...)
	line := []byte{'{'}
	for i := range f.columns {
		line = appendField(line, &f.columns[i], r)
	}
	line = append(line, '}')
	rec.after = tarHeader(rec.after, fmt.Sprintf("%09d.json", f.first+c.row), len(line))
	rec.after = append(append(rec.after, line...), make([]byte, padding(len(line)))...)
	c.at += int64(len(rec.before) + 2*rec.values + len(rec.after))
	c.values += int64(r.values)
}

func padding(size int) int { return (tarBlock - size%tarBlock) % tarBlock }

// tarHeader appends a ustar header without anything that changes from run to run.
func tarHeader(b []byte, name string, size int) []byte {
	var h [tarBlock]byte
	copy(h[:], name)
	copy(h[100:], "0000644\x000000000\x000000000\x00")
	copy(h[124:], fmt.Sprintf("%011o\x0000000000000\x00", size))
	h[156] = '0'
	copy(h[257:], "ustar\x0000")
	copy(h[148:], "        ")
	sum := 0
	for _, c := range h {
		sum += int(c)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	return append(b, h[:]...)
}

func (f *tarFormat) finish(o *output, t *table) error {
	ends := []int64{0}
	index := []byte{}
	err := t.places(func(r *rowInfo, rec *record) error {
		for len(ends) <= rec.file {
			ends = append(ends, 0)
		}
		if rec.values == 0 && len(rec.before) == 0 {
			return nil
		}
		ends[rec.file] = rec.at + rec.size()
		for _, v := range []int64{f.first + r.row, int64(rec.file), rec.at, int64(r.room)} {
			index = binary.LittleEndian.AppendUint64(index, uint64(v))
		}
		return nil
	})
	if err != nil {
		return err
	}
	const twoBlocks = 2 * tarBlock // of zeros end an archive
	for i, end := range ends {
		file, err := o.file(i)
		if err == nil {
			err = file.Truncate(end)
		}
		if err == nil {
			err = file.Truncate(end + twoBlocks)
		}
		if err != nil {
			return fmt.Errorf("cannot write the output: %w", err)
		}
	}
	// A long file that turned out to be damaged may have begun further shards.
	for i := len(ends); ; i++ {
		if err := os.Remove(filepath.Join(o.part, shardName(i))); err != nil {
			break
		}
	}
	head, err := npy.Header("<i8", []int64{int64(len(index) / 32), 4}, 128)
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(o.part, "index.npy"), func(w io.Writer) error {
		_, err := w.Write(append(head, index...))
		return err
	}); err != nil {
		return err
	}
	return writeAttributes(filepath.Join(o.part, attributesName), t)
}

func (f *tarFormat) open(path string) (*built, error) {
	attributes, err := readAttributes(filepath.Join(path, attributesName))
	if err != nil {
		return nil, err
	}
	b := &built{attributes: attributes, perRow: true}
	raw, err := files.Read(filepath.Join(path, "index.npy"), files.MaxJournal)
	if err != nil {
		return nil, err
	}
	info, err := npy.Read(raw)
	if err != nil {
		return nil, err
	}
	index := raw[info.Start:]
	shards := map[int64]*os.File{}
	for ; len(index) >= 32; index = index[32:] {
		n := func(i int) int64 { return int64(binary.LittleEndian.Uint64(index[8*i:])) }
		shard, at := shards[n(1)], n(2)
		if shard == nil {
			if shard, err = files.Open(filepath.Join(path, shardName(int(n(1))))); err != nil {
				return nil, b.fail(err)
			}
			shards[n(1)] = shard
			b.closers = append(b.closers, shard.Close)
		}
		if err := b.tarRow(shard, n(0), at); err != nil {
			return nil, b.fail(fmt.Errorf("row %d in %s: %w", n(0), shardName(int(n(1))), err))
		}
	}
	return b, nil
}

// tarRow reads what an archive says of a row.
func (b *built) tarRow(r io.ReaderAt, row, at int64) error {
	head := make([]byte, tarBlock+rowHead)
	if _, err := r.ReadAt(head, at); err != nil {
		return err
	}
	size, err := tarSize(head, fmt.Sprintf("%09d.npy", row))
	if err != nil {
		return err
	}
	info, err := npy.Read(head[tarBlock:])
	if err != nil {
		return err
	}
	next := at + tarBlock + size + int64(padding(int(size)))
	if _, err := r.ReadAt(head[:tarBlock], next); err != nil {
		return err
	}
	length, err := tarSize(head, fmt.Sprintf("%09d.json", row))
	if err != nil {
		return err
	}
	text, err := files.ReadAll(io.NewSectionReader(r, next+tarBlock, length), files.MaxRecord)
	if err != nil {
		return err
	}
	var columns map[string]any
	if err := json.Unmarshal(text, &columns); err != nil {
		return err
	}
	b.addRow(columns)
	start := at + tarBlock + info.Start
	b.rowsAt = append(b.rowsAt, func(dst []uint16) error { return readHalf(r, start, dst) })
	b.rowDims = append(b.rowDims, info.Shape)
	return nil
}

func tarSize(head []byte, name string) (size int64, err error) {
	if !bytes.Equal(bytes.TrimRight(head[:100], "\x00"), []byte(name)) {
		return 0, fmt.Errorf("%s is not at the expected offset", name)
	}
	_, err = fmt.Sscanf(string(head[124:135]), "%o", &size)
	return size, err
}
