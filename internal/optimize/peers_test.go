package optimize

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"saturate/internal/probe"
	"saturate/internal/rule"
)

// Whatever the variants of the peers that were tuned by hand do differently, some candidate does too.
func TestPlansReachHandTuned(t *testing.T) {
	for dir, want := range map[string][]string{
		"peers/loop/gpt":       {"loader", "SAT301", "SAT401", "SAT404", "SAT407/2", "SAT411/2", "SAT411/3"},
		"peers/loop/image":     {"loader", "SAT301", "SAT401", "SAT406", "SAT411/2", "SAT413"},
		"peers/loop/hf":        {"offline", "loader", "SAT701", "SAT411/2"},
		"examples/whisper-tts": {"offline", "loader", "SAT301", "SAT316", "SAT401", "SAT404", "SAT406", "SAT411/2", "SAT411/3"},
	} {
		t.Run(dir, func(t *testing.T) {
			o := newWorld(1).options(t)
			o.Dir, o.State, o.PlanOnly, o.Rules = filepath.Join("../..", dir), t.TempDir(), true, rule.Selection{}
			o.Dir, _ = filepath.Abs(o.Dir)
			profile := o.Profile
			o.Profile = func(ctx context.Context, home probe.Home, command []string, steps int, scratch string) (Profiled, error) {
				seen, err := profile(ctx, home, command, steps, scratch)
				seen.GPU, seen.Cores, seen.Loaded = true, 16, nil
				return seen, err
			}
			result, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			var have []string
			for _, c := range result.Candidates {
				have = append(have, c.ID)
			}
			for _, id := range want {
				if !slices.Contains(have, id) {
					t.Errorf("no %s in %v", id, have)
				}
			}
		})
	}
}
