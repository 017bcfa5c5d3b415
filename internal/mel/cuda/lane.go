package melcuda

import (
	"errors"
	"fmt"

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

	hostIn, hostOut     cuda.Pinned
	deviceIn, deviceOut cuda.DeviceMemory
	usedIn, usedOut     int
	events              [eventCount]cuda.Event
	in, out             []transfer // scratch
}

// slot is a clip's place: where the GPU fetches its samples, and where it puts its values.
type slot struct {
	in, out transfer
	direct  bool // values go to the caller's memory at once
}

// transfer is a copy that the GPU makes by itself.
type transfer struct {
	host []byte
	at   int // offset in the lane's memory on the GPU
}

// mostClips of a batch; clips are seldom so short that it matters.
const mostClips = 8192

// BytesFor is the room that a clip of that many int16 samples, padded to length, takes in a lane.
func BytesFor(p mel.Params, samples, length int) (in, out int) {
	in, out = bytesFor(p, mel.Samples{}, length)
	return in + roundUp(2*min(samples, length)), out
}

// NewLane takes memory for batches of that many bytes: see BytesFor.
func (g *GPU) NewLane(in, out int) (*Lane, error) {
	l := &Lane{gpu: g, batch: newBatch(g.kernel.params, g.kernel.tables), slots: make([]slot, mostClips)}
	err := g.ctx.Do(func() (err error) {
		if l.deviceIn, err = g.ctx.AllocDevice(in); err != nil {
			return err
		}
		if l.deviceOut, err = g.ctx.AllocDevice(out); err != nil {
			return err
		}
		if l.hostIn, err = g.ctx.AllocPinned(in); err != nil {
			return err
		}
		if l.hostOut, err = g.ctx.AllocPinned(out); err != nil {
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
	g.count(l.deviceIn.Size+l.deviceOut.Size, len(l.hostIn.Bytes)+len(l.hostOut.Bytes))
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Close gives the lane's memory back.
func (l *Lane) Close() error {
	l.gpu.count(-l.deviceIn.Size-l.deviceOut.Size, -len(l.hostIn.Bytes)-len(l.hostOut.Bytes))
	return l.gpu.ctx.Do(func() error {
		errs := []error{l.hostIn.Free(), l.hostOut.Free(), l.deviceIn.Free(), l.deviceOut.Free()}
		for _, e := range l.events {
			if e != (cuda.Event{}) {
				errs = append(errs, e.Destroy())
			}
		}
		return errors.Join(errs...)
	})
}

// Fits says why a clip cannot be computed in this lane, or nil.
func (l *Lane) Fits(c Clip) error {
	if err := check(l.batch.params, c); err != nil {
		return err
	}
	if in, out := bytesFor(l.batch.params, cut(c.Samples, c.Length), c.Length); in > l.deviceIn.Size || out > l.deviceOut.Size {
		return fmt.Errorf("a clip of %d samples does not fit a batch on the GPU", c.Length)
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
	l.slots[l.clips] = slot{
		in:  transfer{l.hostIn.Bytes[at:][:sampleBytes(samples)], at},
		out: transfer{l.hostOut.Bytes[valuesAt:][:2*len(c.Dst)], valuesAt},
	}
	l.clips++
	return l.clips - 1, true
}

// Fill brings a clip's samples to its place: copied, or where they are when that is pinned memory.
func (l *Lane) Fill(place int, c *Clip) {
	s, samples := &l.slots[place], cut(c.Samples, c.Length)
	c.Impossible = 0
	switch {
	case samples.Float != nil:
		c.Impossible = copyClean(s.in.host, samples.Float)
	case l.gpu.pins.holds(asBytes(samples.PCM)):
		s.in.host = asBytes(samples.PCM)
	default:
		copy(s.in.host, asBytes(samples.PCM))
	}
	if dst := asBytes(c.Dst); l.gpu.pins.holds(dst) {
		s.out.host, s.direct = dst, true
	}
}

// Run computes the batch, after every place was filled. After an error no value can be relied on, and
// nothing is written to any clip's memory any more.
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
	l.transfers()
	return l.gpu.ctx.Do(func() error { return l.settled(l.enqueue()) })
}

// Land is the second half of Run: it waits, which may be done in another goroutine.
func (l *Lane) Land() (t Times, err error) {
	if l.batch.values == 0 {
		return Times{Clips: l.clips}, nil
	}
	err = l.gpu.ctx.Do(func() error {
		if err := l.settled(l.events[returned].Synchronize()); err != nil {
			return err
		}
		t, err = l.times()
		return err
	})
	return t, err
}

// settled waits, after an error, for what is still queued: it must not write to memory that the caller uses again.
func (l *Lane) settled(err error) error {
	if err != nil {
		return errors.Join(err, l.gpu.ctx.Synchronize())
	}
	return nil
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
