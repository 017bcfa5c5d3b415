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

// Together carries out experiments that have variants in common: each round runs every variant once, in random order, and
// is a block of all experiments that name it. So a baseline that many candidates are compared with costs one run in each
// round. Each experiment is judged by itself and errs as often as alone; that their errors come together is no matter for
// Holm's correction. They have the same number of pairs and steps, and no A/A pairs. Options.Dir is not looked at.
func Together(ctx context.Context, parts []Part, opt Options) ([]Result, error) {
	group := make([]*experiment, 0, len(parts))
	for _, part := range parts {
		o := opt
		o.Dir = part.Dir
		e, done, err := open(part.Plan, o)
		if err != nil {
			return nil, err
		}
		defer done()
		if first := parts[0].Plan; part.Plan.Calibration > 0 || part.Plan.Pairs != first.Pairs || part.Plan.Steps != first.Steps {
			return nil, fmt.Errorf("%s differs from %s in more than its variants", part.Plan.After.Name, first.After.Name)
		}
		group = append(group, e)
	}
	if err := rounds(ctx, group); err != nil {
		return nil, err
	}
	var results []Result
	for _, e := range group {
		result, err := e.judge()
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
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
			waiting := slices.DeleteFunc(slices.Clone(group), func(e *experiment) bool {
				return e.has(number) || e.fatal() || e.attempts(number) >= mostAttempts || e.gaveUp(number)
			})
			if len(waiting) == 0 {
				break
			}
			if ctx.Err() != nil {
				return one.stopped(ctx.Err())
			}
			if one.plan.Budget > 0 && one.opt.Now().Sub(started) > one.plan.Budget {
				for _, e := range waiting {
					e.outOfBudget = true
				}
				return nil
			}
			if err := round(ctx, waiting, number); err != nil {
				if ctx.Err() != nil {
					return one.stopped(ctx.Err())
				}
				return err
			}
		}
	}
	return nil
}

// gaveUp tells of an experiment with an earlier block that the machine spoilt too often: no later one is worth running.
func (e *experiment) gaveUp(before int) bool {
	for i := range before {
		if !e.has(i) && e.attempts(i) >= mostAttempts {
			return true
		}
	}
	return false
}

// round runs each variant of some experiments once, and makes a block of it for each of them.
func round(ctx context.Context, group []*experiment, number int) (err error) {
	var arms []Variant
	at := func(v Variant) int {
		return slices.IndexFunc(arms, func(a Variant) bool { return a.key() == v.key() })
	}
	for _, e := range group {
		for _, v := range []Variant{e.plan.Before, e.plan.After} {
			if at(v) < 0 {
				arms = append(arms, v)
			}
		}
	}
	one := group[0]
	order := arrangement(one.plan.Seed, number, len(arms))
	outcomes, position := make([]Outcome, len(arms)), make([]int, len(arms))
	for i, arm := range order {
		position[arm] = i
		// The trial is told of as the experiment's whose variant it is.
		e := group[slices.IndexFunc(group, func(e *experiment) bool { return at(e.plan.Before) == arm || at(e.plan.After) == arm })]
		which, side := 1, After
		if at(e.plan.Before) == arm {
			which, side = 0, Before
		}
		event := Event{Block: number + 1, Side: side, Runs: number*len(arms) + i, AllRuns: len(one.slots) * len(arms)}
		if outcomes[arm], err = e.arm(ctx, arms[arm], which, one.slots[number], event); err != nil {
			return err
		}
	}
	for _, e := range group {
		x, y := at(e.plan.Before), at(e.plan.After)
		b := Block{Number: number, Attempt: e.attempts(number), Seed: one.slots[number].seed, Order: [2]int{0, 1}, Outcomes: [2]Outcome{outcomes[x], outcomes[y]}}
		if position[y] < position[x] {
			b.Order = [2]int{1, 0}
		}
		e.conclude(&b)
		e.blocks = append(e.blocks, b)
		if err := e.store.save(b); err != nil {
			return err
		}
	}
	return nil
}

// arrangement is a random order of n variants. Every second round runs the one before backwards: a machine that gets slower
// by and by favours nobody.
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
