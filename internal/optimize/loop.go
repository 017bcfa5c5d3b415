package optimize

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"saturate/internal/human"
)

// climb repeats until nothing is worth trying: find where the time goes, predict the gain of each repair, try the one
// with the most gain per minute of measuring, keep or drop it. A dropped repair is tried again once something else
// bounds the step.
func (p *protocol) climb(ctx context.Context) error {
	for {
		here := p.standing(ctx)
		list, err := p.candidates(ctx, here)
		if err != nil {
			return err
		}
		if p.state.Best != baseTree && p.late() {
			p.stopped(here, list)
			return nil // what was kept is proven in the time that is left
		}
		next, found, short := p.next(list, here)
		if p.unsure(here, next, found) {
			if next, found = p.safeBet(list, here); !found {
				if err := p.lookAgain(ctx, here); err != nil {
					return err
				}
				continue
			}
		}
		if short {
			p.stopped(here, list)
			if p.state.Best == baseTree {
				return errBudget
			}
			return nil
		}
		if !found {
			next, found = p.again(list, here)
		}
		if !found {
			p.end(here, list)
			more, err := p.proposed(ctx, here)
			if err != nil || !more {
				return err
			}
			continue
		}
		began := p.Now()
		p.alone = !slices.ContainsFunc(list, func(c Candidate) bool { return c.ID != next.ID && c.Saves >= worth && p.ready(c, here) })
		rung, err := p.try(ctx, next, here)
		rung.Seconds = p.Now().Sub(began).Seconds()
		if errors.Is(err, errBudget) && p.state.Best != baseTree {
			p.stopped(here, list)
			return nil // the next call goes on with it
		}
		if err != nil {
			p.stopped(here, list)
			return err
		}
		if err := p.decided(rung); err != nil {
			return err
		}
	}
}

// decided remembers a rung and shows it.
func (p *protocol) decided(rung Rung) error {
	p.settle(rung)
	if err := p.save(); err != nil {
		return err
	}
	p.prune()
	p.tell(Event{Phase: Climbing, Rung: &rung})
	return nil
}

// candidates are the repairs to try on the best program, the most gain per minute of measuring first.
func (p *protocol) candidates(ctx context.Context, here *Baseline) ([]Candidate, error) {
	made, ok := p.plans[p.state.Best]
	if !ok {
		var err error
		if made, err = p.plan(ctx, p.best(), here); err != nil {
			return nil, err
		}
		if p.plans == nil {
			p.plans = map[string]plan{}
		}
		p.plans[p.state.Best] = made
	}
	p.pool(made.candidates)
	list := slices.DeleteFunc(slices.Clone(made.candidates), func(c Candidate) bool { return p.wasKept(c.ID) || p.chosen(c) })
	if at := slices.IndexFunc(p.result.Candidates, func(c Candidate) bool { return c.ID == builtGroup.id }); at >= 0 && p.nothingToBuild() == "" && !p.wasKept(builtGroup.id) {
		built := p.result.Candidates[at]
		built.Share = here.Shares.of(builtGroup.areas...)
		built.Saves = min(built.Share, 1-1/unknownGain)
		list = append(list, built)
	}
	list = append(list, p.swaps(list, here)...)
	for i := range list {
		p.doubt(&list[i], here)
	}
	slices.SortStableFunc(list, p.before(here))
	return list, nil
}

// chosen reports whether another candidate of the same choice was kept, so that this one is tried as a swap.
func (p *protocol) chosen(c Candidate) bool {
	return c.Choice != "" && c.Choice != loaderGroup.id && slices.ContainsFunc(p.kept(), func(r Rung) bool { return r.Choice == c.Choice })
}

// mostTries is how often a repair is tried.
const mostTries = 3

// grown is the increase in the expected saving, as a share of a step, from which a repair is tried again.
const grown = 0.1

// ready reports whether a candidate may be tried: it was not tried yet, or it made no difference when something else
// bounded the step or when it could save less.
func (p *protocol) ready(c Candidate, here *Baseline) bool {
	if c.ID == builtGroup.id && p.nothingToBuild() != "" {
		return false
	}
	tries := 0
	for _, r := range p.state.Rungs {
		if r.ID != c.ID {
			continue
		}
		tries++
		switch r.Decision {
		case Useless, Harmful:
			if r.Bound == here.bound() && c.Saves < r.Saves+grown && (c.Predicted != nil || c.Share < r.Share+grown) {
				return false
			}
		case NotNeeded:
			if r.From == p.state.Best {
				return false
			}
		default:
			return false
		}
	}
	return tries < mostTries
}

// End is why nothing more was tried.
type End struct {
	Reason EndReason `json:"reason,omitempty"`
	Busy   float64   `json:"gpu_busy,omitempty"` // of the GPU, where there is a trace
	Bound  string    `json:"bound,omitempty"`    // what the step waits for most
	Text   string    `json:"text,omitempty"`     // the reason in a sentence
}

// EndReason is one of the ways to end.
type EndReason string

const (
	EndKernels EndReason = "kernels" // the GPU computes nearly all the time
	EndNothing EndReason = "nothing" // nothing that is left is predicted to be worth it
	EndBudget  EndReason = "budget"
)

// saturated is the share of the time from which the GPU's kernels count as the bottleneck.
const saturated = 0.9

// end returns why nothing more is tried, and the gains that remain.
func (p *protocol) end(here *Baseline, list []Candidate) {
	e := End{Reason: EndNothing, Busy: here.Busy, Bound: here.bound()}
	e.Text = fmt.Sprintf("no other fix is predicted to save %s", human.Percent(worth))
	if here.Busy >= saturated {
		e.Reason, e.Text = EndKernels, fmt.Sprintf("the GPU computes %s of the time, so its kernels are the bottleneck", human.Percent(here.Busy))
	}
	p.result.End = e
	p.result.Left = p.left(here, list)
	p.untried = p.notTried(here, list)
}

// stopped returns the gains that remain when the time was up.
func (p *protocol) stopped(here *Baseline, list []Candidate) {
	p.result.End = End{Reason: EndBudget, Busy: here.Busy, Bound: here.bound(), Text: "the budget is used up"}
	p.result.Left = p.left(here, list)
}

// notTried are the candidates without a rung: not worth trying, or settled by another repair.
func (p *protocol) notTried(here *Baseline, list []Candidate) (rungs []Rung) {
	for _, c := range p.result.Candidates {
		if slices.ContainsFunc(p.state.Rungs, func(r Rung) bool { return r.ID == c.ID }) {
			continue
		}
		rung := Rung{Candidate: c, Pass: 1, Decision: NotNeeded, Because: "superseded by an earlier fix"}
		at := slices.IndexFunc(list, func(x Candidate) bool { return x.ID == c.ID })
		switch {
		case c.ID == builtGroup.id && p.nothingToBuild() != "":
			rung.Because = p.nothingToBuild()
		case at >= 0:
			rung.Candidate = list[at]
			if kept := p.insteadOf(list[at]); kept != "" {
				rung.Because = "an alternative to " + kept + ", which was kept"
				break
			}
			rung.Because = fmt.Sprintf("not worth trying: it would save %s of a step", human.Percent(list[at].Saves))
			if c.onlyData() && list[at].Share < worth { // else workers take cores, and the fix would free few of them
				rung.Because = fmt.Sprintf("not worth trying: waiting for data now takes %s of a step", human.Percent(here.Shares.Data))
			}
		}
		rungs = append(rungs, rung)
	}
	return rungs
}
