package rule

import (
	"maps"
	"slices"

	"saturate/internal/finding"
	"saturate/internal/project"
)

// Beside marks a finding that costs little where its step waits for the GPU for other reasons as well, at so many places. It is
// told once all modules are read: the other waits may stand in other files.
func (r *Report) Beside(waits int) *Report {
	r.beside = waits
	return r
}

// also marks a finding for one more place: it costs little only if all of its places do.
func (r *Report) also(waits int) {
	if r.beside > 0 && waits > 0 {
		r.beside = max(r.beside, waits)
	} else {
		r.beside = 0
	}
}

// waiting tells where steps wait, and which findings cost little if theirs does.
type waiting struct {
	in     map[waitIn]bool
	beside map[*finding.Location]besideWait
	stops  map[*project.Module][]stop
}

// waitIn is a function that waits, and the step that reaches it: after one wait of a function, the host hardly waits again.
type waitIn struct {
	function, step *project.Function
}

type besideWait struct {
	waitIn
	waits int
}

// note keeps what the findings of a rule in a module say about waits.
func (w *waiting) note(said *judge, m *project.Module) {
	w.noteStops(said, m)
	for _, r := range said.reports {
		if said.rule.Subject != AboutWaits && r.beside == 0 {
			continue
		}
		at := waitIn{m.FunctionAt(r.span.Start), stepOf(r.step)}
		if said.rule.Subject == AboutWaits && r.step != nil {
			w.add(waiting{in: map[waitIn]bool{at: true}})
		}
		if r.beside > 0 {
			w.add(waiting{beside: map[*finding.Location]besideWait{r.finding.Where: {at, r.beside}}})
		}
	}
}

// someForward is the step of what a forward reaches that no training loop is seen to call: which loop runs it is not known, and
// what one model waits for, the next does too.
var someForward = &project.Function{}

func stepOf(root *project.Function) *project.Function {
	if root != nil && root.Class != nil && root.BaseName() == "forward" {
		return someForward
	}
	return root
}

// add joins what another module says.
func (w *waiting) add(other waiting) {
	if w.in == nil {
		w.in, w.beside = map[waitIn]bool{}, map[*finding.Location]besideWait{}
	}
	maps.Copy(w.in, other.in)
	maps.Copy(w.beside, other.beside)
	if w.stops == nil {
		w.stops = map[*project.Module][]stop{}
	}
	maps.Copy(w.stops, other.stops)
}

// mark makes the findings small whose function waits anyway, or whose step does in what it calls. A wait of the training
// loop itself mostly ends the step.
func (w *waiting) mark(list []finding.Finding) {
	calls, waits := map[*project.Function]int{}, map[*project.Function]bool{}
	for at := range w.in {
		if waits[at.function] = true; at.function != at.step {
			calls[at.step]++
		}
	}
	for step, count := range calls { // a loop that is seen may run that forward, too
		if step != someForward {
			calls[someForward] = max(calls[someForward], count)
		}
	}
	for i := range list {
		little, ok := w.beside[list[i].Where]
		if ok && (calls[little.step] >= little.waits || little.waits == 1 && waits[little.function]) {
			list[i].Small = "a few numbers are copied, and the step waits for the GPU anyway"
			list[i].Severity, list[i].Estimate = Advice, nil
		}
	}
}

// waitsToo are the rules about waits that were not chosen and that chosen ones ask for: what is found does not depend on
// which other rules run.
func waitsToo(chosen []*Rule) (list []*Rule) {
	copies := slices.ContainsFunc(chosen, func(r *Rule) bool { return r.Subject == AboutCopies || r.Subject == AboutHostCode })
	waits := slices.ContainsFunc(chosen, func(r *Rule) bool { return r.Subject == AboutWaits })
	for _, r := range rules {
		asked := copies && (r.Subject == AboutWaits || r == &logEveryStep) || waits && r == &cudaSynchronize
		if asked && r.Source != nil && !r.Asked && !slices.Contains(chosen, r) {
			list = append(list, r)
		}
	}
	return list
}
