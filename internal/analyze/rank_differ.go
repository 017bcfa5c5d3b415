package analyze

import (
	"fmt"

	"saturate/internal/human"
)

// differ names the rank that holds a job up and says what it does differently: the one that
// the others wait for, else the one that waits most for data or has the longest steps. It
// is -1 where all ranks are alike. Slow and fast are the ranks that wait least and most in
// collectives.
func (r *Ranks) differ(slow, fast Rank) (worst int, sentence string) {
	aStep := human.Choose(min(slow.Steps, 1), " a step", "")
	if r.Slowest >= 0 {
		who, most := "The other ranks wait", "up to "
		if len(r.Rows) == 2 {
			who, most = fmt.Sprintf("Rank %d waits", fast.Rank), ""
		}
		why := because(slow, fast, r.SkewNS)
		if r.Late != nil {
			most, why = human.Choose(min(len(r.Rows)-2, 1), "on average ", ""), r.Late.because(slow)
		}
		return slow.Rank, fmt.Sprintf("%s for rank %d, %s%s%s%s.", who, slow.Rank, most, human.Nanoseconds(r.SkewNS),
			aStep, why)
	}
	hungry, fed := extremes(r.Rows, func(x Rank) int64 { return x.DataLoadingNS })
	long, short := extremes(r.Rows, func(x Rank) int64 { return x.StepNS })
	data, length := hungry.DataLoadingNS-fed.DataLoadingNS, long.StepNS-short.StepNS
	switch {
	case data >= length && data*50 > long.StepNS:
		return hungry.Rank, fmt.Sprintf("Rank %d slows the job most%s.", hungry.Rank, because(hungry, fed, data))
	case length*20 > long.StepNS: // lengths vary more than waits do
		return long.Rank, fmt.Sprintf("Rank %d has the longest steps, %s on average; rank %d takes %s%s.",
			long.Rank, human.Nanoseconds(long.StepNS), short.Rank, human.Nanoseconds(short.StepNS), because(long, short, length))
	}
	sentence = fmt.Sprintf("The %d ranks differ little", len(r.Rows))
	if long.StepNS > 0 {
		sentence += fmt.Sprintf(": a step takes %s to %s on average", human.Nanoseconds(short.StepNS),
			human.Nanoseconds(long.StepNS))
	}
	return -1, sentence + "."
}

// because names what the slow rank does longer than the fast one, where that is a good part of the time lost.
func because(slow, fast Rank, lost int64) string {
	what, most := "", lost/4
	var s, f int64
	for _, c := range []struct {
		text       string
		slow, fast int64
	}{
		{"waiting for data", slow.DataLoadingNS, fast.DataLoadingNS},
		{"computing", slow.ComputeNS, fast.ComputeNS},
		{"other GPU idle time", slow.IdleNS - slow.DataLoadingNS, fast.IdleNS - fast.DataLoadingNS},
	} {
		if c.slow-c.fast > most {
			what, most, s, f = c.text, c.slow-c.fast, c.slow, c.fast
		}
	}
	if what == "" {
		return ""
	}
	if slow.Steps == 0 || fast.Steps == 0 {
		return fmt.Sprintf(": on rank %d %s takes %s, on rank %d %s", slow.Rank, what, human.Nanoseconds(s), fast.Rank,
			human.Nanoseconds(f))
	}
	return fmt.Sprintf(": on rank %d %s takes %s of a step (%s), on rank %d %s (%s)",
		slow.Rank, what, human.Nanoseconds(s), human.Percent(share(s, slow.StepNS)), fast.Rank, human.Nanoseconds(f), human.Percent(share(f, fast.StepNS)))
}

// because says what a late rank did longer than the others before it came.
func (l *Late) because(row Rank) string {
	aStep := human.Choose(min(row.Steps, 1), " a step", "")
	if l.CauseNS-l.OthersNS < l.WaitNS/4 {
		return "; what it does longer is not in the trace"
	}
	text := fmt.Sprintf(": %s takes %s%s, on the others %s", l.what(), human.Nanoseconds(l.CauseNS), aStep,
		human.Nanoseconds(l.OthersNS))
	switch {
	case !l.stretch.computes() || l.Work == 0:
	case l.Work > 1.1:
		text += fmt.Sprintf("; it has %.1f× the work", l.Work)
	default:
		text += " for the same work"
	}
	if l.OfSteps > 1 && 2*l.Steps < l.OfSteps {
		text += fmt.Sprintf(" (in %d of %d steps)", l.Steps, l.OfSteps)
	}
	return text
}

// what names the cause and, where the trace tells, its place.
func (l *Late) what() string {
	if l.Place == "" || l.stretch.computes() {
		return l.Cause
	}
	return fmt.Sprintf("%s (%s)", l.Cause, l.Place)
}
