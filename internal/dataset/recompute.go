package dataset

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"

	"saturate/internal/audio"
	"saturate/internal/files"
	"saturate/internal/mel"
)

// mostDiffering is the share of FP16 values that may differ by a step between instruction sets and devices.
const mostDiffering = 0.002

// features computes rows again.
func (c *checker) features(ctx context.Context, opt Options, rows int) error {
	x, err := mel.New(opt.Params)
	if err != nil {
		return err
	}
	n := c.rows()
	if rows == 0 || int64(rows) > n {
		rows = int(n)
	}
	valid := c.numbers["valid"]
	for _, v := range valid {
		c.result.Valid += int64(v)
	}
	if valid == nil {
		c.result.Valid = n
	}
	list := &List{Items: make([]Item, 1)}
	archives := archives{files: map[string]*os.File{}, members: map[string]map[string]Item{}}
	defer archives.close()
	d := &decoder{opt: opt, shape: c.shape, list: list, tars: archives.files}
	s := &slot{}
	for i := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		row := int64(i) * n / int64(rows)
		if valid != nil && valid[row] == 0 {
			c.zeros(row)
			continue
		}
		it, ok := c.item(row, opt, archives)
		if !ok {
			c.result.Skipped++
			continue
		}
		list.Items[0] = it
		c.result.Tried++
		if err := c.again(ctx, d, s, x, row); err != nil {
			c.problem(row, "%v", err)
		}
		s.rest()
	}
	return nil
}

// item finds a row's input by its recorded name.
func (c *checker) item(row int64, opt Options, tars archives) (Item, bool) {
	name := c.texts["path"][row]
	for _, path := range []string{name, unclean(name)} {
		if info, err := os.Stat(opt.path(path)); err == nil {
			it := Item{Path: path, Size: info.Size()}
			if c.numbers["input_offset"] != nil || c.texts["input_offset"] != nil {
				it.Start, it.Span = c.seconds("input_offset", row), c.seconds("input_duration", row)
			}
			return it, info.Mode().IsRegular()
		}
	}
	archive, member, ok := strings.Cut(name, ".tar/")
	if !ok {
		return Item{}, false
	}
	archive += ".tar"
	path := opt.path(archive)
	if _, err := os.Stat(path); err != nil {
		path = opt.path(unclean(archive))
	}
	found, ok := tars.open(archive, path)[member]
	return found, ok
}

// seconds is a cell of a list's column; 0 where it is empty. A column holds texts if one of its cells is not a number.
func (c *checker) seconds(column string, row int64) float64 {
	if list := c.texts[column]; list != nil {
		return max(0, seconds(list[row]))
	}
	if list := c.numbers[column]; list != nil && list[row] > 0 {
		return list[row]
	}
	return 0
}

// archives are those that rows came from, and by name where their members are.
type archives struct {
	files   map[string]*os.File
	members map[string]map[string]Item
}

func (a archives) close() {
	for _, f := range a.files {
		f.Close()
	}
}

// open lists an archive's members, once. There are none where it cannot be read.
func (a archives) open(name, path string) map[string]Item {
	if list, ok := a.members[name]; ok {
		return list
	}
	list := map[string]Item{}
	a.members[name] = list
	f, err := files.Open(path)
	if err != nil {
		return list
	}
	a.files[name] = f
	members, _, _ := readTar(f) // of a damaged one, those that can be read
	for _, m := range members {
		if key := clean(m.item.Path); list[key].Tar == "" { // of two with a name, the first
			m.item.Tar = name
			list[key] = m.item
		}
	}
	return list
}

