package probe

import (
	"fmt"

	"saturate/internal/human"
)

// HeldUp explains the rank that the first one waits for, where there is one: a part that is not the model's takes much
// longer there, and yet both take as long for a step. The first rank itself shows such a wait as forward or backward,
// in which ranks meet.
func (o Outcome) HeldUp(first Explanation, onGPU bool) (Explanation, bool) {
	worst, excess := first, worthNaming*first.StepTime
	for _, r := range o.Ranks[min(1, len(o.Ranks)):] {
		e := Explain(r.Steps, onGPU)
		if e.StepTime > 1.1*first.StepTime || e.StepTime < first.StepTime/1.1 {
			continue // they do not go in step
		}
		for _, w := range waste {
			if more := e.Part(w.part) - first.Part(w.part); w.bottleneck == e.Bottleneck && more > excess {
				worst, excess = e, more
				worst.Sentence = fmt.Sprintf("Rank %d waits for rank %d, %s a step. Rank %d: %s", o.Ranks[0].Rank, r.Rank, human.Seconds(more), r.Rank, e.Sentence)
			}
		}
	}
	return worst, excess > worthNaming*first.StepTime
}
