package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/trace"
)

// Rule is a fault that shows in a trace.
type Rule struct {
	finding.Rule
	check    func(*pass)
	anywhere bool // it looks at the ranks alone: no GPU is needed
}

func init() {
	for _, r := range rules {
		finding.Register(finding.Trace, r.Rule)
	}
}

// Rules lists all rules over traces, by code.
func Rules() []Rule { return slices.Clone(rules) }

// The list. A rule stands in the file of its subject.
var rules = []Rule{
	loaderInMainProcess, workersTooSlow, batchesMadeByHost,
	pageableCopies, blockingCopies, copiesNotHidden, smallCopies,
	scalarReads, copiesToHost, shapeReads, deviceWaits,
	launchBound, unfusedOptimizer, hostCode, driverAllocations, compilingInSteps, checkpointInSteps,
	noTensorCores, unfusedAttention, castsAndCopies, layoutChanges, fewBlocks, gradientFills,
	exposedCommunication, slowRank,
	memoryFull, memoryFragmented,
	profilerCost, collectivePerTensor,
	slowLinks, unevenWork, idleRank, reduceEveryBackward, smallBuckets,
}

// pass is a rule at work.
type pass struct {
	*view
	a     *Analysis
	gpu   *gpuWork
	rule  *Rule
	found []finding.Finding
}

// findings applies all rules, worst first.
func findings(v *view, a *Analysis) []finding.Finding {
	p := &pass{view: v, a: a, gpu: v.device(), found: []finding.Finding{}}
	if p.gpu != nil && v.account.unreliable() {
		return p.found // idle time that is only missing work is not a fault
	}
	for i := range rules {
		if p.rule = &rules[i]; p.gpu != nil || p.rule.anywhere {
			p.rule.check(p)
		}
	}
	rank := map[finding.Severity]int{finding.Error: 0, finding.Warning: 1, finding.Advice: 2}
	slices.SortStableFunc(p.found, func(x, y finding.Finding) int {
		return cmp.Or(cmp.Compare(rank[x.Severity], rank[y.Severity]),
			cmp.Compare(y.Estimate.SecondsPerStep, x.Estimate.SecondsPerStep))
	})
	return p.found
}

// report adds a finding that could save so much time over the whole window. One that saves next to nothing here is
// advice: it may matter once the larger faults are gone. The finding can be changed until the next one.
func (p *pass) report(saves int64, basis string, when trace.Interval, evidence []string, format string, args ...any) *finding.Finding {
	f := p.rule.Finding()
	f.Confidence, f.Message = p.confident(), fmt.Sprintf(format, args...)
	f.Estimate = &finding.Estimate{SecondsPerStep: float64(saves) / 1e9 / p.stepCount(), Basis: basis}
	if p.part(saves) < 0.005 {
		f.Severity = finding.Advice
	}
	if len(p.steps) == 0 {
		f.Estimate.Basis += finding.OverAll
	}
	if look := p.rule.WhereToLook(); look != "" {
		f.Advice += " " + look
	}
	if when.Positive() {
		f.When = &finding.Interval{StartNS: when.Start, EndNS: when.End}
	}
	for i, text := range evidence {
		e := finding.Evidence{Text: text}
		if i == 0 {
			e.Interval = f.When
		}
		f.Evidence = append(f.Evidence, e)
	}
	p.found = append(p.found, f)
	return &p.found[len(p.found)-1]
}

// confident is how surely the trace shows what it shows.
func (p *pass) confident() float64 {
	if p.t.Quality().Truncated {
		return 0.8
	}
	return 0.95
}

func (p *pass) stepCount() float64 { return float64(max(1, len(p.steps))) }

// perStep writes a time a step.
func (p *pass) perStep(ns int64) string {
	if len(p.steps) == 0 {
		return human.Nanoseconds(ns)
	}
	return human.Nanoseconds(ns/int64(len(p.steps))) + " a step"
}

// cost writes a time a step and its share.
func (p *pass) cost(ns int64) string {
	of := "the step"
	if len(p.steps) == 0 {
		of = "the time"
	}
	return fmt.Sprintf("%s (%s of %s)", p.perStep(ns), human.Percent(p.part(ns)), of)
}

// aStep follows a count that was divided by the steps; nothing where there were none to divide by.
func (p *pass) aStep() string {
	if len(p.steps) == 0 {
		return ""
	}
	return " a step"
}

// part is a share of the steps' time; of the time looked at, where there are no steps.
func (p *pass) part(ns int64) float64 {
	var steps int64
	for _, s := range p.steps {
		steps += s.window.Length()
	}
	if steps == 0 {
		steps = p.account.total
	}
	return share(ns, steps)
}

// counted is what of the GPU's time is counted: what lies in the steps, as in part. The GPU may
// still be at work on earlier steps when the first begins, and works on after the last.
func (p *pass) counted(times spans) spans {
	if len(p.steps) == 0 {
		return times
	}
	var steps spans
	for _, s := range p.steps {
		steps = steps.add(s.window)
	}
	return times.minus(times.minus(steps))
}

// idleIn sums the idle time of the steps whose cause and place are meant, and gives the longest gap of it.
func (p *pass) idleIn(meant func(place) bool) (ns int64, when trace.Interval, places []string) {
	var list []IdleCause
	sums := p.idle.inSteps
	if len(p.steps) == 0 {
		sums = p.idle.sums()
	}
	for at, lost := range sums {
		if !meant(at) {
			continue
		}
		ns += lost
		list = append(list, IdleCause{NS: lost, Place: p.text(at)})
		if l := p.idle.largest[at]; l.Length() > when.Length() {
			when = l
		}
	}
	slices.SortFunc(list, func(a, b IdleCause) int { return cmp.Or(cmp.Compare(b.NS, a.NS), cmp.Compare(a.Place, b.Place)) })
	for _, c := range list[:min(3, len(list))] {
		if c.Place != "" {
			places = append(places, p.perStep(c.NS)+" "+inOrBefore(c.Place))
		}
	}
	return ns, when, places
}

func inOrBefore(place string) string {
	if strings.HasPrefix(place, "before ") {
		return place
	}
	return "in " + place
}

func byCause(causes ...Cause) func(place) bool {
	return func(at place) bool { return slices.Contains(causes, at.cause) }
}
