package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Part is one of several experiments that are carried out together.
type Part struct {
	Plan Plan
	Dir  string // as in Options
}

// Together carries out experiments that have variants in common: each round runs every variant once, in random order,
// and is a block of all experiments that name it. So a baseline that many candidates are compared with costs one run in
// each round. Each experiment is judged separately and errs as often as alone; Holm's correction allows their
// errors to be correlated. They have the same number of pairs and steps, seed and patience, and no A/A pairs.
// Options.Dir is not looked at.
func Together(ctx context.Context, parts []Part, opt Options) ([]Result, error) {
	for _, part := range parts {
		if !part.Plan.alike(parts[0].Plan) {
			return nil, fmt.Errorf("%s differs from %s in more than its variants", part.Plan.After.Name,
				parts[0].Plan.After.Name)
		}
	}
	group := make([]*experiment, 0, len(parts))
	for _, part := range parts {
		o := opt
		o.Dir = part.Dir
		e, done, err := open(part.Plan, o)
		if err != nil {
			return nil, err
		}
		defer done()
		group = append(group, e)
	}
	if err := rounds(ctx, group); err != nil {
		return nil, err
	}
	var results []Result
	for _, e := range group {
		result, err := e.judge()
		if err == nil && result.Verdict == Faster { // what is not claimed need not be looked at
			if err = e.look(ctx); err != nil {
				return nil, e.stopped(err)
			}
			result, err = e.judge()
		}
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// alike reports whether a run can be part of both experiments.
func (p Plan) alike(other Plan) bool {
	a, b := p.Defaults(), other.Defaults()
	return a.Calibration+b.Calibration == 0 && a.Pairs == b.Pairs && a.Steps == b.Steps && a.Seed == b.Seed &&
		a.Timeout == b.Timeout && a.Budget == b.Budget
}

// rounds runs the blocks of all experiments side by side.
func rounds(ctx context.Context, group []*experiment) error {
	if len(group) == 0 {
		return nil
	}
	one := group[0]
	started := one.opt.Now()
	for number := range one.slots {
		for {
			waiting := slices.DeleteFunc(slices.Clone(group), func(e *experiment) bool { return e.has(number) || e.over() })
			if len(waiting) == 0 {
				break
			}
			if ctx.Err() != nil {
				return waiting[0].stopped(ctx.Err())
			}
			if one.plan.Budget > 0 && one.opt.Now().Sub(started) > one.plan.Budget {
				for _, e := range group {
					e.outOfBudget = !e.over() && e.counted() < len(e.slots)
				}
				return nil
			}
			if err := round(ctx, waiting, number); err != nil {
				if ctx.Err() != nil {
					return waiting[0].stopped(ctx.Err())
				}
				return err
			}
		}
	}
	return nil
}

// arm is a variant in a round, with the experiments whose block its run belongs to.
type arm struct {
	variant Variant
	in      []*experiment
	sides   []int // in each of them: 0 is before, 1 is after
	outcome Outcome
	turn    int // when it ran, from 1; 0 as long as it did not
}

// arms are the different variants of some experiments. Those of one experiment are two even when they are the same: a
// run is never compared with itself.
func arms(group []*experiment) (list []*arm) {
	for _, e := range group {
		for side, v := range []Variant{e.plan.Before, e.plan.After} {
			i := slices.IndexFunc(list, func(a *arm) bool { return a.variant.key() == v.key() && !slices.Contains(a.in, e) })
			if i < 0 {
				i = len(list)
				list = append(list, &arm{variant: v})
			}
			list[i].in, list[i].sides = append(list[i].in, e), append(list[i].sides, side)
		}
	}
	return list
}

// wanted reports whether the run is of use to anybody: to an experiment whose other variant has just failed it is not.
func (a *arm) wanted(list []*arm) bool {
	return slices.ContainsFunc(a.in, func(e *experiment) bool {
		return !slices.ContainsFunc(list, func(b *arm) bool { return b.outcome.failed() && slices.Contains(b.in, e) })
	})
}

// round runs each variant of some experiments once, and makes a block of it for each of them.
func round(ctx context.Context, group []*experiment, number int) (err error) {
	one, list := group[0], arms(group)
	for i, at := range arrangement(one.plan.Seed, number, len(list)) {
		a := list[at]
		if !a.wanted(list) {
			continue
		}
		side := [2]Side{Before, After}[a.sides[0]]
		event := Event{Block: number + 1, Side: side, Runs: number*len(list) + i, AllRuns: len(one.slots) * len(list)}
		if a.outcome, err = a.in[0].arm(ctx, a.variant, a.sides[0], one.slots[number], event); err != nil {
			return err
		}
		a.turn = i + 1
	}
	for _, e := range group {
		if err := e.take(list, number); err != nil {
			return err
		}
	}
	return nil
}

// take makes a block of the runs that a round had for an experiment, in the order in which they were made.
func (e *experiment) take(list []*arm, number int) error {
	b := Block{Number: number, Attempt: e.attempts(number), Seed: e.slots[number].seed, Order: [2]int{0, 1}}
	var turns [2]int
	for _, a := range list {
		if i := slices.Index(a.in, e); i >= 0 {
			b.Outcomes[a.sides[i]], turns[a.sides[i]] = a.outcome, a.turn
		}
	}
	if turns[0] == 0 || turns[1] > 0 && turns[1] < turns[0] {
		b.Order = [2]int{1, 0}
	}
	e.conclude(&b)
	return e.add(b)
}

// arrangement is a random order of n variants. Every second round runs the one before backwards: a machine that gets
// slower by and by favours nobody.
func arrangement(seed uint64, round, n int) []int {
	order := rand.New(rand.NewPCG(seed, uint64(round/2))).Perm(n)
	if round%2 == 1 {
		slices.Reverse(order)
	}
	return order
}

// key tells variants apart by what is run.
func (v Variant) key() string {
	return strings.Join(slices.Concat([]string{v.Dir, v.Fingerprint}, v.Command, []string{"\x01"}, v.Env), "\x00")
}
