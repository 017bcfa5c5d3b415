package optimize

import (
	"context"
	"fmt"
	"math"
	"slices"

	"saturate/internal/verify"
)

// A proof can fail although no try did: the loss drifts apart over more steps than a try makes, or several fixes
// together change it. Then one fix is taken out, and the rest is proven, so that a program is not left as it was because
// of one fix out of many.

// retreat takes a fix out of the best program after a proof that failed because of the results. It reports whether there
// is something else to prove.
func (p *protocol) retreat(ctx context.Context, failed verify.Result) (bool, error) {
	at := p.suspect(failed)
	if at < 0 || len(p.kept()) < 2 || p.expired() {
		return false, nil
	}
	bad, from := &p.state.Rungs[at], p.best()
	to := p.tree(from.name + "-" + bad.Tree)
	if err := graft(from, to, p.shared()); err != nil {
		return false, fmt.Errorf("cannot copy the best program so far: %w", err)
	}
	list, err := p.chain(from.name)
	if err != nil {
		return false, err
	}
	link := slices.IndexFunc(list, func(l link) bool { return l.Tree == bad.Tree })
	if link < 0 {
		return false, nil
	}
	if err := unwind(list[link:], to); err != nil {
		return false, err
	}
	rest, err := p.rewind(ctx, bad, list[link+1:], to)
	if err != nil {
		return false, nil // the other fixes need it, and the failed proof stands
	}
	if err := p.saveChain(to.name, append(slices.Clone(list[:link]), rest...)); err != nil {
		return false, err
	}
	p.stands(to.name, p.here())
	if p.state.Cut == nil {
		p.state.Cut = map[string]string{}
	}
	p.state.Cut[to.name], p.state.Best = from.name, to.name
	bad.Decision, bad.Because = Wrong, "kept at first, and taken out after the proof: "+failed.Reason
	p.tell(Event{Phase: Climbing, Rung: bad})
	return true, p.save()
}

// suspect is the index of the kept fix that most likely made a proof fail: the one that moved the loss most in its try
// or, if the samples differ, one whose samples were not looked at. It is -1 if there is none.
func (p *protocol) suspect(failed verify.Result) int {
	may := map[verify.Cause]func(Rung) bool{
		verify.BySamples:  func(r Rung) bool { return !r.feeds() },
		verify.ByAccuracy: func(r Rung) bool { return numericsOf(r) != verify.Same },
	}[failed.Cause]
	at, most := -1, 0.0
	if failed.Verdict != verify.Invalid || may == nil {
		return at
	}
	for i, r := range p.state.Rungs {
		if r.Decision != Kept || r.Command != nil || r.ID == offlineGroup.id || r.ID == builtGroup.id || !may(r) {
			continue
		}
		if moved := math.Abs(float64(r.LossChange)); moved >= most { // not where it is not known
			at, most = i, moved
		}
	}
	return at
}
