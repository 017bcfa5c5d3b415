package melcuda

import (
	"errors"
	"fmt"
	"sync"

	"saturate/internal/cuda"
	"saturate/internal/mel"
)

// Lane is memory for one batch on its way. Clips get their places with Reserve, bring their samples
// with Fill, are computed by Run, and take their values with Take. Fill and Take of different clips
// may run at the same time; everything else is one caller's at a time. Compute does it all for one.
type Lane struct {
	gpu   *GPU
	batch batch
	slots []slot // of constant length, since Fill and Reserve go on at the same time
	clips int    // slots in use

	deviceIn, deviceOut cuda.DeviceMemory
	usedIn, usedOut     int
	events              [eventCount]cuda.Event
	in, out             []transfer  // scratch
	lists               cuda.Pinned // of the batch

	staging         sync.Mutex
	hostIn, hostOut cuda.Pinned // for clips whose own memory is not pinned, once there are some
	failed          error       // why there is none
}

// slot is a clip's place: where the GPU fetches its samples, and where it puts its values.
type slot struct {
	in, out transfer
	direct  bool // values go to the caller's memory at once
}

// transfer is a copy that the GPU makes without the CPU.
type transfer struct {
	host []byte
	at   int // offset in the lane's memory on the GPU
}

// mostClips of a batch; clips are seldom so short that it matters.
const mostClips = 8192

// BytesFor is the room that a clip of so many int16 samples, padded to length, takes in a lane.
func BytesFor(p mel.Params, samples, length int) (in, out int) {
	in, out = bytesFor(p, mel.Samples{}, length)
	return in + roundUp(2*min(samples, length)), out
}

