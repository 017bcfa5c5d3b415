package optimize

import (
	"context"
	"slices"

	"saturate/internal/finding"
	"saturate/internal/probe"
	"saturate/internal/verify"
)

// sight is what the program of a tree trains on.
type sight struct {
	samples probe.Samples
	assumed bool // taken from the tree that it was made from
}

// look records the samples that the program of a tree trains on. The best tree is compared with every candidate; its
// samples are recorded once, and again only if a comparison asks. The proof assumes nothing.
func (p *protocol) look(phase Phase, repairs []Rung) verify.Look {
	if p.Look == nil || phase == Climbing && !slices.ContainsFunc(repairs, Rung.feeds) {
		return nil
	}
	asked := map[string]int{}
	return func(ctx context.Context, t verify.Trial) (probe.Samples, error) {
		asked[t.Dir]++
		if known, ok := p.seen[t.Dir]; ok && asked[t.Dir] == 1 && (phase == Climbing || !known.assumed) {
			return known.samples, nil
		}
		defer p.tidily(t.Dir)()
		found, err := p.Look(ctx, t)
		if err == nil && asked[t.Dir] == 1 {
			p.sees(t.Dir, sight{samples: found})
		}
		return found, err
	}
}

// lookSteps are the steps of a look at the samples: fewer where they are slow. All looks of a protocol have as many,
// because what they see is compared.
func (p *protocol) lookSteps() int {
	const slow, few = 0.5, 7
	if p.state.Baseline != nil && p.state.Baseline.SecondsPerStep > slow {
		return few
	}
	return verify.LookSteps
}

func (p *protocol) sees(dir string, s sight) {
	if p.seen == nil {
		p.seen = map[string]sight{}
	}
	p.seen[dir] = s
}

// feeds tells whether a repair might change what the model is trained on. One that says how the model or the optimizer
// compute, or what the host reads, does not: until the proof, which looks at everything, its program trains on what the
// one before does.
func (r Rung) feeds() bool {
	return len(r.Codes) == 0 || r.ID == offlineGroup.id || slices.ContainsFunc(r.Codes, func(code string) bool {
		known := ruleOf(code)
		return len(known.Areas) == 0 || known.Compiles || known.Reshapes || known.Regroups || known.SetsWorkers ||
			slices.ContainsFunc(known.Areas, func(a finding.Area) bool {
				return !slices.Contains([]finding.Area{finding.ComputeArea, finding.OptimizerArea, finding.HostArea}, a)
			})
	})
}
