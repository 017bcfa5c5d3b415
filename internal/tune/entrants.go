package tune

import (
	"context"
	"fmt"
	"slices"
	"time"

	"saturate/internal/human"
	"saturate/internal/tune/setting"
)

// plan says who takes part, once: the candidates that are in effect when they are tried, as many as the budget holds.
func (t *tuner) plan(ctx context.Context, base []setting.Choice) error {
	if t.state.Entries != nil {
		return nil
	}
	singles := t.Selection.Candidates
	if t.Measure {
		singles = slices.Concat(t.Selection.Use, singles)
	}
	t.state.Skipped, t.state.Entries = map[string]string{}, []string{}
	var (
		entries []string
		walls   []time.Duration // of a run of each
		one     = time.Duration(t.state.Look.WallSeconds * float64(time.Second))
		warm    = false // the first run of a day reads its libraries from the disk
		tight   = false // there is no time for any
		beside  = min(1, len(base))
		most    = min(t.Candidates, len(singles))
	)
	for _, c := range promising(singles) {
		fits, _ := fitting(one, slices.Repeat([]time.Duration{one}, most+beside), beside > 0, t.left(), t.Pairs)
		switch {
		case idle(c, t.state.Look.Libraries):
			t.state.Skipped[c.Name] = unused(c)
		case len(entries) == most:
			t.state.Skipped[c.Name] = fmt.Sprintf("only %s measured (--candidates)",
				human.Plural(t.Candidates, "candidate")+human.Choose(t.Candidates, " is", " are"))
		case warm && !own(c) && len(entries) >= max(min(1, len(fits)), len(fits)-beside): // a budget for one is for a candidate
			tight = len(fits) == 0
			t.state.Skipped[c.Name] = fmt.Sprintf("a run takes %s: a budget of %v is for %s (--budget)",
				human.Duration(one.Seconds()), t.Budget, human.Plural(len(fits), "measurement"))
		default:
			reason, wall, err := t.rehearse(ctx, base, c)
			if err != nil {
				return err
			}
			if wall > 0 {
				one, warm = min(one, wall), true
			}
			if reason != "" {
				t.state.Skipped[c.Name] = reason
				continue
			}
			entries, walls = append(entries, c.Name), append(walls, wall)
		}
	}
	t.state.Look.WallSeconds = one.Seconds()
	if beside > 0 { // measured first: candidates come on top of what is left of it
		entries, walls = slices.Insert(entries, 0, baseEntry), slices.Insert(walls, 0, one)
	}
	t.enter(entries, walls, one, tight)
	return t.save()
}

// enter takes as many entries as the budget holds; walls are the times of a run of each, one that of the program alone.
func (t *tuner) enter(entries []string, walls []time.Duration, one time.Duration, tight bool) {
	hasBase := len(entries) > 0 && entries[0] == baseEntry
	kept, pairs := fitting(one, walls, hasBase, t.left(), t.Pairs)
	if len(kept) == 1 && len(entries) > 1 && entries[kept[0]] == baseEntry {
		kept[0] = 1
	}
	for i, name := range entries {
		if slices.Contains(kept, i) {
			t.state.Entries = append(t.state.Entries, name)
		} else {
			t.state.Skipped[name] = fmt.Sprintf("a run with it takes %s, too long for the rest of the budget of %v "+
				"(--budget)", human.Duration(walls[i].Seconds()), t.Budget)
		}
	}
	if len(kept) == 0 && (len(entries) > 0 || tight) {
		t.state.Skipped[""] = fmt.Sprintf("a run takes %s: a budget of %v is for %s, and one candidate needs %d (--budget)",
			human.Duration(one.Seconds()), t.Budget, human.Plural(int(t.Budget/max(one, 1)),
				"run"), 2*(pairsFor(1)+confirmPairs))
	}
	t.state.Pairs = pairs
}

// idle reports whether a setting is for a library that the program does not use; used are those that it imported.
func idle(c setting.Choice, used []string) bool {
	return c.Library != "" && len(used) > 0 && !slices.Contains(used, c.Library)
}

func unused(c setting.Choice) string { return "the program does not use " + c.Library }

// first are the settings that most often pay, so that they are tried first.
var first = []string{
	"compile-reduce-overhead", "compile", "bf16-autocast", "cudnn-benchmark", "channels-last", "sdpa-cudnn", "sdpa-flash",
	"threads-half", "jemalloc", "tcmalloc", "kept-memory", "bound-threads", "threads-one", "huge-pages",
}

// promising puts first what most often pays.
func promising(set []setting.Choice) []setting.Choice {
	rank := func(c setting.Choice) int {
		if own(c) {
			return -1
		}
		if at := slices.Index(first, c.Name); at >= 0 {
			return at
		}
		return len(first)
	}
	sorted := slices.Clone(set)
	slices.SortStableFunc(sorted, func(a, b setting.Choice) int { return rank(a) - rank(b) })
	return sorted
}

// own reports whether a setting is the user's own, which is always tested, and not one of the table.
func own(c setting.Choice) bool {
	_, ours := setting.Find(c.Name)
	return !ours
}

// rehearse runs the program once with a candidate: one that it crashes with, or that does not take effect, is not worth
// measuring. wall is how long a whole run took, 0 where it was none.
func (t *tuner) rehearse(ctx context.Context, base []setting.Choice, c setting.Choice) (reason string, wall time.Duration, err error) {
	if t.expired() {
		return "not tried: the budget ran out (--budget)", 0, nil
	}
	t.tell(Event{Text: "trying " + c.Name})
	out, err := t.attempt(ctx, setting.With(base, c), t.Steps, false, false)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return "", 0, err
	}
	seen := observations(out)
	t.heard(seen)
	l := lineOf(c)
	l.observe(seen)
	switch {
	case out.TimedOut:
		return fmt.Sprintf("the program did not finish within %v", t.Timeout), 0, nil
	case crashed(out):
		t.fallBack("the program crashes with %s: dropped", c.Name)
		t.state.Fallback = slices.Clone(t.result.Fallback)
		return fmt.Sprintf("the program crashes, with %s after %s", human.Exit(out.Exit), human.Plural(len(out.Run.Steps),
			"step")), 0, nil
	case slices.Contains([]State{NotInEffect, Failed, NotReached, Overwritten}, l.State):
		reason = "not in effect: " + l.Problem
	case l.State == ByProgram:
		reason = l.Problem
	}
	return reason, time.Duration(out.Run.WallSeconds * float64(time.Second)), nil
}
