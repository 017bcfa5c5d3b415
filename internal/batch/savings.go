package batch

import (
	"context"
	"math"

	"saturate/internal/human"
)

// Saving is a way to need less memory, and what it brings. It is weighed by samples/s, never by the size of the batch.
type Saving struct {
	Name     string  `json:"name"`                    // of the way: gradient checkpointing
	Batch    int     `json:"batch,omitempty"`         // that fits with it
	Rate     float64 `json:"samples_per_s,omitempty"` // of that batch
	Measured bool    `json:"measured"`                // or estimated
	Pays     bool    `json:"pays"`                    // it gives more samples per second
	Text     string  `json:"text"`                    // the result in a sentence
}

const checkpointing = "gradient checkpointing"

// byteSaved is what an 8-bit optimizer needs less for each parameter: two states of one byte instead of four.
const byteSaved = 6

// weigh looks at ways to need less memory where a larger batch would be faster.
func (s *search) weigh(ctx context.Context) error {
	if !s.result.CutOff || s.result.Largest == nil {
		return nil
	}
	if s.Parameters != nil {
		if n := s.Parameters(); n > 0 {
			s.result.Savings = append(s.result.Savings, s.eightBit(n))
		}
	}
	if s.Checkpointed == nil {
		return nil
	}
	return s.checkpointing(ctx)
}

// eightBit estimates how much faster the samples are that fit into what an 8-bit optimizer frees.
func (s *search) eightBit(parameters int64) Saving {
	largest, freed := *s.result.Largest, float64(byteSaved*parameters)
	out := Saving{Name: "8-bit optimizer", Batch: s.result.Reserved.Largest(float64(largest.Reserved)+freed,
		math.MaxInt32)}
	out.Rate = largest.Rate
	if fixed, each, ok := stepTime(s.result.Trials); ok {
		out.Rate = max(out.Rate, float64(out.Batch)/(fixed+each*float64(out.Batch)))
	}
	gain := out.Rate/largest.Rate - 1
	out.Pays = gain > 1-nearBest
	verdict := "not worth it"
	if out.Pays {
		verdict = "worth a try"
	}
	out.Text = human.Memory(int64(freed)) + " less for an Adam-like optimizer: room for batch " + human.Count(out.Batch) +
		", an estimated " + human.Change(1+gain) + " samples/s: " + verdict
	return out
}

// stepTime is the fixed time of a step and that of a sample, by the two largest batches.
func stepTime(trials []Measured) (fixed, each float64, ok bool) {
	list := timed(trials)
	if len(list) < 2 {
		return 0, 0, false
	}
	a, b := list[len(list)-2], list[len(list)-1]
	ta, tb := float64(a.Batch)/a.Rate, float64(b.Batch)/b.Rate
	each = (tb - ta) / float64(b.Batch-a.Batch)
	fixed = tb - each*float64(b.Batch)
	return max(0, fixed), each, each > 0
}

// checkpointing measures it with the trials that are left, at the largest batch and at the one that then should fit.
func (s *search) checkpointing(ctx context.Context) error {
	largest := *s.result.Largest
	more := "--trials " + human.Count(len(s.result.Trials)+2)
	if s.left() == 0 {
		s.result.Savings = append(s.result.Savings, Saving{Name: checkpointing, Text: "not tried: no trials were left (" +
			more + ")"})
		return nil
	}
	m, err := s.try(ctx, largest.Batch, s.ProbeSteps, Weighing)
	if err != nil || m.Fault != Fits || !s.Checkpointed() {
		s.drop()
		return ctx.Err()
	}
	fixed := min(float64(m.Reserved), max(0, s.result.Allocated.Fixed))
	each := (float64(m.Reserved) - fixed) / float64(m.Batch)
	best, next := m, min(s.most, round(int((s.room(s.Target)-fixed)/max(1, each))))
	if next > m.Batch && s.left() == 0 && m.Rate*nearBest <= largest.Rate {
		s.result.Savings = append(s.result.Savings, Saving{
			Name: checkpointing, Batch: m.Batch, Rate: m.Rate, Measured: true,
			Text: "batch " + human.Count(m.Batch) + " with it: " + human.Change(m.Rate/largest.Rate) +
				" samples/s; room for batch " + human.Count(next) + ", which was not tried: no trials were left (" + more + ")",
		})
		return nil
	}
	if next > m.Batch && s.left() > 0 {
		if m, err = s.try(ctx, next, s.ProbeSteps, Weighing); err != nil {
			s.drop()
			return ctx.Err()
		}
		if m.Fault == Fits && m.Rate > best.Rate {
			best = m
		}
	}
	out := Saving{
		Name: checkpointing, Batch: best.Batch, Rate: best.Rate, Measured: true,
		Pays: best.Rate*nearBest > largest.Rate,
	}
	verdict := "not worth it"
	if out.Pays {
		verdict = "worth it"
	}
	out.Text = "batch " + human.Count(best.Batch) + " with it: " + human.Change(best.Rate/largest.Rate) + " samples/s: " +
		verdict
	s.result.Savings = append(s.result.Savings, out)
	return nil
}

// drop takes the last trial back: it shows nothing about checkpointing.
func (s *search) drop() {
	if n := len(s.result.Trials); n > 0 && s.result.Trials[n-1].Purpose == Weighing {
		s.result.Trials = s.result.Trials[:n-1]
	}
}
