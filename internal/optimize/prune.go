package optimize

import (
	"os"

	"saturate/internal/verify"
)

// prune removes the trees of decided rungs, except the best.
func (p *protocol) prune() {
	for _, r := range p.state.Rungs {
		if r.Tree != baseTree && r.Tree != p.state.Best {
			_ = os.RemoveAll(p.path("trees", r.Tree)) // one that stays takes room and does no harm
			_ = os.Remove(p.chainFile(r.Tree))
		}
	}
}

// finish leaves only the repaired program, with the files that were made for it. The original can be copied again from
// the user's folder; but an unfinished measurement keeps the trees that it began with.
func (p *protocol) finish() error {
	if p.underWay() {
		return nil
	}
	p.state.Planted = false
	if err := p.save(); err != nil { // first: what is gone must not be looked for
		return err
	}
	entries, _ := os.ReadDir(p.path("trees"))
	for _, e := range entries {
		if e.Name() != p.state.Best || p.state.Best == baseTree {
			_ = os.RemoveAll(p.path("trees", e.Name()))
		}
	}
	entries, _ = os.ReadDir(p.path("chains"))
	for _, e := range entries {
		if e.Name() != p.state.Best+".json" { // of a rung that a kill cut short
			_ = os.Remove(p.path("chains", e.Name()))
		}
	}
	return nil
}

// underWay reports whether an unfinished measurement will be resumed by another call. A plan measures nothing, so it
// removes only its own copies.
func (p *protocol) underWay() bool {
	if p.PlanOnly {
		return !p.planted
	}
	return p.result.Final != nil && p.result.Final.Verdict == verify.Invalid
}
