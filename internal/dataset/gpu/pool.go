package gpu

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"saturate/internal/cuda"
	"saturate/internal/dataset"
	"saturate/internal/mel"
	melcuda "saturate/internal/mel/cuda"
)

// Options say what is computed, and how.
type Options struct {
	Params     mel.Params
	RowSamples int // of a row; 0 when rows are of all lengths
	Batch      int // most rows of a batch; DefaultBatch when 0
	Autosize   bool
	Buffers    int // batches on their way at a time; defaultBuffers when 0
	Workers    int // that bring rows; unknown when 0
	// Warn is called once per GPU with why the CPU continues in its place, and once with why a working GPU leaves rows to it.
	Warn func(message string)
}

// DefaultBatch is the upper bound of rows in a batch, defaultBuffers how many there are: one is filled,
// one is sent or computed, one comes back.
const (
	DefaultBatch   = 8192
	defaultBuffers = 3
)

// raggedRow is what a row of unknown length is taken for when memory is sized.
const raggedRow = 30 * time.Second

// Pool is every GPU of the machine, ready for a build.
type Pool struct {
	opt  Options
	gpus []*gpu
	pins *melcuda.Pins
	turn atomic.Int64

	mu    sync.Mutex
	times melcuda.Times
	rest  Stats
	large bool // that a row went to the processor was said

	slabs slabs
}

// gpu is one GPU and the queue of rows for it.
type gpu struct {
	*melcuda.GPU
	name  string
	rows  int // of a batch
	queue *queue
}

// Stats is what a pool did so far.
type Stats struct {
	Devices        []string `json:"devices"`      // the GPUs
	Rows           int64    `json:"rows"`         // computed on GPUs
	OnCPU          int64    `json:"cpu_rows"`     // computed by the processor instead
	Batches        int64    `json:"batches"`      // that were computed
	Halved         int64    `json:"halved"`       // how often memory ran out
	H2DSeconds     float64  `json:"h2d_s"`        // by the GPUs' clocks, summed
	ComputeSeconds float64  `json:"compute_s"`    // in kernels, summed
	D2HSeconds     float64  `json:"d2h_s"`        // copying to the host, summed
	BytesIn        int64    `json:"bytes_in"`     // copied to the GPUs
	BytesOut       int64    `json:"bytes_out"`    // copied to the host
	PeakBytes      int64    `json:"peak_bytes"`   // on the GPUs, by this program
	PinnedBytes    int64    `json:"pinned_bytes"` // of the host, at most at a time
	Lost           []string `json:"lost"`         // why GPUs were given up

	BusyRatio float64 `json:"busy_ratio"`    // share of the build in which a kernel ran, over all GPUs
	BusGBps   float64 `json:"pcie_gb_per_s"` // both ways together
}

// Over sets what depends on how long the build took.
func (s *Stats) Over(seconds float64) {
	if seconds > 0 && len(s.Devices) > 0 {
		s.BusyRatio = s.ComputeSeconds / seconds / float64(len(s.Devices))
		s.BusGBps = float64(s.BytesIn+s.BytesOut) / seconds / 1e9
	}
}

// Open makes the GPUs ready. The error wraps cuda.ErrUnavailable when there is none to use; parameters
// that the kernel is not made for are an error too, and the processor's turn.
func Open(o Options) (*Pool, error) {
	if err := melcuda.Fits(o.Params); err != nil {
		return nil, err
	}
	driver, err := cuda.Open()
	if err != nil {
		return nil, err
	}
	return openOn(driver, o)
}

// openOn is Open with a driver that is loaded already.
func openOn(driver *cuda.Driver, o Options) (*Pool, error) {
	devices, err := driver.Devices()
	if err != nil {
		return nil, err
	}
	if o.Batch == 0 {
		o.Batch = DefaultBatch
	}
	if o.Buffers == 0 {
		o.Buffers = defaultBuffers
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Batch < 1 || o.Buffers < 1 {
		return nil, fmt.Errorf("%d buffers for batches of %d rows are not possible; use at least 1 of each", o.Buffers,
			o.Batch)
	}
	p := &Pool{opt: o, pins: new(melcuda.Pins)}
	var failed error
	for _, device := range devices {
		g, err := p.open(device)
		if err != nil { // a GPU in trouble must not keep the others from working
			failed = errors.Join(failed, err)
			continue
		}
		p.gpus = append(p.gpus, g)
	}
	switch {
	case len(p.gpus) == 0 && failed != nil:
		return nil, fmt.Errorf("%w: %w", cuda.ErrUnavailable, failed)
	case len(p.gpus) == 0:
		return nil, fmt.Errorf("%w: the driver reports no GPU; check CUDA_VISIBLE_DEVICES", cuda.ErrUnavailable)
	case failed != nil:
		o.Warn(fmt.Sprintf("some GPUs are not used: %v", failed))
	}
	return p, nil
}

func (p *Pool) open(device cuda.Device) (*gpu, error) {
	properties, err := device.Properties()
	if err != nil {
		return nil, err
	}
	g, err := melcuda.Open(device, p.opt.Params, p.pins)
	if err != nil {
		return nil, fmt.Errorf("GPU %d (%s): %w", device.Index, properties.Name, err)
	}
	free, err := g.Free()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("GPU %d (%s): %w", device.Index, properties.Name, err), g.Close())
	}
	in, out := p.rowBytes()
	rows := rowsFor(p.opt.Batch, p.opt.Autosize, in+out, free, p.opt.Buffers)
	return &gpu{GPU: g, name: properties.Name, rows: rows, queue: newQueue(p, g, rows, p.opt.Buffers)}, nil
}

