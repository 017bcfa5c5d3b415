package rule

import (
	"fmt"

	"saturate/internal/project"
)

// rescue is off in tests, where a rule that fails shall be seen.
var rescue = true

// apply runs a rule over the module. A mistake in a rule must not take the other findings along: it then says nothing of this
// file, and a warning says so.
func (p *SourcePass) apply(r *Rule) {
	if rescue {
		defer func() {
			if failed := recover(); failed != nil {
				p.judge.reports, p.judge.small, p.judge.observations = nil, nil, nil
				p.eval.Forget() // what it was asked last has no answer
				clear(p.shared.open)
				p.shared.failures = append(p.shared.failures, project.Warning{
					Path:    p.Module.Path,
					Message: fmt.Sprintf("not checked by %s, which failed: %v; please report this", r.Code, failed),
				})
			}
		}()
	}
	r.Source(p)
}

// allFailures are those of all modules that were asked about.
func (f *moduleFacts) allFailures() (list []project.Warning) {
	for _, each := range f.others {
		list = append(list, each.failures...)
	}
	return list
}
