package optimize

import (
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/optimize/offline"
	"saturate/internal/rule"
)

// ruleOf is the rule of a code, or the rule for costs that only a run shows.
func ruleOf(code string) *rule.Rule {
	if r := rule.Find(code); r != nil {
		return r
	}
	measured := offline.Measured()
	return &measured
}

// areasOf lists the parts of a step that a rule's repair can shorten.
func areasOf(code string) []finding.Area { return ruleOf(code).Areas }

// setsWorkers reports whether the repair of a finding sets how many processes load data.
func setsWorkers(f finding.Finding) bool { return ruleOf(f.Code).SetsWorkers }

// notHere says why a candidate is not tried for a program that does not use a GPU; nothing where it is tried.
func (p *protocol) notHere(c Candidate) string {
	if !slices.ContainsFunc(c.Codes, func(code string) bool { return !ruleOf(code).NeedsGPU }) {
		return "needs a GPU"
	}
	for _, code := range c.Codes {
		switch r := ruleOf(code); {
		case r.SlowOnCPU == "" || c.Fix == 0 && p.askedFor(r):
		case c.Fix > 0:
			return "needs a GPU"
		default:
			return r.SlowOnCPU + "; --only " + r.Code + " tries it anyway"
		}
	}
	return ""
}

// askedFor reports whether a rule was selected by its own code or name, not only by the beginning of its code.
func (p *protocol) askedFor(r *rule.Rule) bool {
	return slices.ContainsFunc(p.Rules.Select, func(name string) bool { return strings.EqualFold(name, r.Code) || name == r.Name })
}