// rowBytes is what a row takes in a lane, on either side.
func (p *Pool) rowBytes() (in, out int) {
	samples := p.opt.RowSamples
	if samples == 0 {
		samples = int(raggedRow.Seconds() * float64(p.opt.Params.SampleRate))
	}
	return melcuda.BytesFor(p.opt.Params, samples, samples)
}

// Batch is how many rows a worker had best bring at a time: enough for all of them to fill every buffer. More would
// only keep memory, for the rows of several workers fly together.
func (p *Pool) Batch() int {
	rows := p.gpus[0].rows
	if p.opt.Workers == 0 {
		return rows
	}
	return max(1, min(rows, len(p.gpus)*p.opt.Buffers*rows/p.opt.Workers))
}

// Name says what computes: "cuda NVIDIA H200", or with their number when there are several.
func (p *Pool) Name() string {
	if len(p.gpus) > 1 {
		return fmt.Sprintf("cuda %d × %s", len(p.gpus), p.gpus[0].name)
	}
	return "cuda " + p.gpus[0].name
}

// Computer makes one worker's computer; workers take the GPUs in turn.
func (p *Pool) Computer() (dataset.Computer, error) {
	g := p.gpus[int(p.turn.Add(1)-1)%len(p.gpus)]
	return &computer{pool: p, gpu: g}, nil
}

// gaveUp says once that a GPU is lost.
func (p *Pool) gaveUp(q *queue, cause error) {
	for _, g := range p.gpus {
		if g.queue != q {
			continue
		}
		message := fmt.Sprintf("GPU %d (%s) failed: %s; its rows run on the CPU", g.Index, g.name, oneLine(cause))
		p.mu.Lock()
		p.rest.Lost = append(p.rest.Lost, message)
		p.mu.Unlock()
		p.opt.Warn(message)
	}
}

// passOn says once why a row goes to the processor though its GPU works: no batch has room for it, or there is no
// memory for any batch.
func (p *Pool) passOn(g *gpu, samples int) {
	if g.queue.gone() {
		return // that was said
	}
	p.mu.Lock()
	told := p.large
	p.large = true
	p.mu.Unlock()
	switch {
	case told:
	case g.queue.empty():
		p.opt.Warn(fmt.Sprintf("GPU %d (%s) has too little free memory for one row; "+
			"computing on the CPU. Free GPU memory, or use --device cpu", g.Index, g.name))
	default:
		p.opt.Warn(fmt.Sprintf("a clip of %.0f s does not fit into a GPU batch of %d rows; such clips run on the CPU. "+
			"Increase --gpu-batch to change that",
			float64(samples)/float64(p.opt.Params.SampleRate), g.rows))
	}
}

func oneLine(err error) string {
	before, _, _ := strings.Cut(err.Error(), "\n")
	return before
}

// count notes what a computer did.
func (p *Pool) count(t melcuda.Times, onCPU, halved int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.times.Add(t)
	p.rest.OnCPU += int64(onCPU)
	p.rest.Halved += int64(halved)
}

// Stats tells what was done so far.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, t := p.rest, p.times
	s.Lost = append([]string{}, p.rest.Lost...)
	s.Rows, s.Batches = int64(t.Clips), int64(t.Batches)
	s.H2DSeconds, s.ComputeSeconds, s.D2HSeconds = t.ToGPU.Seconds(), t.Compute.Seconds(), t.ToHost.Seconds()
	s.BytesIn, s.BytesOut = t.BytesIn, t.BytesOut
	for _, g := range p.gpus {
		s.Devices = append(s.Devices, g.name)
		device, pinned := g.Peak()
		s.PeakBytes += device
		s.PinnedBytes += pinned
	}
	return s
}

// Close gives everything back; computers are closed before. A GPU that is lost gives nothing back, nor the memory that
// it reaches.
func (p *Pool) Close() error {
	var errs []error
	lost := false
	for _, g := range p.gpus {
		lost = lost || g.queue.gone()
	}
	if !lost {
		errs = append(errs, p.slabs.free())
	}
	for _, g := range p.gpus {
		errs = append(errs, g.queue.close())
	}
	return errors.Join(errs...)
}

// Workers is how many a build on GPUs wants: none of them waits for its rows, so one for each processor.
func Workers() int { return runtime.GOMAXPROCS(0) }
