package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"saturate/internal/audio"
	"saturate/internal/mel"
)

// Checked is what an output turned out to be.
type Checked struct {
	Output   string    `json:"output"`
	To       string    `json:"to"`
	Rows     int64     `json:"rows"`
	Valid    int64     `json:"valid"`
	Tried    int       `json:"tried"`   // rows that were computed again
	Equal    int       `json:"equal"`   // of them, the same to the last bit
	Rounded  int       `json:"rounded"` // of them, within the rounding of another instruction set or device
	Skipped  int       `json:"skipped"` // rows whose input cannot be found by its recorded name
	Problems []Problem `json:"problems"`
}

// Problem is a row, or the whole output with Row -1, that is not as it should be.
type Problem struct {
	Row  int64  `json:"row"`
	Path string `json:"path"`
	What string `json:"what"`
}

// mostDiffering is the share of FP16 values that may differ by a step between instruction sets and devices.
const mostDiffering = 0.002

// Check looks at an output's structure, and computes some rows again from their inputs: those many, spread
// evenly, or all of them when rows is 0.
func Check(ctx context.Context, path string, opt Options, rows int) (Checked, error) {
	b, to, err := openAny(path)
	if err != nil {
		return Checked{}, err
	}
	defer b.close()
	c := &checker{built: b, result: Checked{Output: path, To: to, Problems: []Problem{}}}
	c.result.Rows = c.rows()
	if err := c.structure(&opt); err != nil {
		c.problem(-1, "%v", err)
		return c.result, nil
	}
	return c.result, c.features(ctx, opt, rows)
}

// openAny finds out which format an output has.
func openAny(path string) (*built, string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", fmt.Errorf("cannot read the output: %w", err)
	}
	to := FormatOf(path)
	if info.IsDir() {
		to = "webdataset"
		if _, err := os.Stat(filepath.Join(path, "mel.npy")); err == nil {
			to = "npy"
		}
	}
	if to == "" {
		to = "hdf5"
		head := make([]byte, 4)
		if f, err := os.Open(path); err == nil {
			f.Read(head)
			f.Close()
		}
		if string(head) == "PAR1" {
			to = "parquet"
		}
	}
	for _, f := range Formats {
		if f.Name == to {
			// Opening needs no options: what was written says how.
			b, err := f.make(Defaults(), shape{params: mel.Whisper(80), length: 480000}, &List{}).open(path)
			if err != nil {
				return nil, to, fmt.Errorf("%s cannot be read: %w", path, reason(err))
			}
			return b, to, nil
		}
	}
	return nil, "", fmt.Errorf("%s has no known format", path)
}

type checker struct {
	*built
	result Checked
	shape  shape
}

func (c *checker) problem(row int64, what string, args ...any) {
	path := ""
	if list := c.texts["path"]; row >= 0 && row < int64(len(list)) {
		path = list[row]
	}
	c.result.Problems = append(c.result.Problems, Problem{row, path, fmt.Sprintf(what, args...)})
}

func (c *checker) rows() int64 {
	if c.perRow {
		return int64(len(c.rowsAt))
	}
	return int64(len(c.texts["path"]))
}

// structure reads the parameters back and compares shapes and lengths.
func (c *checker) structure(opt *Options) error {
	if err := c.parameters(opt); err != nil {
		return err
	}
	n := c.rows()
	for name, list := range c.numbers {
		if int64(len(list)) != n {
			return fmt.Errorf("column %s has %d rows, the output %d", name, len(list), n)
		}
	}
	for name, list := range c.texts {
		if int64(len(list)) != n {
			return fmt.Errorf("column %s has %d rows, the output %d", name, len(list), n)
		}
	}
	needed := []string{"frames"}
	if c.shape.ragged && !c.perRow {
		needed = append(needed, "offset")
	}
	for _, name := range needed {
		if c.numbers[name] == nil && n > 0 {
			return fmt.Errorf("it has no column %s", name)
		}
	}
	if c.texts["path"] == nil && n > 0 {
		return errors.New("it has no column path")
	}
	frames := int64(c.shape.frames(c.shape.length))
	switch {
	case c.perRow:
		for row, dims := range c.rowDims {
			if len(dims) != 2 || dims[0] != int64(c.shape.params.Mels) || !c.shape.ragged && dims[1] != frames {
				return fmt.Errorf("row %d has the shape %v", row, dims)
			}
		}
	case c.shape.ragged:
		total := int64(0)
		for row, at := range c.numbers["offset"] {
			if int64(at) != total {
				return fmt.Errorf("row %d begins at value %d instead of %d", row, int64(at), total)
			}
			total += int64(c.numbers["frames"][row]) * int64(c.shape.params.Mels)
		}
		if len(c.dims) != 1 || c.dims[0] != total {
			return fmt.Errorf("the features have the shape %v, the rows need %d values", c.dims, total)
		}
	default:
		if len(c.dims) != 3 || c.dims[0] != n || c.dims[1] != int64(c.shape.params.Mels) || c.dims[2] != frames {
			return fmt.Errorf("the features have the shape %v instead of [%d %d %d]", c.dims, n, c.shape.params.Mels, frames)
		}
	}
	return nil
}

