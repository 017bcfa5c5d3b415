package dataset

import "context"

// parcel is rows of one file that are computed together, and the memory they are computed into.
type parcel struct {
	slot  *slot
	jobs  []Job
	rooms []room
}

// room gives the worker a parcel to fill. There are only so many: when all are on their way, it writes what comes back.
// It has none after the build was stopped.
func (w *worker) room(ctx context.Context) (*parcel, error) {
	for w.parcel == nil {
		clock := startLap()
		select {
		case <-w.b.parcels.some:
			w.parcel = w.b.parcels.take()
		case p := <-w.b.computed:
			clock.to(&w.b.stat.compute)
			if err := w.land(p); err != nil {
				return nil, err
			}
		case <-ctx.Done():
			return nil, nil
		}
	}
	if p := w.parcel; len(p.rooms) == 0 {
		n := max(1, w.computer.Batch())
		p.jobs, p.rooms = make([]Job, 0, n), make([]room, n)
	}
	return w.parcel, nil
}

// place finds the place of the parcel's next row.
func (p *parcel) place(b *builder, c *cursor, info *rowInfo) *room {
	rm := &p.rooms[len(p.jobs)]
	rm.rec.before, rm.rec.after = rm.before[:0], rm.after[:0]
	b.form.place(c, info, &rm.rec)
	c.row++
	rm.before, rm.after = rm.rec.before, rm.rec.after
	return rm
}

// send has the worker's parcel computed: at once, or by a computer that goes its own way while the worker does
// something else.
func (w *worker) send(s *slot) error {
	p := w.parcel
	if p == nil || len(p.jobs) == 0 {
		return nil
	}
	if p.slot = s; w.starter == nil {
		return w.sendAndWait(p)
	}
	clock := startLap()
	w.parcel = nil
	s.pending.Add(1)
	w.b.started.Add(1)
	w.starter.Start(p.jobs, func() {
		w.b.computed <- p
		w.b.started.Done()
	})
	clock.to(&w.b.stat.compute)
	return nil
}

// sendAndWait has a parcel computed, and writes it.
func (w *worker) sendAndWait(p *parcel) error {
	clock := startLap()
	if w.starter != nil {
		landed := make(chan struct{})
		w.starter.Start(p.jobs, func() { close(landed) })
		<-landed
	} else if err := w.computer.Compute(p.jobs); err != nil {
		return err
	}
	clock.to(&w.b.stat.compute)
	return w.write(p)
}

// land takes in a parcel that came back, whoever had sent it.
func (w *worker) land(p *parcel) error {
	s := p.slot
	if err := w.write(p); err != nil {
		return err
	}
	if w.parcel == nil {
		w.parcel = p // its memory is still in the processor's cache
	} else {
		w.b.parcels.put(p)
	}
	return w.release(s)
}

// makeUp computes the rows of a parcel that a Starter has missed.
func (w *worker) makeUp(p *parcel) error {
	for i := range p.jobs {
		j := &p.jobs[i]
		if !j.Missed {
			continue
		}
		if j.Dst == nil {
			p.rooms[i].words = nil
			j.Dst = w.b.out.dest(&p.rooms[i])
		}
		if err := w.computer.Compute(p.jobs[i : i+1]); err != nil {
			return err
		}
	}
	return nil
}

// write writes the rows of a parcel, which is empty then.
func (w *worker) write(p *parcel) error {
	b := w.b
	clock := startLap()
	if err := w.makeUp(p); err != nil {
		return err
	}
	clock.to(&b.stat.compute)
	for i := range p.jobs {
		if err := b.out.write(&p.rooms[i]); err != nil {
			return err
		}
		p.slot.odd.Add(int32(p.jobs[i].Impossible))
		b.stat.bytesOut.Add(p.rooms[i].rec.size())
	}
	clock.to(&b.stat.write)
	p.slot, p.jobs = nil, p.jobs[:0]
	return nil
}
