package optimize

import (
	"slices"
	"testing"

	"saturate/internal/patch"
)

// All safe fixes are one try. Where it makes no difference, each is tried alone.
func TestSafeFixesTogether(t *testing.T) {
	look := func(_ []string, step float64) *Baseline {
		return &Baseline{SecondsPerStep: step, GPU: true, WallSeconds: 12, Cores: 16, StartSeconds: 5, Busy: 0.2}
	}
	safe := func(id string, codes ...string) Candidate {
		return Candidate{ID: id, Choice: id, Codes: codes, Safety: patch.Safe, Saves: 0.2}
	}
	for _, c := range []struct {
		together float64
		want     []string
	}{
		{0.5, []string{"together kept"}},
		{1, []string{"together no difference", "SAT301 kept", "SAT312 no difference"}},
	} {
		b := newBench(0, 0.1, look, safe("SAT301", "SAT301"), safe("SAT312", "SAT312"), safe(togetherGroup.id, "SAT301", "SAT312"))
		b.effects = map[string]float64{togetherGroup.id: c.together, "SAT301": 0.8, "SAT312": 1}
		b.climb(t)
		tried := slices.DeleteFunc(slices.Clone(b.tried), func(s string) bool { return s == "look" })
		if c.together < 1 { // the bench does not know that the others are then gone
			tried = tried[:1]
		}
		if !slices.Equal(tried, c.want) {
			t.Errorf("%v: %q", c.together, tried)
		}
	}
}
