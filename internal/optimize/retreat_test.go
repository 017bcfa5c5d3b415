package optimize

import (
	"strings"
	"testing"

	"saturate/internal/verify"
)

// A fix that passes its try and fails the proof is taken out. What is left is proven, and the patch does not hold it.
func TestRetreat(t *testing.T) {
	loads := effect{shows: "num_workers", seconds: 0.5, loss: 1}
	inTries := newWorld(1, loads, effect{shows: "fused=True", seconds: 0.7, loss: 1.005})
	inProof := newWorld(2, loads, effect{shows: "fused=True", seconds: 0.7, loss: 1.2})
	o := inTries.options(t)
	o.Screen, o.Execute = inTries.execute, inProof.execute
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if d := decisions(r); d["loader"] != Kept || d["SAT406"] != Wrong {
		t.Errorf("decisions %v", d)
	}
	if r.Final == nil || r.Final.Verdict != verify.Faster {
		t.Errorf("%+v", r.Final)
	}
	if !strings.Contains(r.Diff, "num_workers") || strings.Contains(r.Diff, "fused=True") {
		t.Errorf("the patch:\n%s", r.Diff)
	}
	for _, rung := range r.Ladder {
		if rung.ID == "SAT406" && !strings.Contains(rung.Because, "taken out after the proof") {
			t.Error(rung.Because)
		}
	}
	again, err := Run(t.Context(), o) // what was decided stays decided
	if err != nil || again.Diff != r.Diff || again.Final == nil || again.Final.Verdict != verify.Faster {
		t.Errorf("a second call: %v, %+v\n%s", err, again.Final, again.Diff)
	}
}
