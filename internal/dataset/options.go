package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"saturate/internal/mel"
	"saturate/internal/progress"
)

// Options are everything a build needs besides its inputs.
type Options struct {
	Dir    string // where relative paths of inputs start
	Output string
	To     string // one of Formats

	Params   mel.Params
	Layout   string        // Fixed or Ragged
	Length   time.Duration // of a row
	Segment  time.Duration // cut files into rows of this length; 0 for one row a file
	Overlap  time.Duration // of neighbouring segments
	Checksum string        // CRC32C, SHA256 or NoChecksum
	Shard    int           // rows of a tar shard, or of a row group; 0 for 1000 and 100

	MaxDuration time.Duration // longer files are quarantined in the ragged layout, which holds a file in memory
	FFmpeg      string        // "none" to do without

	Workers int
	Buffers int    // how many batches are in flight
	Batch   int    // files of a batch
	Map     string // write rows as memory: MapAuto, MapYes or MapNo
	Fsync   bool   // flush to the disk on the way and at the end

	firstRow int64 // the number of the first row, where rows have names
	barren   bool  // an output without a usable row is one too

	Strict  bool // a file that cannot be used ends the build
	Partial bool // when stopped, make what is finished readable
	Replace bool // an output with other settings may go

	// Computer makes the one of a worker; the processor's when nil.
	Computer func() (Computer, error)
	// Memory is what computers reach without a copy; Go's own when nil.
	Memory   Memory
	Progress *progress.Display
}

// Whether rows are written to the output as memory that the system keeps in the file, or by calls.
const (
	MapAuto = "auto" // where it is faster
	MapYes  = "yes"
	MapNo   = "no"
)

// Defaults are the options that openai-whisper's features need.
func Defaults() Options {
	return Options{
		To: "hdf5", Params: mel.Whisper(80), Layout: Fixed, Length: 30 * time.Second, Checksum: CRC32C,
		MaxDuration: time.Hour, Buffers: 3, Map: MapAuto, Fsync: true,
	}
}

func (o Options) path(p string) string {
	if filepath.IsAbs(p) || o.Dir == "" {
		return p
	}
	return filepath.Join(o.Dir, p)
}

// inHand is how many files are decoded but not yet written at most.
func (o Options) inHand() int { return o.Buffers * o.Batch }

// fileMemory is about what a file takes while it is processed: bytes read and samples decoded.
const fileMemory = 4 << 20

// settle fills in what was left open and says what is not possible.
func (o *Options) settle() error {
	o.fill()
	switch {
	case o.Output != "" && strings.Trim(o.Output, "/") == "":
		return fmt.Errorf("%s cannot be an output; choose another with --output", o.Output)
	case o.Workers < 1 || o.Workers > 4096:
		return fmt.Errorf("--workers must be 1 to 4096, or 0 for one per CPU, not %d", o.Workers)
	case o.Buffers < 1 || o.Buffers > 4096 || o.Batch < 1 || o.Batch > 1<<20:
		return fmt.Errorf("%d buffers of %d files are not possible; use 1 to 4096 buffers of 1 to %d files", o.Buffers,
			o.Batch, 1<<20)
	case !slices.Contains([]string{CRC32C, SHA256, NoChecksum}, o.Checksum):
		return fmt.Errorf("unknown checksum %q; use %s, %s or %s", o.Checksum, CRC32C, SHA256, NoChecksum)
	case o.Map != MapAuto && o.Map != MapYes && o.Map != MapNo:
		return fmt.Errorf("--map cannot be %q: use %s, %s or %s", o.Map, MapAuto, MapYes, MapNo)
	case o.Shard < 1:
		return fmt.Errorf("--shard-rows must be 1 or more, not %d", o.Shard)
	}
	return nil
}

// fill chooses what was left open.
func (o *Options) fill() {
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Batch == 0 {
		o.Batch = o.Workers
		if free := freeMemory(); free > 0 && o.Buffers > 0 {
			o.Batch = max(1, min(o.Batch, int(free/4/fileMemory)/o.Buffers))
		}
	}
	if o.Map == "" {
		o.Map = MapAuto
	}
	if o.Shard == 0 {
		o.Shard = 1000
		if o.To == "parquet" {
			o.Shard = 100
		}
	}
}

// writtenBy is how an output is known to be ours.
const writtenBy = "saturate mel"

// attribute is a named parameter in the output.
type attribute struct {
	name  string
	value any // string, int64 or float64
}

// attributes are all parameters that decide the output's bytes; the last is a hash of the inputs.
func attributes(o Options, s shape, l *List) []attribute {
	p := o.Params
	list := []attribute{
		{"written_by", writtenBy},
		{"layout", o.Layout},
		{"sample_rate", int64(p.SampleRate)},
		{"n_fft", int64(p.NFFT)},
		{"hop_length", int64(p.Hop)},
		{"n_mels", int64(p.Mels)},
		{"fmin", p.FMin},
		{"fmax", p.FMax},
		{"power", p.Power},
		{"window", string(p.Window)},
		{"scaling", string(p.Scaling)},
		{"db_mult", p.DBMult},
		{"row_samples", int64(s.length)},
		{"row_frames", int64(s.frames(s.length))},
		{"segment_step", int64(s.step)},
		{"max_samples", int64(s.most)},
		{"checksum", o.Checksum},
	}
	if o.To == "webdataset" || o.To == "parquet" {
		list = append(list, attribute{"shard_rows", int64(o.Shard)})
	}
	return append(list, attribute{"inputs", l.fingerprint()})
}

// fingerprint is a hash of what is read and in which order, not of its contents.
func (l *List) fingerprint() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", l.Columns)
	for i := range l.Items {
		it := &l.Items[i]
		fmt.Fprintf(h, "%q %q %d %g %g", it.Path, it.Tar, it.At, it.Start, it.Span)
		for _, v := range it.values {
			fmt.Fprintf(h, " %q %t", v.text, v.number)
		}
		h.Write([]byte("\n"))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Possible says what is wrong with options, before any input is looked at.
func Possible(o Options) error {
	_, err := prepare(&List{}, o)
	return err
}