// NewLane allocates memory for batches of so many bytes: see BytesFor.
func (g *GPU) NewLane(in, out int) (*Lane, error) {
	l := &Lane{gpu: g, batch: newBatch(g.kernel.params, g.kernel.tables), slots: make([]slot, mostClips)}
	err := g.ctx.Do(func() (err error) {
		if l.deviceIn, err = g.ctx.AllocDevice(in); err != nil {
			return err
		}
		if l.deviceOut, err = g.ctx.AllocDevice(out); err != nil {
			return err
		}
		if l.lists, err = g.ctx.AllocPinned(fewLists); err != nil {
			return err
		}
		for i := range l.events {
			if l.events[i], err = g.ctx.NewEvent(); err != nil {
				l.events[i] = cuda.Event{}
				return err
			}
		}
		return nil
	})
	g.count(l.deviceIn.Size+l.deviceOut.Size, l.pinned())
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Close gives the lane's memory back.
func (l *Lane) Close() error {
	l.gpu.count(-l.deviceIn.Size-l.deviceOut.Size, -l.pinned())
	return l.gpu.ctx.Do(func() error {
		errs := []error{l.lists.Free(), l.hostIn.Free(), l.hostOut.Free(), l.deviceIn.Free(), l.deviceOut.Free()}
		for _, e := range l.events {
			if e != (cuda.Event{}) {
				errs = append(errs, e.Destroy())
			}
		}
		return errors.Join(errs...)
	})
}

func (l *Lane) pinned() int { return len(l.lists.Bytes) + len(l.hostIn.Bytes) + len(l.hostOut.Bytes) }

// fewLists is the memory for lists that a lane begins with: enough for a hundred clips of half a minute.
const fewLists = 256 << 10

// grow has pinned memory be of a size at least.
func (l *Lane) grow(p *cuda.Pinned, size int) error {
	if len(p.Bytes) >= size {
		return nil
	}
	before := len(p.Bytes)
	err := l.gpu.ctx.Do(func() (err error) {
		if err = p.Free(); err == nil {
			*p, err = l.gpu.ctx.AllocPinned(size)
		}
		return err
	})
	l.gpu.count(0, len(p.Bytes)-before)
	return err
}

// stage gives a clip room in the lane's own pinned memory; nil when there is none, which Launch will tell.
func (l *Lane) stage(p *cuda.Pinned, all, at, size int) []byte {
	l.staging.Lock()
	defer l.staging.Unlock()
	if l.failed == nil {
		l.failed = l.grow(p, all)
	}
	if l.failed != nil {
		return nil
	}
	return p.Bytes[at:][:size]
}

// Fits says why a clip cannot be computed in this lane, or nil.
func (l *Lane) Fits(c Clip) error {
	if err := check(l.batch.params, c); err != nil {
		return err
	}
	if in, out := bytesFor(l.batch.params, cut(c.Samples, c.Length), c.Length); in > l.deviceIn.Size ||
		out > l.deviceOut.Size {
		return fmt.Errorf("a clip of %d samples does not fit into a GPU batch", c.Length)
	}
	return nil
}

// Reserve gives a clip that fits its place in the batch; there is none when the batch is full.
func (l *Lane) Reserve(c Clip) (place int, ok bool) {
	samples := cut(c.Samples, c.Length)
	in, out := bytesFor(l.batch.params, samples, c.Length)
	if l.usedIn+in > l.deviceIn.Size || l.usedOut+out > l.deviceOut.Size || l.clips == len(l.slots) {
		return 0, false
	}
	l.usedIn, l.usedOut = l.usedIn+in, l.usedOut+out
	at := l.batch.add(samples, c.Length)
	valuesAt := 2 * int(l.batch.clips[len(l.batch.clips)-1].out)
	l.slots[l.clips] = slot{in: transfer{at: at}, out: transfer{at: valuesAt}}
	l.clips++
	return l.clips - 1, true
}

// Fill brings a clip's samples to its place: copied, or where they are when that is pinned memory.
func (l *Lane) Fill(place int, c *Clip) {
	s, samples := &l.slots[place], cut(c.Samples, c.Length)
	c.Impossible = 0
	if pcm := asBytes(samples.PCM); samples.Float == nil && l.gpu.pins.holds(pcm) {
		s.in.host = pcm
	} else if s.in.host = l.stage(&l.hostIn, l.deviceIn.Size, s.in.at, sampleBytes(samples)); s.in.host == nil {
		return
	} else if samples.Float != nil {
		c.Impossible = copyClean(s.in.host, samples.Float)
	} else {
		copy(s.in.host, pcm)
	}
	dst := asBytes(c.Dst)
	if s.out.host, s.direct = dst, l.gpu.pins.holds(dst); !s.direct {
		s.out.host = l.stage(&l.hostOut, l.deviceOut.Size, s.out.at, len(dst))
	}
}

// Run computes the batch, after every place was filled. After an error no value can be relied on, and, unless the GPU
// is lost, nothing is written to any clip's memory any more.
func (l *Lane) Run() (Times, error) {
	if err := l.Launch(); err != nil {
		return Times{}, err
	}
	return l.Land()
}

// Launch is the first half of Run: the GPU is asked, and has everything it needs.
func (l *Lane) Launch() error {
	if l.batch.values == 0 {
		return nil
	}
	if l.failed != nil {
		return l.failed
	}
	if err := l.transfers(); err != nil {
		return err
	}
	return l.settled(l.gpu.ctx.Do(l.enqueue))
}

// Land is the second half of Run: it waits, which may be done in another goroutine.
func (l *Lane) Land() (t Times, err error) {
	if l.batch.values == 0 {
		return Times{Clips: l.clips}, nil
	}
	err = l.gpu.ctx.Do(func() (err error) {
		if err = l.events[returned].Synchronize(); err == nil {
			t, err = l.times()
		}
		return err
	})
	return t, l.settled(err)
}

// settled waits, after an error, for what is still queued: it must not write to memory that the caller uses again.
// If that fails too, the error has no code any more, and the GPU is lost in any case.
func (l *Lane) settled(err error) error {
	if err == nil {
		return nil
	}
	if lost := l.gpu.ctx.Do(l.gpu.ctx.Synchronize); lost != nil {
		return fmt.Errorf("%v; it no longer responds: %v", err, lost)
	}
	return err
}

// Take brings a clip's values to it, after Run.
func (l *Lane) Take(place int, c *Clip) {
	if s := &l.slots[place]; !s.direct {
		copy(asBytes(c.Dst), s.out.host)
	}
}

// Reset makes the lane ready for the next batch.
func (l *Lane) Reset() {
	l.batch.reset()
	clear(l.slots[:l.clips]) // nothing of the callers' is kept alive
	l.clips = 0
	l.usedIn, l.usedOut = 0, 0
	l.failed = nil
}

// Compute fills every Dst. Clips that do not go into one batch are computed in turn; each must fit
// by itself.
func (l *Lane) Compute(clips []Clip) (t Times, err error) {
	for i := range clips {
		if err := l.Fits(clips[i]); err != nil {
			return t, err
		}
	}
	for len(clips) > 0 {
		l.Reset()
		n := 0
		for n < len(clips) {
			place, ok := l.Reserve(clips[n])
			if !ok {
				break
			}
			l.Fill(place, &clips[n])
			n++
		}
		one, err := l.Run()
		if err != nil {
			return t, err
		}
		for i := range n {
			l.Take(i, &clips[i])
		}
		t.Add(one)
		clips = clips[n:]
	}
	return t, nil
}
