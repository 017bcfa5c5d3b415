package gpu

import (
	"sync/atomic"

	"saturate/internal/cuda"
	"saturate/internal/dataset"
	melcuda "saturate/internal/mel/cuda"
)

// computer is one worker's. It shares a GPU's batches with others, and has the processor where that fails.
type computer struct {
	pool  *Pool
	gpu   *gpu
	cpu   dataset.Computer
	clips []melcuda.Clip
}

func (c *computer) Name() string {
	if c.cpu != nil && c.gpu.queue.gone() {
		return c.pool.Name() + ", then " + c.cpu.Name()
	}
	return c.pool.Name()
}

// Batch is how many rows the worker had best bring at a time.
func (c *computer) Batch() int { return c.pool.Batch() }

// Compute fills every Dst, on the GPU or by the processor. The GPU writes to memory of its own: should it be lost, it
// may go on writing there while the processor fills the row.
func (c *computer) Compute(jobs []dataset.Job) error {
	c.clips = c.clips[:0]
	for _, j := range jobs {
		c.clips = append(c.clips, melcuda.Clip{Samples: j.Samples, Length: j.Length, Dst: make([]uint16, len(j.Dst))})
	}
	for done := 0; done < len(jobs); {
		n := c.gpu.queue.compute(c.clips[done:])
		for i := range n {
			copy(jobs[done+i].Dst, c.clips[done+i].Dst)
			jobs[done+i].Impossible = c.clips[done+i].Impossible
		}
		if n == 0 { // this row does not fit, or there is no GPU
			c.pool.passOn(c.gpu, jobs[done].Length)
			if err := c.onCPU(jobs[done : done+1]); err != nil {
				return err
			}
			n = 1
		}
		done += n
	}
	return nil
}

// Start has the GPU compute; what it cannot do is missed.
func (c *computer) Start(jobs []dataset.Job, done func()) {
	clips := make([]melcuda.Clip, len(jobs))
	for i, j := range jobs {
		clips[i] = melcuda.Clip{Samples: j.Samples, Length: j.Length, Dst: j.Dst}
		jobs[i].Missed = true
	}
	var left atomic.Int64
	left.Store(1)
	end := func() {
		if left.Add(-1) == 0 {
			done()
		}
	}
	for at := 0; at < len(jobs); {
		jobs := jobs[at:]
		left.Add(1)
		n := c.gpu.queue.send(clips[at:], func(clips []melcuda.Clip, err error) {
			for i := range clips {
				jobs[i].Missed, jobs[i].Impossible = err != nil, clips[i].Impossible
				if err != nil && !cuda.HasCode(err, cuda.OutOfMemory) {
					jobs[i].Dst = nil
				}
			}
			end()
		})
		if n == 0 { // this row does not fit, or there is no GPU
			end()
			n = 1
		}
		at += n
	}
	end()
}

func (c *computer) onCPU(jobs []dataset.Job) (err error) {
	if c.cpu == nil {
		if c.cpu, err = dataset.NewCPU(c.pool.opt.Params, ""); err != nil {
			return err
		}
	}
	c.pool.count(melcuda.Times{}, len(jobs), 0)
	return c.cpu.Compute(jobs)
}

// Close gives back what is the worker's own; lanes are the pool's.
func (c *computer) Close() error {
	if c.cpu != nil {
		return c.cpu.Close()
	}
	return nil
}
