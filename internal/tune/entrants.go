package tune

import (
	"context"
	"fmt"
	"slices"
	"time"

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
	var entries []string
	if len(base) > 0 {
		entries = append(entries, baseEntry)
	}
	most := t.Candidates + len(entries)
	one, guess, err := t.guess(ctx, base, min(most, len(entries)+len(singles)))
	if err != nil {
		return err
	}
	walls := slices.Repeat([]time.Duration{one}, len(entries))
	for _, c := range promising(singles) {
		switch {
		case c.Library != "" && !slices.Contains(t.state.Look.Libraries, c.Library) && len(t.state.Look.Libraries) > 0:
			t.state.Skipped[c.Name] = "the program does not use " + c.Library
		case len(entries) == most:
			t.state.Skipped[c.Name] = fmt.Sprintf("only %d candidates are measured (--candidates)", t.Candidates)
		case len(entries) >= len(guess):
			t.state.Skipped[c.Name] = fmt.Sprintf("a run takes %.3g s: a budget of %v holds %d of the measurements (--budget)", one.Seconds(), t.Budget, len(guess))
		default:
			reason, wall, err := t.rehearse(ctx, base, c)
			if err != nil {
				return err
			}
			if reason != "" {
				t.state.Skipped[c.Name] = reason
				continue
			}
			entries, walls = append(entries, c.Name), append(walls, max(one, wall))
		}
	}
	budget := t.Budget
	if budget > 0 {
		budget = max(1, t.deadline.Sub(t.Now()))
	}
	kept, pairs := fitting(one, walls, budget, t.Pairs)
	if len(kept) == 1 && len(entries) > 1 && entries[kept[0]] == baseEntry {
		kept[0] = 1 // a budget for one is for a candidate
	}
	for i, name := range entries {
		if slices.Contains(kept, i) {
			t.state.Entries = append(t.state.Entries, name)
		} else {
			t.state.Skipped[name] = fmt.Sprintf("a run with it takes %.3g s, too long for what is left of the budget of %v (--budget)", walls[i].Seconds(), t.Budget)
		}
	}
	if len(kept) == 0 && len(entries) > 0 || len(singles) > 0 && len(guess) == 0 {
		t.state.Skipped[""] = fmt.Sprintf("a run takes %.3g s: a budget of %v holds %d runs, and one candidate needs %d (--budget)",
			one.Seconds(), t.Budget, int(t.Budget/max(one, 1)), 2*(pairsFor(1)+confirmPairs))
	}
	t.state.Pairs = pairs
	return t.save()
}

// guess is how long a run takes, and which of so many measurements there will be time for. Where that is not all of them
// the program is run once more: the first run of a day reads its libraries from the disk.
func (t *tuner) guess(ctx context.Context, base []setting.Choice, most int) (one time.Duration, kept []int, err error) {
	for attempt := range 2 {
		one = time.Duration(t.state.Look.WallSeconds * float64(time.Second))
		kept, _ = fitting(one, slices.Repeat([]time.Duration{one}, most), t.Budget, t.Pairs)
		if len(kept) == most || attempt > 0 {
			break
		}
		out, err := t.attempt(ctx, base, t.Steps, false, false)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return one, nil, err
		}
		t.state.Look.WallSeconds = min(t.state.Look.WallSeconds, out.Run.WallSeconds)
	}
	return one, kept, nil
}

// first are the settings that most often pay, so that they are tried first.
var first = []string{
	"compile-reduce-overhead", "compile", "bf16-autocast", "cudnn-benchmark", "channels-last", "sdpa-cudnn", "sdpa-flash",
	"threads-half", "jemalloc", "tcmalloc", "kept-memory", "bound-threads", "threads-one", "huge-pages",
}

// promising puts first what most often pays.
func promising(set []setting.Choice) []setting.Choice {
	rank := func(c setting.Choice) int {
		if _, ours := setting.Find(c.Name); !ours {
			return -1 // the user's own, who wants to know
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

// rehearse runs the program once with a candidate: one that it crashes with, or that does not take effect, is not worth
// measuring.
func (t *tuner) rehearse(ctx context.Context, base []setting.Choice, c setting.Choice) (reason string, wall time.Duration, err error) {
	if t.expired() {
		return "the budget was used up before it was tried (--budget)", 0, nil
	}
	t.tell(Event{Text: "trying " + c.Name})
	out, err := t.attempt(ctx, append(base[:len(base):len(base)], c), t.Steps, false, false)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return "", 0, err
	}
	seen := observations(out)
	t.heard(seen)
	wall = time.Duration(out.Run.WallSeconds * float64(time.Second))
	l := lineOf(c)
	l.observe(seen)
	switch {
	case out.TimedOut:
		return fmt.Sprintf("the program had not finished after %v with it", t.Timeout), wall, nil
	case crashed(out):
		t.fallBack("the program crashes with %s: dropped", c.Name)
		t.state.Fallback = slices.Clone(t.result.Fallback)
		return fmt.Sprintf("the program crashes with it, with exit code %d after %d steps", out.Exit, len(out.Run.Steps)), wall, nil
	case slices.Contains([]State{NotInEffect, Failed, NotReached, Overwritten}, l.State):
		return "it is not in effect: " + l.Problem, wall, nil
	}
	return "", wall, nil
}
