package melcuda

import (
	"errors"
	"sync"
	"sync/atomic"

	"saturate/internal/cuda"
	"saturate/internal/mel"
)

// GPU is one GPU made ready for one set of parameters. Lanes share its three queues, so that
// copies one way, copies the other way and kernels of different batches run at the same time, and
// each kind in turn: what a batch waited for is not counted as its own time.
type GPU struct {
	Index  int
	ctx    *cuda.Context
	kernel *kernel
	queues struct{ toGPU, compute, toHost cuda.Stream }
	order  sync.Mutex // a batch is queued as a whole
	pins   *Pins

	deviceBytes, pinnedBytes         atomic.Int64
	peakDeviceBytes, peakPinnedBytes atomic.Int64
}

// Open makes a GPU ready. Memory in pins is read and written by the GPU itself.
func Open(device cuda.Device, p mel.Params, pins *Pins) (*GPU, error) {
	if err := Fits(p); err != nil {
		return nil, err
	}
	ctx, err := device.Retain()
	if err != nil {
		return nil, err
	}
	g := &GPU{Index: device.Index, ctx: ctx, pins: pins}
	err = ctx.Do(func() (err error) {
		if g.kernel, err = newKernel(ctx, p); err != nil {
			return err
		}
		for _, q := range []*cuda.Stream{&g.queues.toGPU, &g.queues.compute, &g.queues.toHost} {
			if *q, err = ctx.NewStream(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// Close gives everything back. Lanes are closed before.
func (g *GPU) Close() error {
	err := g.ctx.Do(func() error {
		var errs []error
		for _, q := range []cuda.Stream{g.queues.toGPU, g.queues.compute, g.queues.toHost} {
			if q != (cuda.Stream{}) {
				errs = append(errs, q.Destroy())
			}
		}
		if g.kernel != nil {
			errs = append(errs, g.kernel.module.Unload())
		}
		return errors.Join(errs...)
	})
	return errors.Join(err, g.ctx.Release())
}

// Free is how much of the GPU's memory nobody uses.
func (g *GPU) Free() (bytes uint64, err error) {
	err = g.ctx.Do(func() (err error) {
		bytes, _, err = g.ctx.Memory()
		return err
	})
	return bytes, err
}

// Peak is the most memory that lanes held at a time, on the GPU and pinned on the host.
func (g *GPU) Peak() (device, pinned int64) {
	return g.peakDeviceBytes.Load(), g.peakPinnedBytes.Load()
}

// count keeps the sums of what lanes hold.
func (g *GPU) count(device, pinned int) {
	for _, c := range []struct {
		now, peak *atomic.Int64
		by        int
	}{{&g.deviceBytes, &g.peakDeviceBytes, device}, {&g.pinnedBytes, &g.peakPinnedBytes, pinned}} {
		now := c.now.Add(int64(c.by))
		for peak := c.peak.Load(); now > peak && !c.peak.CompareAndSwap(peak, now); peak = c.peak.Load() {
		}
	}
}
