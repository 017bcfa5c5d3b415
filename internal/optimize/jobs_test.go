package optimize

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestFixesOfJobs makes every fix that is planned for jobs as people write them: each can be applied, and settles what
// it was made for.
func TestFixesOfJobs(t *testing.T) {
	for job, expected := range map[string][]string{
		"loop/image": {"loader", "offline", "SAT301", "SAT401", "SAT411", "SAT411/2", "SAT413"},
		"loop/hf":    {"loader", "offline", "SAT701", "SAT411", "SAT411/2", "SAT411/3"},
		"loop/gpt":   {"SAT301", "SAT401", "SAT404", "SAT411", "SAT411/2", "SAT411/3"},
	} {
		t.Run(job, func(t *testing.T) {
			o := newWorld(1).options(t)
			dir, err := filepath.Abs(filepath.Join("../../peers", job))
			if err != nil {
				t.Fatal(err)
			}
			o.Dir = dir
			result, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range result.Ladder {
				if r.Decision == Broken {
					t.Errorf("%s: %s", r.ID, r.Because)
				}
			}
			for _, id := range expected {
				if !slices.ContainsFunc(result.Ladder, func(r Rung) bool { return r.ID == id }) {
					t.Errorf("%s was not tried", id)
				}
			}
		})
	}
}
