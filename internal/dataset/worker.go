package dataset

import (
	"context"
	"fmt"
)

// worker decodes files, computes rows and writes them: whatever there is to do.
type worker struct {
	b        *builder
	computer Computer
	batch    []*slot
	placed   []*slot
	jobs     []Job
	owners   []*slot // of the jobs
	rooms    []room
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
	if err != nil {
		return nil, err
	}
	n := max(1, w.computer.Batch())
	w.jobs, w.rooms = make([]Job, 0, n), make([]room, n)
	return w, nil
}

// work goes on until everything is finished. Rows that can be computed go first, once there are enough for
// the computer: they make room. A computer that takes many rows at a time gets fewer only when nothing is left to decode.
func (w *worker) work(ctx context.Context) error {
	b := w.b
	enough := min(w.computer.Batch(), b.opt.Batch)
	for ctx.Err() == nil {
		free := b.free
		if int(b.turn.Load()) >= len(b.todo) {
			free = nil // nothing left to take
		}
		var s *slot
		var decoded, ok bool
		if len(b.ready) >= enough {
			select {
			case s, decoded = <-b.ready:
			default:
			}
		}
		if s == nil && free != nil {
			s, w.spare = w.spare, nil
		}
		if s == nil {
			select {
			case s = <-free:
			default:
				select {
				case s = <-free:
				case s, ok = <-b.ready:
					if !ok {
						return nil
					}
					decoded = true
				case <-ctx.Done():
					return nil
				}
			}
		}
		if err := w.advance(ctx, s, decoded); err != nil {
			return err
		}
	}
	return nil
}

// advance computes the rows of a decoded slot, or decodes the next file into a free one.
func (w *worker) advance(ctx context.Context, s *slot, decoded bool) error {
	if decoded {
		return w.finish(ctx, s)
	}
	turn := int(w.b.turn.Add(1) - 1)
	if turn >= len(w.b.todo) {
		w.b.free <- s
		return nil
	}
	return w.take(ctx, s, turn)
}

// take decodes the file whose turn it is.
func (w *worker) take(ctx context.Context, s *slot, turn int) error {
	b := w.b
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

// hand finishes the first slot that has its place now, and leaves the others to whoever is free. For a
// computer that takes many rows at a time, it leaves all of them, to be gathered.
func (w *worker) hand(ctx context.Context, placed []*slot) error {
	w.placed = placed
	if len(placed) == 0 {
		return nil
	}
	if w.computer.Batch() > 1 {
		for _, s := range placed {
			w.b.ready <- s
		}
		return nil
	}
	for _, s := range placed[1:] {
		w.b.ready <- s
	}
	return w.finish(ctx, placed[0])
}

// finish computes and writes the rows of a slot, and of others that are ready when the computer takes
// more than one row at a time.
func (w *worker) finish(ctx context.Context, s *slot) error {
	w.batch = append(w.batch[:0], s)
gather:
	for rows := int64(1); rows < int64(w.computer.Batch()); {
		select {
		case more, ok := <-w.b.ready:
			if !ok {
				break gather
			}
			w.batch = append(w.batch, more)
			rows += w.b.shape.rows(more.out.samples)
		default:
			break gather
		}
	}
	for _, s := range w.batch {
		c := s.cursor
		for segment := range w.b.rowsOf(&s.out) {
			if err := w.row(&c, s, segment); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return nil
			}
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	for _, s := range w.batch {
		if err := w.note(s); err != nil {
			return err
		}
	}
	return nil
}

// row adds a row to those that will be computed together.
func (w *worker) row(c *cursor, s *slot, segment int64) error {
	b := w.b
	rm := &w.rooms[len(w.jobs)]
	rm.rec.before, rm.rec.after = rm.before[:0], rm.after[:0]
	info := b.row(s.item, &s.out, c.row, segment, &w.info)
	b.form.place(c, info, &rm.rec)
	c.row++
	rm.before, rm.after = rm.rec.before, rm.rec.after
	if rm.rec.values == 0 && len(rm.before) == 0 {
		return nil // a format that leaves it out
	}
	j := Job{Dst: b.out.dest(rm), Length: b.shape.rowSamples(s.out.samples)}
	if s.out.state != done { // zeros, whatever an earlier run has left there
		clock := startLap()
		clear(j.Dst)
		err := b.out.write(rm)
		clock.to(&b.stat.write)
		return err
	}
	j.Samples = b.shape.piece(s.clip, segment)
	w.jobs, w.owners = append(w.jobs, j), append(w.owners, s)
	if len(w.jobs) == len(w.rooms) {
		return w.flush()
	}
	return nil
}

// flush computes and writes the rows that are together so far.
func (w *worker) flush() error {
	if len(w.jobs) == 0 {
		return nil
	}
	b := w.b
	clock := startLap()
	if err := w.computer.Compute(w.jobs); err != nil {
		return err
	}
	clock.to(&b.stat.compute)
	for i := range w.jobs {
		if err := b.out.write(&w.rooms[i]); err != nil {
			return err
		}
		w.owners[i].out.odd += int32(w.jobs[i].Impossible)
		b.stat.bytesOut.Add(b.rowBytes(&w.rooms[i].rec))
	}
	clock.to(&b.stat.write)
	b.stat.rows.Add(int64(len(w.jobs)))
	w.jobs, w.owners = w.jobs[:0], w.owners[:0]
	return nil
}

// note writes a finished item into the journal and gives its slot back.
func (w *worker) note(s *slot) error {
	b := w.b
	it := &b.list.Items[s.item]
	b.results[s.item] = s.out
	if err := b.journal.add(s.item, it, &s.out); err != nil {
		return err
	}
	b.stat.bytesIn.Add(it.Size)
	b.stat.samples.Add(int64(s.out.seconds * float64(b.shape.params.SampleRate)))
	if s.out.state == quarantined {
		b.stat.bad.Add(1)
	}
	b.stat.files.Add(1)
	b.steps.count(&b.stat, b.opt.Workers)
	s.rest()
	if w.spare == nil {
		w.spare = s
	} else {
		b.free <- s
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
