package rule

import (
	"cmp"

	"saturate/internal/project"
)

// callCheapSmall marks the findings that cost little for where they stand: at places that a run does not get to unless a user
// changes the defaults (what stands below if args.parallel, or belongs to a class that is made there), and in steps that do
// something far longer beside.
func (p *SourcePass) callCheapSmall() {
	for _, r := range p.reports {
		if r.finding.Small != "" || r.ofSwitch || r.source != p.Module.Source {
			continue
		}
		needs := p.eval.LeftOut(project.Path{}, p.Module, r.span)
		if needs == nil {
			needs = p.eval.NotCalled(cmp.Or(r.step, p.Module.FunctionAt(r.span.Start)))
		}
		if needs != nil {
			r.Small(leftOut(needs))
		} else {
			r.beingLittle(p.besideGeneration(r))
		}
	}
}
