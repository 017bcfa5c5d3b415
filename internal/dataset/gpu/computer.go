package gpu

import (
	"errors"

	"saturate/internal/cuda"
	"saturate/internal/dataset"
	melcuda "saturate/internal/mel/cuda"
)

// computer is one worker's.
type computer struct {
	pool  *Pool
	gpu   *gpu
	size  size
	lane  *melcuda.Lane // nil before the first batch, and when there is no memory for one
	cpu   dataset.Computer
	clips []melcuda.Clip
}

func (c *computer) Name() string {
	if c.gpu.lost.Load() && c.cpu != nil {
		return c.pool.Name() + ", then " + c.cpu.Name()
	}
	return c.pool.Name()
}

// Batch is one where the processor computes: rows gain nothing from waiting for each other there.
func (c *computer) Batch() int {
	if c.gpu.lost.Load() {
		return 1
	}
	return c.size.wanted
}

// Compute fills every Dst, on the GPU or by the processor.
func (c *computer) Compute(jobs []dataset.Job) error {
	for len(jobs) > 0 {
		n, err := c.onGPU(jobs)
		if err != nil {
			return err
		}
		if jobs = jobs[n:]; len(jobs) == 0 {
			return nil
		}
		// The first job is one that the GPU has no room for, or there is no GPU any more.
		n = 1
		if c.gpu.lost.Load() {
			n = len(jobs)
		}
		if err := c.onCPU(jobs[:n]); err != nil {
			return err
		}
		jobs = jobs[n:]
	}
	return nil
}

// onGPU computes the first jobs, and says how many: less than all when the next one does not fit, when
// memory is used up, or when the GPU is lost.
func (c *computer) onGPU(jobs []dataset.Job) (done int, err error) {
	for done < len(jobs) && !c.gpu.lost.Load() {
		if c.lane == nil && !c.allocate() {
			return done, nil
		}
		clips := c.fitting(jobs[done:])
		if len(clips) == 0 {
			return done, nil
		}
		times, err := c.lane.Compute(clips)
		switch {
		case cuda.HasCode(err, cuda.OutOfMemory):
			if !c.shrink() {
				return done, nil
			}
			continue
		case err != nil:
			c.pool.lose(c.gpu, err)
			return done, nil
		}
		for i := range clips {
			jobs[done+i].Impossible = clips[i].Impossible
		}
		done += len(clips)
		c.pool.count(times, 0, 0)
		if c.size.worked() {
			c.drop() // the next batch takes a larger lane
		}
	}
	return done, nil
}

// fitting gives the first jobs that the lane has room for, each by itself.
func (c *computer) fitting(jobs []dataset.Job) []melcuda.Clip {
	c.clips = c.clips[:0]
	for _, j := range jobs {
		clip := melcuda.Clip{Samples: j.Samples, Length: j.Length, Dst: j.Dst}
		if !c.lane.Fits(clip) {
			break
		}
		c.clips = append(c.clips, clip)
	}
	return c.clips
}

// allocate takes a lane as large as memory allows.
func (c *computer) allocate() bool {
	in, out := c.pool.rowBytes()
	for {
		// One row of float samples, which are twice as large, fits into the smallest lane too.
		lane, err := c.gpu.NewLane((c.size.rows+1)*in, c.size.rows*out)
		if err == nil {
			c.lane = lane
			return true
		}
		if !cuda.HasCode(err, cuda.OutOfMemory) {
			c.pool.lose(c.gpu, err)
			return false
		}
		c.pool.count(melcuda.Times{}, 0, 1)
		if !c.size.halve() {
			c.size.worked() // the processor does this batch; a later one tries again
			return false
		}
	}
}

// shrink gives the lane back and halves its size, after memory ran out in a batch.
func (c *computer) shrink() bool {
	c.drop()
	c.pool.count(melcuda.Times{}, 0, 1)
	return c.size.halve()
}

func (c *computer) drop() {
	if c.lane == nil {
		return
	}
	if err := c.lane.Close(); err != nil {
		c.pool.lose(c.gpu, err)
	}
	c.lane = nil
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

// Close gives the lane back.
func (c *computer) Close() error {
	c.drop()
	if c.cpu != nil {
		return errors.Join(c.cpu.Close())
	}
	return nil
}
