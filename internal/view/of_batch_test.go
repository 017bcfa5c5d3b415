package view

import (
	"bytes"
	"strings"
	"testing"

	"saturate/internal/batch"
	"saturate/internal/patch"
	"saturate/internal/probe"
	"saturate/internal/report"
)

func batchData() BatchData {
	trial := func(size int, purpose batch.Purpose, rate float64, gib float64) batch.Measured {
		m := batch.Measured{Batch: size, Steps: 6, Purpose: purpose, Rate: rate, Seconds: float64(size) / rate, Samples: 4000}
		m.Total, m.Others, m.Allocated, m.Reserved = 24<<30, 1<<29, int64(gib*(1<<30)), int64(1.05*gib*(1<<30))
		m.Phases = []probe.Phase{{Name: "training", Allocated: m.Allocated, Reserved: m.Reserved}, {Name: "evaluation", Allocated: 1 << 30, Reserved: 1 << 30}}
		m.Lengths = probe.Lengths{Seen: 400, Samples: 4000, Varies: true, Longest: 100, Tail: 2}
		return m
	}
	trials := []batch.Measured{trial(8, batch.Probing, 187, 3.2), trial(32, batch.Probing, 522, 9.6), trial(16, batch.Probing, 294, 5.3), trial(72, batch.Confirming, 600, 20)}
	full := trials[3]
	full.Batch, full.Fault = 80, batch.OutOfMemory
	r := batch.Result{Own: 8, Target: 0.9, Trials: append(trials, full), Largest: &trials[3], Knee: &trials[3], Best: 600, Bound: batch.ByMemory, CutOff: true}
	r.Reserved = batch.Fit{Fixed: 1 << 30, Each: 0.28 * (1 << 30)}
	r.Predicted = &batch.Prediction{Batch: 72, Allocated: 20 << 30, Reserved: 21 << 30, AllocatedOff: 0.004, ReservedOff: -0.012}
	r.Savings = []batch.Saving{{Name: "gradient checkpointing", Text: "batch 200 with it: −20.0% samples/s: not worth it"}}
	return BatchData{
		Result: r, Command: []string{"python", "train.py"}, Advice: []batch.Advice{{Topic: "learning rate", Text: "try 0.0003", Rule: "square root"}},
		Setting: batch.Setting{Text: "the patch sets it in train.py", Changes: []patch.Change{{Path: "train.py", Old: []byte("b = 8\n"), New: []byte("b = 72\n")}}}, Patch: "runs/x/batch.patch",
	}
}

// TestOfBatch holds what every reader has to be told.
func TestOfBatch(t *testing.T) {
	var b bytes.Buffer
	if err := report.Render(&b, OfBatch(batchData()), "text", report.Options{}); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"Use batch 72: 600 samples/s, 3.21× the 187 samples/s of batch 8.",
		"Largest that fits: 72, with 90% of 24.0 GiB used, confirmed by 6 steps.",
		"20.0 GiB allocated (measured +0.4%), 21.0 GiB reserved (measured −1.2%)",
		"gradient checkpointing: batch 200 with it: −20.0% samples/s: not worth it.",
		"To use batch 72, the patch sets it in train.py.",
		"400 of 4,000 were checked",
		"80 confirmation 6 out of memory",
		"evaluation 1.00 GiB 1.00 GiB",
		"learning rate try 0.0003 square root",
		"+b = 72",
		"git apply runs/x/batch.patch",
		"do not show whether a larger batch trains as well",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := report.Render(&b, OfBatch(batchData()), "html", report.Options{}); err != nil || strings.Count(b.String(), "<svg") < 2 {
		t.Errorf("%v, %d pictures", err, strings.Count(b.String(), "<svg"))
	}
	unsure := batchData()
	unsure.Unknown, unsure.Predicted = "no batch near 90% was confirmed", nil
	if r := OfBatch(unsure); r.Outcome != report.Undecided || !strings.HasPrefix(r.Summary[1], "Not confirmed: no batch near 90%") {
		t.Errorf("%v %q", r.Outcome, r.Summary)
	}
}
