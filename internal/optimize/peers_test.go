package optimize

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"saturate/internal/probe"
	"saturate/internal/rule"
)

// Whatever the variants of the peers that were tuned by hand do differently, some candidate does too.
func TestPlansReachHandTuned(t *testing.T) {
	for dir, want := range map[string][]string{
		"peers/loop/gpt":       {"loader", "SAT301", "SAT401", "SAT404", "SAT407/2", "SAT411/2", "SAT411/3", "SAT411/4"},
		"peers/loop/image":     {"loader/8", "SAT301", "SAT401", "SAT406", "SAT411/2", "SAT413"},
		"peers/loop/hf":        {"offline", "loader/8", "SAT701", "SAT411/2", "SAT411/3"},
		"examples/whisper-tts": {"offline", "loader/8", "SAT301", "SAT316", "SAT401", "SAT404", "SAT406", "SAT411/2", "SAT411/3", "SAT411/4"},
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

// The layers of a trainer's model can be compiled, behind the trainer.
func TestLayersOfTheTrainersModel(t *testing.T) {
	const line = "    for layer in [layer for m in trainer.model.modules() if isinstance(m, torch.nn.ModuleList) for layer in m]:\n+        layer.compile(mode=\"reduce-overhead\")"
	w := newWorld(1, effect{shows: "trainer.model.modules()", seconds: 0.5, loss: 1})
	o := w.options(t)
	source, err := os.ReadFile("../../peers/loop/hf/train.py")
	if err == nil {
		err = os.WriteFile(filepath.Join(o.Dir, "train.py"), source, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	o.Rules = rule.Selection{Select: []string{"SAT411"}}
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if decisions(result)["SAT411/3"] != Kept || !strings.Contains(result.Diff, line) {
		t.Errorf("%v:\n%s", decisions(result), result.Diff)
	}
}
