package dataset

import (
	"context"
	"fmt"
)

// worker does any of the work: it decodes files, computes rows and writes them.
type worker struct {
	b        *builder
	computer Computer
	starter  Starter // the same, if it works asynchronously
	parcel   *parcel // is being filled
	placed   []*slot
	info     rowInfo
	window   []float32 // of a file that is streamed
	spare    *slot     // for the next file: its memory is still in the processor's cache
}

func (b *builder) newWorker() (*worker, error) {
	w := &worker{b: b}
	var err error
	if b.opt.Computer != nil {
		w.computer, err = b.opt.Computer()
	} else {
		w.computer, err = NewCPU(b.opt.Params, "")
	}
	w.starter, _ = w.computer.(Starter)
	return w, err
}

// work goes on until everything is finished.
func (w *worker) work(ctx context.Context) error {
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = w.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// next does one of the things there are to do, and reports whether there may be more. Rows that are computed are written
// first, those that can be computed go before the next file: they make room.
func (w *worker) next(ctx context.Context) (more bool, err error) {
	b := w.b
	select {
	case p := <-b.computed:
		return true, w.land(p)
	default:
	}
	select {
	case s, ok := <-b.ready:
		if !ok {
			return false, nil
		}
		return true, w.finish(ctx, s)
	default:
	}
	free := b.free.some
	if int(b.turn.Load()) >= len(b.todo) {
		free = nil // nothing left to take
	} else if s := w.spare; s != nil {
		w.spare = nil
		return true, w.advance(ctx, s)
	}
	clock := startLap()
	select {
	case <-free:
		if w.starter != nil { // that had them all
			clock.to(&b.stat.compute)
		}
		return true, w.advance(ctx, b.free.take())
	case s, ok := <-b.ready:
		if !ok {
			return false, nil
		}
		return true, w.finish(ctx, s)
	case p := <-b.computed:
		clock.to(&b.stat.compute)
		return true, w.land(p)
	case <-ctx.Done():
		return false, nil
	}
}

// advance decodes the file whose turn it is into a free slot.
func (w *worker) advance(ctx context.Context, s *slot) error {
	b := w.b
	turn := int(b.turn.Add(1) - 1)
	if turn >= len(b.todo) {
		b.free.put(s)
		return nil
	}
	clock := startLap()
	s.item = b.todo[turn]
	if next := turn + distance; next < len(b.todo) {
		b.ahead.hint(next, &b.list.Items[b.todo[next]], b.decoder.open)
	}
	stream, src := b.decoder.read(ctx, s, turn, &b.ahead)
	clock.to(&b.stat.decode)
	switch {
	case ctx.Err() != nil:
		if stream != nil {
			stream.Close()
			src.close()
		}
		return nil
	case s.out.state == quarantined && b.opt.Strict:
		return fmt.Errorf("%s: %s (--strict)", b.list.Items[s.item].name(), s.out.reason)
	case stream != nil:
		defer src.close()
		return w.stream(ctx, s, stream)
	case !b.inOrder:
		s.cursor = b.cursorOf(s.item)
		return w.hand(ctx, append(w.placed[:0], s))
	}
	return w.hand(ctx, b.places.offer(s, w.placed[:0]))
}

// hand finishes the first slot that has its place now, and leaves the others to whoever is free.
func (w *worker) hand(ctx context.Context, placed []*slot) error {
	w.placed = placed
	if len(placed) == 0 {
		return nil
	}
	for _, s := range placed[1:] {
		w.b.ready <- s
	}
	return w.finish(ctx, placed[0])
}

// finish has the rows of a slot computed and written.
func (w *worker) finish(ctx context.Context, s *slot) error {
	s.pending.Store(1)
	c := s.cursor
	for segment := range w.b.rowsOf(&s.out) {
		if err := w.row(ctx, &c, s, segment); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	if err := w.send(s); err != nil {
		return err
	}
	return w.release(s)
}

// row adds a row to those that will be computed together.
func (w *worker) row(ctx context.Context, c *cursor, s *slot, segment int64) error {
	b := w.b
	p, err := w.room(ctx)
	if p == nil {
		return err
	}
	rm := p.place(b, c, b.row(s.item, &s.out, c.row, segment, &w.info))
	if rm.rec.values == 0 && len(rm.before) == 0 {
		return nil // a format that leaves it out
	}
	j := Job{Dst: b.out.dest(rm), Length: b.shape.rowSamples(s.out.samples)}
	if s.out.state != done { // zeros: an earlier run may have left something there
		clock := startLap()
		clear(j.Dst)
		err := b.out.write(rm)
		clock.to(&b.stat.write)
		return err
	}
	j.Samples = b.shape.piece(s.clip, segment)
	if p.jobs = append(p.jobs, j); len(p.jobs) == len(p.rooms) {
		return w.send(s)
	}
	return nil
}

// release notes a slot when nothing of it is on its way any more.
func (w *worker) release(s *slot) error {
	if s.pending.Add(-1) > 0 {
		return nil
	}
	return w.note(s)
}

// note writes a finished item into the journal and gives its slot back.
func (w *worker) note(s *slot) error {
	b := w.b
	it := &b.list.Items[s.item]
	s.out.odd += s.odd.Swap(0)
	b.results[s.item] = s.out
	if err := b.journal.add(s.item, it, &s.out); err != nil {
		return err
	}
	b.stat.bytesIn.Add(it.Size)
	b.stat.samples.Add(int64((s.out.seconds - b.shape.leftOut(s.out.seconds)) * float64(b.shape.params.SampleRate)))
	if s.out.state == quarantined {
		b.stat.bad.Add(1)
	}
	b.stat.files.Add(1)
	b.steps.count(&b.stat, b.opt.Workers)
	s.rest()
	if w.spare == nil {
		w.spare = s
	} else {
		b.free.put(s)
	}
	if b.left.Add(-1) == 0 {
		close(b.ready)
	}
	return nil
}

// rowsOf is how many rows an item has; a quarantined one keeps one.
func (b *builder) rowsOf(o *outcome) int64 {
	if o.state == quarantined {
		return 1
	}
	return b.shape.rows(o.samples)
}

// row describes one row to the format.
func (b *builder) row(item int, o *outcome, row, segment int64, into *rowInfo) *rowInfo {
	room := b.shape.frames(b.shape.rowSamples(o.samples))
	*into = rowInfo{item: &b.list.Items[item], out: o, row: row, segment: segment, room: room}
	if o.state == quarantined && b.shape.ragged {
		into.room = 0
	}
	into.values = into.room * b.shape.params.Mels
	if o.state == done {
		into.frames = b.shape.sounding(o.samples, segment)
	}
	return into
}

// move moves a cursor behind an item.
func (b *builder) move(c *cursor, item int, o *outcome) {
	var info rowInfo
	var rec record
	for segment := range b.rowsOf(o) {
		rec.before, rec.after = rec.before[:0], rec.after[:0]
		b.form.place(c, b.row(item, o, c.row, segment, &info), &rec)
		c.row++
	}
}
