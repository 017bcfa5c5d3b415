package optimize

import (
	"maps"
	"slices"

	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/rule"
)

// togetherGroup is every safe fix at once. They keep the results as they are, so one measurement can decide on all of
// them; and where the host waits for the GPU in several places, none of the fixes gains anything alone.
var togetherGroup = group{id: "together", title: "all safe fixes at once"}

// together plans the safe fixes of several rules as one try. Each is planned alone, too, for the case that this one fails.
func (d *draft) together() {
	g := togetherGroup
	var found []finding.Finding
	for _, code := range slices.Sorted(maps.Keys(d.byCode)) {
		safe := slices.DeleteFunc(slices.Clone(d.byCode[code]), func(f finding.Finding) bool { return safeFix(f) == nil })
		if len(safe) == 0 || rule.Find(code).Compiles {
			continue
		}
		found, g.codes = append(found, safe...), append(g.codes, code)
		for _, area := range areasOf(code) {
			if !slices.Contains(g.areas, area) {
				g.areas = append(g.areas, area)
			}
		}
	}
	if len(g.codes) > 1 {
		c := d.candidate(g, found, 0, d.here.Shares, d.tree)
		c.Choice, c.Asks = "", []string{"sync=none"}
		d.add(c)
	}
}

// safeFix is the first fix of a finding, if it is safe.
func safeFix(f finding.Finding) *patch.Patch {
	if len(f.Fixes) > 0 && f.Fixes[0].Safety == patch.Safe {
		return &f.Fixes[0]
	}
	return nil
}

// covered reports a candidate that waits for the try of all safe fixes, which contains it.
func (p *protocol) covered(c Candidate, list []Candidate, here *Baseline) bool {
	return c.ID != togetherGroup.id && c.Safety == patch.Safe && slices.ContainsFunc(list, func(x Candidate) bool {
		return x.ID == togetherGroup.id && x.Saves >= worth && p.ready(x, here) && p.fits(x, here) &&
			!slices.ContainsFunc(c.Codes, func(code string) bool { return !slices.Contains(x.Codes, code) })
	})
}
