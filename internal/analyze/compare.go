package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"saturate/internal/human"
	"saturate/internal/stat"
)

// Comparison says what changed from one trace to another. All times are per step, or over
// the whole trace where one side has no steps. Steps of two traces without a GPU are the host's.
type Comparison struct {
	Before    Side             `json:"before"`
	After     Side             `json:"after"`
	PerStep   bool             `json:"per_step"`             // times are per step, not over the whole trace
	OnHost    bool             `json:"on_host,omitempty"`    // neither side shows a GPU: times are the host's
	DeltaNS   int64            `json:"delta_ns"`             // after minus before
	StepTimes *stat.Comparison `json:"step_times,omitempty"` // where both sides have enough steps
	Parts     []Change         `json:"parts"`                // of a step; they add up to delta_ns
	Operators []Change         `json:"operators"`            // by GPU time of their own, or by the host's
	HostCalls OperatorDiff     `json:"host_calls"`           // operators and runtime calls that the host makes more or less often
	Kernels   []Change         `json:"kernels"`
	Notes     []string         `json:"notes"` // what a reader has to know about the comparison
}

// Side is one of the two traces.
type Side struct {
	Name    string  `json:"name"` // of the trace, or how many ranks there are and where
	Trace   Source  `json:"trace"`
	Verdict Verdict `json:"verdict"`
	Steps   int     `json:"steps"`       // steps in the trace
	NS      int64   `json:"ns"`          // of a step, or of the trace
	IdleNS  int64   `json:"gpu_idle_ns"` // the GPU was idle
	BusyNS  int64   `json:"gpu_busy_ns"` // the GPU was busy
}

// Change is how one thing changed.
type Change struct {
	Name        string   `json:"name"`                   // of the part, operator or kernel
	After       string   `json:"after_name,omitempty"`   // where it has another name now
	Operator    string   `json:"operator,omitempty"`     // that launches the kernel
	MatchedBy   string   `json:"matched_by"`             // name, operator; before or after when it is on one side alone
	BeforeNS    int64    `json:"before_ns"`              // time before
	AfterNS     int64    `json:"after_ns"`               // time after
	BeforeCount float64  `json:"before_count,omitempty"` // calls or launches before, as the times are counted
	AfterCount  float64  `json:"after_count,omitempty"`  // calls or launches after
	Share       float64  `json:"share"`                  // of the difference; negative when it went the other way
	P           *float64 `json:"p,omitempty"`            // Mann-Whitney over steps, adjusted by Holm's method
}

// DeltaNS is after minus before.
func (c Change) DeltaNS() int64 { return c.AfterNS - c.BeforeNS }

// Significant reports whether steps of both sides tell the change from chance.
func (c Change) Significant() bool { return c.P != nil && *c.P <= stat.Alpha }

// Compare compares two analyses, a before and b after.
func Compare(a, b Analysis) Comparison {
	c := Comparison{PerStep: len(a.Steps) > 0 && len(b.Steps) > 0}
	before, after := stepTimes(a.Steps), stepTimes(b.Steps)
	if len(a.GPUs) == 0 && len(b.GPUs) == 0 && a.all.stepNS > 0 && b.all.stepNS > 0 {
		c.OnHost, c.PerStep = true, true
		before, after = a.all.hostSteps, b.all.hostSteps
	}
	c.Before, c.After = c.side(a), c.side(b)
	c.DeltaNS = c.After.NS - c.Before.NS
	if c.PerStep {
		if !c.OnHost {
			c.Parts = compareParts(a.Steps, b.Steps, c.DeltaNS)
		}
		if enough(c.Before.Steps, c.After.Steps) {
			times := stat.Compare(before, after)
			c.StepTimes = &times
		} else {
			c.Notes = append(c.Notes, fmt.Sprintf("%d and %s are too few to tell a difference from chance; record at least 4 on each side", c.Before.Steps, human.Plural(c.After.Steps, "step")))
		}
	} else {
		c.Notes = append(c.Notes, "one side has no steps, so whole traces are compared: they may not contain the same amount of work")
	}
	for _, side := range []struct {
		when  string
		ranks *Ranks
	}{{"before", a.Ranks}, {"after", b.Ranks}} {
		if r := side.ranks; r != nil && len(r.Notes) == 0 {
			c.Notes = append(c.Notes, fmt.Sprintf("%[2]s: rank %[3]d of %[1]d is compared", r.World, side.when, r.Explained))
		}
	}
	c.Operators = c.compareOperators(a, b)
	c.Kernels = c.compareKernels(a, b)
	c.HostCalls = c.diffOperators(a, b)
	return c
}