// parameters makes options of the attributes.
func (c *checker) parameters(opt *Options) error {
	missing := ""
	whole := func(name string) int {
		v, ok := c.attributes[name].(int64)
		if !ok {
			missing = name
		}
		return int(v)
	}
	real := func(name string) float64 {
		switch v := c.attributes[name].(type) {
		case float64:
			return v
		case int64: // JSON does not tell 2.0 from 2
			return float64(v)
		}
		missing = name
		return 0
	}
	text := func(name string) string {
		v, ok := c.attributes[name].(string)
		if !ok {
			missing = name
		}
		return v
	}
	opt.Params = mel.Params{
		SampleRate: whole("sample_rate"), NFFT: whole("n_fft"), Hop: whole("hop_length"), Mels: whole("n_mels"),
		FMin: real("fmin"), FMax: real("fmax"), Power: real("power"), Window: mel.Window(text("window")),
		Scaling: mel.Scaling(text("scaling")), DBMult: real("db_mult"),
	}
	opt.Layout, opt.Checksum = text("layout"), text("checksum")
	c.shape = shape{
		params: opt.Params, ragged: opt.Layout == Ragged, length: whole("row_samples"), step: whole("segment_step"), most: whole("max_samples"),
	}
	if missing != "" {
		return fmt.Errorf("it has no attribute %s: it was not written by saturate mel, or not whole", missing)
	}
	opt.MaxDuration = time.Duration(float64(c.shape.most) / float64(max(1, opt.Params.SampleRate)) * float64(time.Second))
	return opt.Params.Check()
}

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
	tars := map[string]*os.File{}
	defer func() {
		for _, f := range tars {
			f.Close()
		}
	}()
	d := &decoder{opt: opt, shape: c.shape, list: list, tars: tars}
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
		it, ok := c.item(row, opt, tars)
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
func (c *checker) item(row int64, opt Options, tars map[string]*os.File) (Item, bool) {
	it := Item{Path: c.texts["path"][row]}
	if list := c.numbers["input_offset"]; list != nil {
		if it.Start = list[row]; math.IsNaN(it.Start) {
			it.Start = 0
		}
		if spans := c.numbers["input_duration"]; spans != nil && !math.IsNaN(spans[row]) {
			it.Span = spans[row]
		}
	}
	if info, err := os.Stat(opt.path(it.Path)); err == nil {
		it.Size = info.Size()
		return it, info.Mode().IsRegular()
	}
	archive, member, ok := strings.Cut(it.Path, ".tar/")
	if !ok {
		return it, false
	}
	archive += ".tar"
	f := tars[archive]
	if f == nil {
		var err error
		if f, err = os.Open(opt.path(archive)); err != nil {
			return it, false
		}
		tars[archive] = f
	}
	members, _ := readTar(f)
	for _, m := range members {
		if m.item.Path == member {
			m.item.Tar, m.item.Start, m.item.Span = archive, it.Start, it.Span
			return m.item, true
		}
	}
	return it, false
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
		return fmt.Errorf("its input cannot be used any more: %s", s.out.reason)
	}
	s.out.state = done
	if sums := c.texts["checksum"]; sums != nil && sums[row] != s.out.checksum() {
		return fmt.Errorf("its input has changed: checksum %s then, %s now", sums[row], s.out.checksum())
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
			return fmt.Errorf("there are %v instead of %d", dims, len(dst))
		}
		return c.rowsAt[row](dst)
	}
	first := row * int64(len(dst))
	if c.shape.ragged {
		first = int64(c.numbers["offset"][row])
		if int64(c.numbers["frames"][row])*int64(c.shape.params.Mels) != int64(len(dst)) {
			return fmt.Errorf("there are %d frames", int64(c.numbers["frames"][row]))
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
				return fmt.Errorf("value %d is %g, its input gives %g", i, a, b)
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
			c.problem(row, "it is of a quarantined input and not zero")
			return
		}
	}
}
