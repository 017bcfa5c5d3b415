package batch

import (
	"context"
	"testing"
)

// A program whose speed grows up to what fits. Checkpointing halves the memory of a sample and costs time, or not.
func TestSavings(t *testing.T) {
	for _, c := range []struct {
		name       string
		slower     float64 // a sample with checkpointing
		possible   bool
		parameters int64
		pays       []bool // 8-bit optimizer, checkpointing
	}{
		{"checkpointing pays", 1, true, 1, []bool{false, true}},
		{"it costs too much", 2, true, 1, []bool{false, false}},
		{"it is not possible", 1, false, 1, []bool{false}},
		{"most of the memory is the optimizer's", 2, true, 500, []bool{true, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := func(_ context.Context, t Trial) (Measured, error) {
				m := Measured{Batch: t.Batch, Steps: t.Steps}
				if m.Batch == 0 {
					m.Batch = 4
				}
				each, seconds := 100.0, 0.1
				if t.Checkpointing {
					each, seconds = 50, 0.1*c.slower
				}
				m.Total, m.Allocated = 10000, int64(1000+each*float64(m.Batch))
				m.Reserved = m.Allocated
				m.Rate = float64(m.Batch) / (20 + seconds*float64(m.Batch))
				if t.Checkpointing && c.slower > 1 {
					m.Rate /= c.slower
				}
				return m, nil
			}
			r, err := Search(context.Background(), Options{Parameters: func() int64 { return c.parameters }, Checkpointed: func() bool { return c.possible }}, run)
			if err != nil || !r.CutOff || r.Largest.Batch != 76 {
				t.Fatalf("%+v %v", r, err)
			}
			if len(r.Savings) != len(c.pays) {
				t.Fatalf("%+v", r.Savings)
			}
			for i, s := range r.Savings {
				if s.Pays != c.pays[i] {
					t.Errorf("%+v", s)
				}
			}
			if knee := r.Knee.Batch; knee != 76 {
				t.Errorf("the knee is %d: trials of others count", knee)
			}
		})
	}
}

// A search that comes to its number of trials, or is stopped, tells what it has confirmed.
func TestSavingsWithoutTrials(t *testing.T) {
	for _, c := range []struct {
		name   string
		trials int
		stop   bool
		want   string
	}{
		{"none left", 4, false, "not tried: no trials were left (--trials 6)"},
		{"one left", 5, false, "batch 76 with it: −50.0% samples/s; room for batch 160, which was not tried: no trials were left (--trials 6)"},
		{"stopped", 6, true, "not weighed: the search was stopped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			run := func(_ context.Context, t Trial) (Measured, error) {
				m := Measured{Batch: t.Batch, Steps: t.Steps}
				m.Total = 10000
				if m.Batch == 0 {
					m.Batch = 4
				}
				each := 100
				m.Rate = float64(m.Batch) / (20 + 0.1*float64(m.Batch))
				if t.Checkpointing {
					each, m.Rate = 50, m.Rate/2
					if c.stop {
						cancel()
					}
				}
				m.Allocated = int64(1000 + each*m.Batch)
				m.Reserved = m.Allocated
				return m, nil
			}
			r, err := Search(ctx, Options{Trials: c.trials, Checkpointed: func() bool { return true }}, run)
			if err != nil || r.Largest == nil || len(r.Trials) > c.trials || len(r.Savings) != 1 {
				t.Fatalf("%+v %v", r, err)
			}
			if got := r.Savings[0].Text; got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