// enough reports whether a test of ranks could find a difference at all: were all steps of one side faster than those
// of the other, that would be one order out of n+m over n, twice.
func enough(n, m int) bool {
	orders := 1.0
	for i := 1; i <= n; i++ {
		orders *= float64(m+i) / float64(i)
	}
	return 2/orders <= stat.Alpha
}

func (c *Comparison) side(a Analysis) Side {
	s := Side{Name: a.Name(), Trace: a.Trace, Verdict: a.Verdict, Steps: len(a.Steps)}
	if g := a.MainGPU(); g != nil {
		s.IdleNS, s.BusyNS, s.NS = g.Span.IdleNS, g.Span.BusyNS, g.Span.SpanNS
	}
	switch {
	case c.OnHost:
		s.Steps, s.NS = len(a.all.hostSteps.Values), a.all.stepNS
	case c.PerStep:
		m := Mean(a.Steps)
		s.NS, s.IdleNS = m.NS(), m.GPUIdleNS()
		s.BusyNS = s.NS - s.IdleNS
	}
	return s
}

func stepTimes(steps []Step) stat.Series {
	s := stat.Series{Name: "step", Unit: "s/it"}
	for _, step := range steps {
		s.Values = append(s.Values, float64(step.NS())/1e9)
	}
	return s
}

// compareParts compares the mean steps part by part. Parts that are small on both sides
// are listed but not tested: each test makes the others less sharp.
func compareParts(a, b []Step, delta int64) []Change {
	mean, other := Mean(a), Mean(b)
	before, after := mean.Parts(), other.Parts()
	var changes []Change
	var tested []int
	var tests []float64
	for i := range before {
		if before[i].NS == 0 && after[i].NS == 0 {
			continue
		}
		if enough(len(a), len(b)) && (100*before[i].NS >= mean.NS() || 100*after[i].NS >= other.NS()) {
			tested = append(tested, len(changes))
			tests = append(tests, stat.Compare(partSeries(a, i), partSeries(b, i)).P)
		}
		changes = append(changes, Change{Name: before[i].Name, MatchedBy: "name", BeforeNS: before[i].NS, AfterNS: after[i].NS})
	}
	if adjusted, err := stat.Holm(tests); err == nil {
		for k, i := range tested {
			changes[i].P = &adjusted[k]
		}
	}
	return ranked(changes, delta, len(changes))
}

func partSeries(steps []Step, part int) stat.Series {
	s := stat.Series{Name: PartNames[part], Unit: "s/it"}
	for _, step := range steps {
		s.Values = append(s.Values, float64(step.Parts()[part].NS)/1e9)
	}
	return s
}

