package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"saturate/internal/files"
	"saturate/internal/mel"
)

// Checked is what an output turned out to be.
type Checked struct {
	Output   string    `json:"output"`  // the file or folder
	To       string    `json:"to"`      // format: hdf5, npy, parquet, webdataset
	Rows     int64     `json:"rows"`    // in the output
	Valid    int64     `json:"valid"`   // of them, finished
	Tried    int       `json:"tried"`   // rows that were computed again
	Equal    int       `json:"equal"`   // of them, the same to the last bit
	Rounded  int       `json:"rounded"` // of them, within the rounding of another instruction set or device
	Skipped  int       `json:"skipped"` // rows whose input cannot be found by its recorded name
	Problems []Problem `json:"problems"`
}

// Problem is a row, or the whole output with Row -1, that is not as it should be.
type Problem struct {
	Row  int64  `json:"row"`  // number of the row; -1 for the whole output
	Path string `json:"path"` // of the input
	What string `json:"what"` // is wrong
}

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
	if !info.IsDir() { // one that cannot be opened has no format at all
		f, err := files.Open(path)
		if err != nil {
			return nil, "", fmt.Errorf("cannot read the output: %w", err)
		}
		f.Close()
	}
	to := FormatOf(path)
	for _, f := range Formats {
		if f.Name == to || to == "" && f.is(path) {
			// Opening needs no options: what was written says how.
			b, err := f.make(Defaults(), shape{params: mel.Whisper(80), length: 480000}, &List{}).open(path)
			if err != nil {
				return nil, f.Name, fmt.Errorf("%s cannot be read: %w", path, reason(err))
			}
			return b, f.Name, nil
		}
	}
	return nil, "", fmt.Errorf("%s is not an output of saturate mel", path)
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
	if err := c.columns(n); err != nil {
		return err
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
		return c.offsets()
	default:
		if len(c.dims) != 3 || c.dims[0] != n || c.dims[1] != int64(c.shape.params.Mels) || c.dims[2] != frames {
			return fmt.Errorf("the features have the shape %v instead of [%d %d %d]", c.dims, n, c.shape.params.Mels, frames)
		}
	}
	return nil
}

// columns checks that every column has n rows, and that those needed to read the features exist.
func (c *checker) columns(n int64) error {
	for name, list := range c.numbers {
		if int64(len(list)) != n {
			return fmt.Errorf("column %s has %d rows; the output has %d", name, len(list), n)
		}
	}
	for name, list := range c.texts {
		if int64(len(list)) != n {
			return fmt.Errorf("column %s has %d rows; the output has %d", name, len(list), n)
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
	return nil
}

// offsets checks that rows of different lengths follow each other without a gap.
func (c *checker) offsets() error {
	total := int64(0)
	for row, at := range c.numbers["offset"] {
		if int64(at) != total {
			return fmt.Errorf("row %d starts at value %d instead of %d", row, int64(at), total)
		}
		total += int64(c.numbers["frames"][row]) * int64(c.shape.params.Mels)
	}
	if len(c.dims) != 1 || c.dims[0] != total {
		return fmt.Errorf("the features have the shape %v; the rows need %d values", c.dims, total)
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
		params: opt.Params, ragged: opt.Layout == Ragged, length: whole("row_samples"), step: whole("segment_step"),
		most: whole("max_samples"),
	}
	if missing != "" {
		return fmt.Errorf("it has no attribute %s: it is damaged, or not written by saturate mel", missing)
	}
	opt.MaxDuration = time.Duration(float64(c.shape.most) / float64(max(1, opt.Params.SampleRate)) * float64(time.Second))
	return opt.Params.Check()
}