// again compares a row with what its input gives now.
func (c *checker) again(ctx context.Context, d *decoder, s *slot, x *mel.Extractor, row int64) error {
	it := &d.list.Items[0]
	s.item = 0
	stream, src := d.read(ctx, s, 0, &readAhead{open: map[int]source{}, taken: -1})
	if stream != nil {
		defer src.close()
		defer stream.Close()
	}
	if s.out.state == quarantined {
		return fmt.Errorf("its input is now unusable: %s", s.out.reason)
	}
	s.out.state = done
	if sums := c.texts["checksum"]; sums != nil && sums[row] != s.out.checksum() {
		return fmt.Errorf("its input changed: checksum was %s, is now %s", sums[row], s.out.checksum())
	}
	segment := int64(0)
	if list := c.numbers["segment"]; list != nil {
		segment = int64(list[row])
	}
	piece, err := c.piece(s, stream, it, segment)
	if err != nil {
		return err
	}
	length := c.shape.rowSamples(int64(piece.Len()))
	want := make([]uint16, c.shape.params.Mels*c.shape.frames(length))
	if _, err := x.Half(want, piece, length); err != nil {
		return err
	}
	got := make([]uint16, len(want))
	if err := c.read(row, got); err != nil {
		return fmt.Errorf("its features cannot be read: %w", err)
	}
	return c.compare(got, want)
}

// piece is the samples that a row was made of.
func (c *checker) piece(s *slot, stream *audio.Reader, it *Item, segment int64) (mel.Samples, error) {
	if stream == nil {
		if segment >= c.shape.rows(int64(s.clip.Len())) {
			return mel.Samples{}, fmt.Errorf("its input has no segment %d", segment)
		}
		return c.shape.piece(s.clip, segment), nil
	}
	window := make([]float32, c.shape.length)
	skip := int64(math.Round(it.Start*float64(stream.Rate()))) + segment*int64(c.shape.step)
	if err := drop(stream, window, skip); err != nil {
		return mel.Samples{}, err
	}
	n, err := fill(stream, window)
	return mel.Samples{Float: window[:n]}, err
}

// read reads a row's features.
func (c *checker) read(row int64, dst []uint16) error {
	if c.perRow {
		if dims := c.rowDims[row]; dims[0]*dims[1] != int64(len(dst)) {
			return fmt.Errorf("%v frames instead of %d", dims, len(dst))
		}
		return c.rowsAt[row](dst)
	}
	first := row * int64(len(dst))
	if c.shape.ragged {
		first = int64(c.numbers["offset"][row])
		if int64(c.numbers["frames"][row])*int64(c.shape.params.Mels) != int64(len(dst)) {
			return fmt.Errorf("%d frames", int64(c.numbers["frames"][row]))
		}
	}
	return c.built.features(first, dst)
}

// compare allows for the rounding of another device.
func (c *checker) compare(got, want []uint16) error {
	differing, worst := 0, 0.0
	for i, g := range got {
		if g != want[i] {
			differing++
			a, b := float64(mel.Single(g)), float64(mel.Single(want[i]))
			if d := math.Abs(a - b); !(d <= worst) {
				worst = d
			}
			if step := math.Max(1.0/(1<<16), math.Max(math.Abs(a), math.Abs(b))/1024); !(math.Abs(a-b) <= step) {
				return fmt.Errorf("value %d is %g; its input gives %g", i, a, b)
			}
		}
	}
	switch {
	case differing == 0:
		c.result.Equal++
	case float64(differing) > mostDiffering*float64(len(got))+1:
		return fmt.Errorf("%d of %d values differ by up to %g", differing, len(got), worst)
	default:
		c.result.Rounded++
	}
	return nil
}

// zeros expects nothing in the row of a quarantined input.
func (c *checker) zeros(row int64) {
	if c.shape.ragged {
		return
	}
	got := make([]uint16, c.shape.params.Mels*c.shape.frames(c.shape.length))
	if err := c.read(row, got); err != nil {
		c.problem(row, "its features cannot be read: %v", err)
		return
	}
	for _, v := range got {
		if v != 0 {
			c.problem(row, "its input is quarantined, but the row is not zero")
			return
		}
	}
}
