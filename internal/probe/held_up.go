package probe

import (
	"fmt"

	"saturate/internal/human"
)

// HeldUp explains the rank that the first one waits for, where there is one: a part that is not the model's takes much
// longer there, and yet both take as long for a step. The first rank itself shows such a wait as forward or backward,
// in which ranks meet. At is that rank's place in Ranks; 0 where there is none, and the first is explained.
func (o Outcome) HeldUp(first Explanation, onGPU bool) (worst Explanation, at int) {
	worst, excess := first, worthNaming*first.StepTime
	for i, r := range o.Ranks {
		if i == 0 {
			continue
		}
		e := Explain(r.Steps, onGPU)
		if e.StepTime > 1.1*first.StepTime || e.StepTime < first.StepTime/1.1 {
			continue // they do not go in step
		}
		for _, w := range waste {
			if more := e.Part(w.part) - first.Part(w.part); w.bottleneck == e.Bottleneck && more > excess {
				worst, excess, at = e, more, i
				worst.Sentence = fmt.Sprintf("Rank %d waits for rank %d, %s a step. Rank %d: %s", o.Ranks[0].Rank, r.Rank,
					human.Seconds(more), r.Rank, e.Sentence)
			}
		}
	}
	return worst, at
}
