package optimize

import (
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/rule"
)

// areasOf says which parts of a step a rule's repair can shorten.
func areasOf(code string) []finding.Area {
	if r := rule.Find(code); r != nil {
		return r.Areas
	}
	return []finding.Area{finding.HostArea}
}

const compiling = "SAT411"

// notHere is why a candidate is not tried where the program uses no GPU; nothing where it is.
func (p *protocol) notHere(c Candidate) string {
	compiles := slices.Equal(c.Codes, []string{compiling})
	asked := slices.ContainsFunc(p.Rules.Select, func(name string) bool {
		return strings.EqualFold(name, compiling) || name == rule.Find(compiling).Name
	})
	switch {
	case !slices.ContainsFunc(c.Codes, func(code string) bool { return !rule.Find(code).NeedsGPU }), compiles && c.Fix > 0: // the second makes CUDA graphs
		return "acts on a GPU"
	case compiles && !asked:
		return "compiling takes a CPU long, in every run; --only " + compiling + " tries it all the same"
	}
	return ""
}
