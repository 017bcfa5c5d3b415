package melcuda

import (
	"errors"
	"fmt"
	"time"

	"saturate/internal/cuda"
	"saturate/internal/mel"
)

// Lane computes batches, one at a time, in memory of its own. Every worker keeps one; it is not
// for use by two at a time.
type Lane struct {
	gpu   *GPU
	batch batch

	hostIn, hostOut     cuda.Pinned
	deviceIn, deviceOut cuda.DeviceMemory
	events              [eventCount]cuda.Event
	in, out             []transfer // scratch
}

// Moments of a batch.
const (
	sending = iota
	sent
	computing
	computed
	returning
	returned
	eventCount
)

// Times is what batches took, each kind by the GPU's own clock, and what they moved.
type Times struct {
	ToGPU, Compute, ToHost time.Duration
	BytesIn, BytesOut      int64
	Batches, Clips         int
}

// Add sums.
func (t *Times) Add(o Times) {
	t.ToGPU += o.ToGPU
	t.Compute += o.Compute
	t.ToHost += o.ToHost
	t.BytesIn += o.BytesIn
	t.BytesOut += o.BytesOut
	t.Batches += o.Batches
	t.Clips += o.Clips
}

// BytesFor is the room that a clip of that many int16 samples, padded to length, takes in a lane.
func BytesFor(p mel.Params, samples, length int) (in, out int) {
	in, out = bytesFor(p, mel.Samples{}, length)
	return in + roundUp(2*min(samples, length)), out
}

