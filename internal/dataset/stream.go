package dataset

import (
	"context"
	"fmt"
	"io"
	"math"

	"saturate/internal/audio"
	"saturate/internal/mel"
)

// stream makes segments of a file that is too long for memory. How many rows it has is known at its end,
// so it waits until everything before it has its place, and what follows waits for it.
func (w *worker) stream(ctx context.Context, s *slot, r *audio.Reader) error {
	b := w.b
	defer r.Close()
	start, ok := b.places.wait(ctx, s.item)
	if !ok {
		return nil
	}
	err := w.segments(ctx, s, r, start)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		if e, ok := err.(badInput); ok && !b.opt.Strict {
			s.out.state, s.out.reason = quarantined, clean(e.Error())
			c := start
			if err := w.row(ctx, &c, s, 0); err != nil || ctx.Err() != nil {
				return err
			}
		} else if ok {
			return fmt.Errorf("%s: %w (--strict)", b.list.Items[s.item].name(), err)
		} else {
			return err
		}
	}
	placed := b.places.release(s.item, &s.out, w.placed[:0])
	if err := w.note(s); err != nil {
		return err
	}
	return w.hand(ctx, placed)
}

// badInput is an error that quarantines a file, unlike one of the output.
type badInput struct{ error }

// segments reads a window of samples, makes a row of it, and moves on by a step.
func (w *worker) segments(ctx context.Context, s *slot, r *audio.Reader, c cursor) error {
	b, it := w.b, &w.b.list.Items[s.item]
	sh := b.shape
	rate := float64(r.Rate())
	if cap(w.window) < sh.length {
		w.window = make([]float32, sh.length)
	}
	window := w.window[:sh.length]
	left := int64(math.MaxInt64)
	if it.Span > 0 {
		left = int64(math.Round(it.Span * rate))
	}
	if err := drop(r, window, int64(math.Round(it.Start*rate))); err != nil {
		return err
	}
	s.out.state, s.out.samples = done, 0
	have := 0
	for segment := int64(0); ; segment++ {
		clock := startLap()
		n, err := fill(r, window[have:min(int64(sh.length), int64(have)+left)])
		clock.to(&b.stat.decode)
		if err != nil {
			return err
		}
		s.out.samples += int64(n)
		left -= int64(n)
		have += n
		if segment > 0 && n == 0 {
			break // the row before had reached the end
		}
		if s.out.samples == 0 {
			return badInput{b.decoder.judge(s.out, it)}
		}
		if err := w.oneWindow(ctx, &c, s, window[:have], segment); err != nil {
			return err
		}
		if have < sh.length || ctx.Err() != nil {
			break
		}
		copy(window, window[sh.step:])
		have -= sh.step
	}
	s.out.seconds = float64(s.out.samples) / rate
	return nil
}

// oneWindow makes the row of one window, whose memory is used again then.
func (w *worker) oneWindow(ctx context.Context, c *cursor, s *slot, window []float32, segment int64) error {
	b := w.b
	p, err := w.room(ctx)
	if p == nil {
		return err
	}
	rm := p.place(b, c, b.row(s.item, &s.out, c.row, segment, &w.info))
	p.slot, p.jobs = s, append(p.jobs, Job{
		Samples: mel.Samples{Float: window}, Length: b.shape.length,
		Dst: b.out.dest(rm),
	})
	return w.sendAndWait(p)
}

// fill reads until dst is full or the file ends.
func fill(r *audio.Reader, dst []float32) (n int, err error) {
	for n < len(dst) {
		k, err := r.Read(dst[n:])
		n += k
		if err == io.EOF {
			break
		}
		if err != nil {
			return n, badInput{decodeError(err)}
		}
	}
	return n, nil
}

// drop passes over samples.
func drop(r *audio.Reader, buffer []float32, n int64) error {
	for n > 0 {
		k, err := fill(r, buffer[:min(n, int64(len(buffer)))])
		if err != nil {
			return err
		}
		if k == 0 {
			return nil
		}
		n -= int64(k)
	}
	return nil
}