// compareOperators matches operators by name.
func (c *Comparison) compareOperators(a, b Analysis) []Change {
	was := map[string]Operator{}
	for _, op := range a.all.operators {
		was[op.Name] = op
	}
	na, nb := c.divisors()
	own := func(op Operator) int64 {
		if c.OnHost {
			return op.HostSelfNS
		}
		return op.DeviceSelfNS
	}
	var changes []Change
	for _, op := range b.all.operators {
		old, ok := was[op.Name]
		delete(was, op.Name)
		ch := Change{
			Name: op.Name, MatchedBy: "name", BeforeNS: own(old) / na, AfterNS: own(op) / nb,
			BeforeCount: float64(old.Count) / float64(na), AfterCount: float64(op.Count) / float64(nb),
		}
		if !ok {
			ch.MatchedBy = "after"
		}
		changes = append(changes, ch)
	}
	for _, op := range a.all.operators {
		if _, left := was[op.Name]; left {
			changes = append(changes, Change{Name: op.Name, MatchedBy: "before", BeforeNS: own(op) / na, BeforeCount: float64(op.Count) / float64(na)})
		}
	}
	changes = slices.DeleteFunc(changes, func(ch Change) bool { return ch.BeforeNS == 0 && ch.AfterNS == 0 })
	return ranked(changes, c.DeltaNS, mostChanges)
}

// mostChanges is how many changes a list keeps.
const mostChanges = 20

// compareKernels matches kernels by name, and those that are on one side alone by the
// operator that launched them: another precision or another GPU brings other names.
func (c *Comparison) compareKernels(a, b Analysis) []Change {
	na, nb := c.divisors()
	was := map[string]Kernel{}
	for _, k := range a.all.kernels {
		was[k.Name] = k
	}
	var changes []Change
	newer := map[string]*Change{} // by operator
	for _, k := range b.all.kernels {
		old, ok := was[k.Name]
		delete(was, k.Name)
		switch {
		case ok:
			changes = append(changes, Change{
				Name: k.Name, MatchedBy: "name", BeforeNS: old.TotalNS / na, AfterNS: k.TotalNS / nb,
				BeforeCount: float64(old.Count) / float64(na), AfterCount: float64(k.Count) / float64(nb),
			})
		case k.Operator == "":
			changes = append(changes, Change{Name: k.Name, MatchedBy: "after", AfterNS: k.TotalNS / nb, AfterCount: float64(k.Count) / float64(nb)})
		default:
			ch := newer[k.Operator]
			if ch == nil { // the first is the largest; it lends its name
				ch = &Change{Name: k.Name, Operator: k.Operator, MatchedBy: "after"}
				newer[k.Operator] = ch
			}
			ch.AfterNS += k.TotalNS / nb
			ch.AfterCount += float64(k.Count) / float64(nb)
		}
	}
	for _, k := range a.all.kernels {
		if _, left := was[k.Name]; !left {
			continue
		}
		ch := newer[k.Operator]
		switch {
		case k.Operator == "":
			changes = append(changes, Change{Name: k.Name, MatchedBy: "before", BeforeNS: k.TotalNS / na, BeforeCount: float64(k.Count) / float64(na)})
			continue
		case ch != nil && ch.MatchedBy == "after":
			ch.After, ch.Name, ch.MatchedBy = ch.Name, k.Name, "operator"
		case ch == nil:
			ch = &Change{Name: k.Name, Operator: k.Operator, MatchedBy: "before"}
			newer[k.Operator] = ch
		}
		ch.BeforeNS += k.TotalNS / na
		ch.BeforeCount += float64(k.Count) / float64(na)
	}
	for _, ch := range newer {
		changes = append(changes, *ch)
	}
	return ranked(changes, c.DeltaNS, mostChanges)
}

// divisors turn totals into times per step.
func (c *Comparison) divisors() (int64, int64) {
	if !c.PerStep {
		return 1, 1
	}
	return int64(c.Before.Steps), int64(c.After.Steps)
}

// ranked sorts changes by size and gives each its share of the difference.
func ranked(changes []Change, delta int64, most int) []Change {
	for i := range changes {
		if delta != 0 {
			changes[i].Share = float64(changes[i].DeltaNS()) / float64(delta)
		}
	}
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(math.Abs(float64(b.DeltaNS())), math.Abs(float64(a.DeltaNS()))),
			cmp.Compare(a.Name, b.Name))
	})
	return append([]Change{}, changes[:min(most, len(changes))]...)
}