// NewLane takes memory for batches of that many bytes: see BytesFor.
func (g *GPU) NewLane(in, out int) (*Lane, error) {
	l := &Lane{gpu: g, batch: newBatch(g.kernel.params, g.kernel.tables)}
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

// Fits says whether a clip has room in a batch of its own.
func (l *Lane) Fits(c Clip) bool {
	in, out := bytesFor(l.batch.params, cut(c.Samples, c.Length), c.Length)
	return c.Length <= mostSamples && in <= l.deviceIn.Size && out <= l.deviceOut.Size
}

// Compute fills every Dst. Clips that do not fit together are computed in turn; each must fit by
// itself. After an error no Dst can be relied on, and nothing is written to any of them any more.
func (l *Lane) Compute(clips []Clip) (t Times, err error) {
	for i := range clips {
		if err := check(l.batch.params, clips[i]); err != nil {
			return t, err
		}
		if !l.Fits(clips[i]) {
			return t, fmt.Errorf("a clip of %d samples does not fit a batch on the GPU", clips[i].Length)
		}
	}
	err = l.gpu.ctx.Do(func() error {
		for len(clips) > 0 {
			n := l.room(clips)
			one, err := l.one(clips[:n])
			if err != nil {
				return err
			}
			t.Add(one)
			clips = clips[n:]
		}
		return nil
	})
	return t, err
}

// room is how many of the clips go into one batch.
func (l *Lane) room(clips []Clip) (n int) {
	in, out := 0, 0
	for _, c := range clips {
		i, o := bytesFor(l.batch.params, cut(c.Samples, c.Length), c.Length)
		in, out = in+i, out+o
		if in > l.deviceIn.Size || out > l.deviceOut.Size {
			break
		}
		n++
	}
	return n
}

// transfer is a copy that the GPU makes by itself.
type transfer struct {
	host []byte
	at   int // offset in the lane's memory on the GPU
}

func (l *Lane) one(clips []Clip) (Times, error) {
	in, out := l.fill(clips)
	if l.batch.values == 0 {
		return Times{Clips: len(clips)}, nil
	}
	if err := l.enqueue(in, out); err != nil {
		// What was queued before must not write to memory that the caller uses again.
		return Times{}, errors.Join(err, l.gpu.ctx.Synchronize())
	}
	if err := l.events[returned].Synchronize(); err != nil {
		return Times{}, err
	}
	for i, d := range l.batch.clips {
		if dst := asBytes(clips[i].Dst); !l.gpu.pins.holds(dst) {
			copy(dst, l.hostOut.Bytes[2*d.out:])
		}
	}
	return l.times(len(clips))
}

// fill lays the batch out, copies samples that are not pinned, and lists what is to be moved.
func (l *Lane) fill(clips []Clip) (in, out []transfer) {
	in, out = l.in[:0], l.out[:0]
	defer func() { l.in, l.out = in, out }()
	l.batch.reset()
	for i := range clips {
		c := &clips[i]
		samples := cut(c.Samples, c.Length)
		at := l.batch.add(samples, c.Length)
		c.Impossible = 0
		host := asBytes(samples.PCM)
		if samples.Float != nil {
			host = asBytes(samples.Float)
		}
		switch {
		case samples.Float == nil && l.gpu.pins.holds(host):
			in = append(in, transfer{host, at})
			continue
		case samples.Float == nil:
			copy(l.hostIn.Bytes[at:], host)
		default:
			c.Impossible = copyClean(l.hostIn.Bytes[at:], samples.Float)
		}
		in = l.joined(in, transfer{l.hostIn.Bytes[at : at+len(host)], at}, l.hostIn.Bytes)
	}
	l.batch.write(l.hostIn.Bytes)
	lists := l.batch.clipsAt()
	in = l.joined(in, transfer{l.hostIn.Bytes[lists:l.batch.size()], lists}, l.hostIn.Bytes)
	for i, d := range l.batch.clips {
		at, dst := int(2*d.out), asBytes(clips[i].Dst)
		if len(dst) == 0 {
			continue
		}
		if !l.gpu.pins.holds(dst) {
			out = l.joined(out, transfer{l.hostOut.Bytes[at : at+len(dst)], at}, l.hostOut.Bytes)
		} else if n := len(out) - 1; n >= 0 && follows(out[n], dst, at) && l.gpu.pins.holds(extended(out[n].host, len(dst))) {
			out[n].host = extended(out[n].host, len(dst))
		} else {
			out = append(out, transfer{dst, at})
		}
	}
	return in, out
}

// joined makes the last transfer longer where the next one of the lane's own memory begins at its
// end, or a few bytes of alignment later.
func (l *Lane) joined(list []transfer, next transfer, own []byte) []transfer {
	if n := len(list) - 1; n >= 0 {
		last := &list[n]
		if &last.host[0] == &own[last.at] && next.at-(last.at+len(last.host)) < alignment {
			last.host = own[last.at : next.at+len(next.host)]
			return list
		}
	}
	if len(next.host) == 0 {
		return list
	}
	return append(list, next)
}

// enqueue asks the GPU for everything. Lanes do so in turn, so that each queue has whole batches.
func (l *Lane) enqueue(in, out []transfer) error {
	g, e := l.gpu, &l.events
	g.order.Lock()
	defer g.order.Unlock()
	q := g.queues
	if err := q.toGPU.Record(e[sending]); err != nil {
		return err
	}
	for _, t := range in {
		to, err := l.deviceIn.Slice(t.at, len(t.host))
		if err != nil {
			return err
		}
		if err := q.toGPU.CopyToDevice(to, t.host); err != nil {
			return err
		}
	}
	if err := hand(q.toGPU, q.compute, e[sent], e[computing]); err != nil {
		return err
	}
	if err := g.kernel.launch(q.compute, &l.batch, l.deviceIn, l.deviceOut); err != nil {
		return err
	}
	if err := hand(q.compute, q.toHost, e[computed], e[returning]); err != nil {
		return err
	}
	for _, t := range out {
		from, err := l.deviceOut.Slice(t.at, len(t.host))
		if err != nil {
			return err
		}
		if err := q.toHost.CopyToHost(t.host, from); err != nil {
			return err
		}
	}
	return q.toHost.Record(e[returned])
}

// hand lets the second queue begin when the first has done its part.
func hand(from, to cuda.Stream, done, begun cuda.Event) error {
	if err := from.Record(done); err != nil {
		return err
	}
	if err := to.Wait(done); err != nil {
		return err
	}
	return to.Record(begun)
}

func (l *Lane) times(clips int) (t Times, err error) {
	t = Times{BytesIn: int64(l.batch.size()), BytesOut: int64(2 * l.batch.values), Batches: 1, Clips: clips}
	for _, span := range []struct {
		into     *time.Duration
		from, to int
	}{{&t.ToGPU, sending, sent}, {&t.Compute, computing, computed}, {&t.ToHost, returning, returned}} {
		if *span.into, err = l.events[span.to].Since(l.events[span.from]); err != nil {
			return t, err
		}
	}
	return t, nil
}
