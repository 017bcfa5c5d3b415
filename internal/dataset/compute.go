package dataset

import (
	"fmt"

	"saturate/internal/mel"
)

// Job is one row to compute: its samples, cut or padded to Length, become FP16 bands by frames in Dst.
// Dst may be the output's own memory. Impossible is set to the number of samples that were no numbers.
type Job struct {
	Samples    mel.Samples
	Length     int
	Dst        []uint16
	Impossible int
	Missed     bool // a Starter could not do it
}

// Computer computes rows. Each is used by one goroutine at a time.
type Computer interface {
	// Name says what computes: "cpu avx512".
	Name() string
	// Batch is how many rows of a file it wants at a time. Fewer are given when there are no more.
	Batch() int
	// Compute fills every Dst before it returns.
	Compute(jobs []Job) error
	Close() error
}

// Starter is a Computer that works asynchronously, while its worker decodes and writes other files.
type Starter interface {
	Computer
	// Start begins to compute, and done is called once after the last Dst was filled, from any goroutine. Jobs that
	// are Missed then are given to Compute, of any worker; with other memory where Dst is nil, for a device that is lost
	// may write to what it had a moment longer.
	Start(jobs []Job, done func())
}

// cpu computes a row at a time, while its samples are still in the cache.
type cpu struct{ x *mel.Extractor }

// NewCPU makes a Computer of one core, at the best instruction set when level is "".
func NewCPU(p mel.Params, level mel.Level) (Computer, error) {
	if level == "" {
		level = mel.Levels()[0]
	}
	x, err := mel.NewAt(p, level)
	if err != nil {
		return nil, err
	}
	return cpu{x}, nil
}

func (c cpu) Name() string { return "cpu " + string(c.x.Level()) }
func (c cpu) Batch() int   { return 1 }
func (c cpu) Close() error { return nil }

func (c cpu) Compute(jobs []Job) error {
	for i := range jobs {
		j := &jobs[i]
		odd, err := c.x.Half(j.Dst, j.Samples, j.Length)
		if err != nil {
			return fmt.Errorf("cannot compute features: %w", err)
		}
		j.Impossible = odd
	}
	return nil
}
