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
