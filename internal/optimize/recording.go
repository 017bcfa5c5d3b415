package optimize

import (
	"context"
	"maps"
	"slices"

	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/rule"
)

// recordable gives the findings that have to be fixed with the recording of a step by a rule: what waits for the GPU, or copies from
// pageable memory, cannot be part of a CUDA graph. It is false if one of them has no fix: the program would run until it
// records, compile for minutes, and fail.
func (d *draft) recordable(by string, step *patch.Part) (also []finding.Finding, ok bool) {
	passes := rule.Find(by).Passes
	for _, code := range slices.Sorted(maps.Keys(d.byCode)) {
		r := rule.Find(code)
		if r.Subject != rule.AboutWaits && r.Subject != rule.AboutCopies || r.Passes != "" && r.Passes == passes { // the recording passes it itself
			continue
		}
		for _, f := range d.byCode[code] {
			if !reachedFrom(f, step) {
				continue
			}
			if !slices.ContainsFunc(f.Fixes, func(fix patch.Patch) bool { return d.allows(fix.Safety) }) {
				return nil, false
			}
			also = append(also, f)
		}
	}
	return also, true
}

// records reports a rung that fixes what a recording of the step takes, beside the recording itself.
func (r *Rung) records() bool {
	return len(r.Codes) > 1 && rule.Find(r.Codes[0]).Compiles
}

// recorded is the part of a tree's program that such a rung records; nil if it has done so.
func (p *protocol) recorded(ctx context.Context, rung *Rung, t tree) (*patch.Part, error) {
	if !rung.records() {
		return nil, nil
	}
	source, err := p.source(ctx, t, p.here())
	if err != nil {
		return nil, err
	}
	scanned, err := rule.OnSource(ctx, source, rule.Selection{Select: rung.Codes[:1]})
	if err != nil {
		return nil, err
	}
	for _, f := range scanned.Findings {
		if rung.Fix < len(f.Fixes) && f.Fixes[rung.Fix].Records != nil {
			return f.Fixes[rung.Fix].Records, nil
		}
	}
	return nil, nil
}

// reachedFrom reports a finding in a part of a file, or in what that calls: its evidence names the calls that lead to it.
func reachedFrom(f finding.Finding, part *patch.Part) bool {
	within := func(l *finding.Location) bool {
		return l != nil && l.Path == part.Path && l.Start >= part.Start && l.End <= part.End
	}
	return within(f.Where) || slices.ContainsFunc(f.Evidence, func(e finding.Evidence) bool { return within(e.Location) })
}
