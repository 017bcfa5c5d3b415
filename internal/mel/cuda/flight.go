package melcuda

import (
	"time"

	"saturate/internal/cuda"
)

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

// transfers lists what is to be moved, as few and as long pieces as possible: every piece costs some
// microseconds of the bus.
func (l *Lane) transfers() error {
	at := l.batch.clipsAt()
	if err := l.grow(&l.lists, l.batch.size()-at); err != nil {
		return err
	}
	lists := l.batch.write(l.lists.Bytes)
	l.in, l.out = l.in[:0], l.out[:0]
	for _, s := range l.slots[:l.clips] {
		l.in = l.joined(l.in, s.in, l.hostIn.Bytes)
		l.out = l.joined(l.out, s.out, l.hostOut.Bytes)
	}
	l.in = append(l.in, transfer{lists, at})
	return nil
}

// joined adds a transfer, to the last one where it goes on behind that on both sides. In the lane's own
// memory a few bytes of alignment may lie between.
func (l *Lane) joined(list []transfer, next transfer, own []byte) []transfer {
	if len(next.host) == 0 {
		return list
	}
	if n := len(list) - 1; n >= 0 {
		last := &list[n]
		switch {
		case within(own, *last) && within(own, next) && next.at-(last.at+len(last.host)) < alignment:
			last.host = own[last.at : next.at+len(next.host)]
			return list
		case follows(*last, next) && l.gpu.pins.holds(extended(last.host, len(next.host))):
			last.host = extended(last.host, len(next.host))
			return list
		}
	}
	return append(list, next)
}

// within reports whether a transfer is from, or to, its place in the lane's own memory.
func within(own []byte, t transfer) bool { return t.at < len(own) && &t.host[0] == &own[t.at] }

// enqueue asks the GPU for everything. Lanes do so in turn, so that each queue has whole batches.
func (l *Lane) enqueue() error {
	g, e := l.gpu, &l.events
	g.order.Lock()
	defer g.order.Unlock()
	q := g.queues
	if err := q.toGPU.Record(e[sending]); err != nil {
		return err
	}
	for _, t := range l.in {
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
	for _, t := range l.out {
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

func (l *Lane) times() (t Times, err error) {
	t = Times{BytesIn: int64(l.batch.size()), BytesOut: int64(2 * l.batch.values), Batches: 1, Clips: l.clips}
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
