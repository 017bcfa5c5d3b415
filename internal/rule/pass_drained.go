package rule

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// deepestDrained is through how many calls it is followed what a step queues between two waits.
const deepestDrained = 3

// stop is a place where each step waits for the GPU, and the finding that says so.
type stop struct {
	in    *project.Module
	span  pysrc.Span
	where *finding.Location
	way   project.Path
	of    stopsOf
	only  bool // to wait is all that it costs
}

// stopsOf are the stops that one finding tells of.
type stopsOf struct {
	rule   *Rule
	within *project.Function
	where  *finding.Location
}

// noteStops keeps where the steps of a module wait.
func (w *waiting) noteStops(said *judge, m *project.Module) {
	for _, r := range said.reports {
		if said.rule.Subject != AboutWaits && !r.onlyWaits && !r.waits || r.way == nil {
			continue
		}
		of := stopsOf{rule: said.rule}
		if said.rule.OneWait && len(r.finding.Fixes) == 0 {
			of.within = m.FunctionAt(r.span.Start)
		} else {
			of.where = r.finding.Where
		}
		if w.stops == nil {
			w.stops = map[*project.Module][]stop{}
		}
		w.stops[m] = append(w.stops[m], stop{m, wholeCall(m, r.span), r.finding.Where, *r.way, of, r.onlyWaits})
	}
}

// wholeCall is the call that a finding names by what is called.
func wholeCall(m *project.Module, of pysrc.Span) pysrc.Span {
	i := sort.Search(len(m.Sites), func(i int) bool { return m.Sites[i].Node.Start >= of.Start })
	for ; i < len(m.Sites) && m.Sites[i].Node.Start == of.Start; i++ {
		if m.Sites[i].Node.Func.Bounds() == of {
			return m.Sites[i].Node.Span
		}
	}
	return of
}

// markDrained makes the findings small whose copies all follow a wait of the step, with hardly anything queued since: the GPU
// has nothing to do when the host gets there. What waits to read a value is mended beside the wait before it, and stays, except
// behind a stop that was asked for.
func (w *waiting) markDrained(p *project.Project, tables *siteTables, list []finding.Finding) {
	count := 0
	for _, stops := range w.stops {
		count += len(stops)
	}
	if count < 2 {
		return
	}
	d := drained{stops: w.stops, ends: map[*project.Function]event{}}
	after, not := map[stopsOf]*stop{}, map[stopsOf]bool{}
	for _, m := range p.Modules {
		stops := w.stops[m]
		if len(stops) == 0 {
			continue
		}
		facts := gatherAll(m, tables)
		eval := p.NewEval()
		d.SourcePass = &SourcePass{judge: &judge{rule: &cudaSynchronize, source: m.Source}, Project: p, Module: m, eval: eval, shared: facts}
		for _, s := range stops {
			before := d.before(s)
			if before != nil && (s.only || s.of.rule.Subject == AboutWaits && !isFullStop(&s) && d.followsFullStop(before)) {
				after[s.of] = before
			} else {
				not[s.of] = true
			}
		}
		eval.Release()
		facts.releaseAll()
	}
	for of, before := range after {
		if not[of] {
			continue
		}
		for i := range list {
			if f := &list[i]; f.Small == "" && slices.ContainsFunc(w.all(of), func(at *finding.Location) bool { return at == f.Where }) {
				at := fmt.Sprintf("line %d", before.where.Line)
				if before.where.Path != f.Where.Path {
					at += " of " + path.Base(before.where.Path)
				}
				f.Small = "the step has just waited for the GPU in " + at + ", and hardly anything is queued since"
				f.Severity, f.Estimate = Advice, nil
			}
		}
	}
}

// followsFullStop reports a stop that the program asks for, or one right behind such a stop.
func (d *drained) followsFullStop(s *stop) bool {
	for range deepestDrained {
		if s == nil || isFullStop(s) {
			return s != nil
		}
		s = d.before(*s)
	}
	return false
}

// isFullStop reports a stop that the program asks for: torch.cuda.synchronize().
func isFullStop(s *stop) bool { return s.of.rule == &cudaSynchronize }

// all are the places of the stops that one finding tells of.
func (w *waiting) all(of stopsOf) (list []*finding.Location) {
	if of.where != nil {
		return []*finding.Location{of.where}
	}
	for _, s := range w.stops[of.within.Module] {
		if s.of == of {
			list = append(list, s.where)
		}
	}
	return list
}

// event is what a step last did: nothing that counts, queued work for the GPU, or waited for it, there.
type event struct {
	queues bool
	waits  *stop
}

func (e event) counts() bool { return e.queues || e.waits != nil }

// drained asks what a step did last before a place.
type drained struct {
	*SourcePass
	stops map[*project.Module][]stop
	ends  map[*project.Function]event // what calls of functions leave behind
	depth int
}

// before is the wait after which nothing is queued before another one, or nil.
func (d *drained) before(s stop) *stop {
	m, span := s.in, s.span
	if d.within(m, m.StatementAt(span.Start), span.Start, span.End, span).queues {
		return nil // the wait computes what it waits for
	}
	calls := s.way.Calls
	for {
		last, loop := d.lastBefore(m, span)
		if !last.counts() && loop != nil && len(calls) == 0 {
			last = d.lastOf(m, bodyOf(loop), span)
		}
		if last.counts() || len(calls) == 0 || loop != nil {
			return last.waits
		}
		call := calls[len(calls)-1]
		calls, m, span = calls[:len(calls)-1], call.Module(), call.Node.Span
	}
}

// bodyOf is the body of a training loop.
func bodyOf(loop pysrc.Stmt) []pysrc.Stmt {
	switch l := loop.(type) {
	case *pysrc.For:
		return l.Body
	case *pysrc.While:
		return l.Body
	}
	return nil
}

// lastBefore is what was done last before a place in its function, and the training loop where its turn began, if it did so
// without doing anything that counts.
func (d *drained) lastBefore(m *project.Module, span pysrc.Span) (last event, turn pysrc.Stmt) {
	last = d.within(m, m.StatementAt(span.Start), 0, span.Start, span)
	if last.counts() {
		return last, nil
	}
	m.Before(span.Start, func(before []pysrc.Stmt, in *project.Block) bool {
		if last = d.lastOf(m, before, span); last.counts() {
			return false
		}
		switch owner := in.Owner.(type) {
		case *pysrc.For, *pysrc.While:
			if in.Arm == project.Body && d.Project.IsTrainingLoop(m, owner) {
				turn = owner.(pysrc.Stmt)
			} else {
				last.queues = true // what its turns do, perhaps
			}
			return false
		case *pysrc.If:
			last = d.within(m, owner, owner.Test.Bounds().Start, owner.Test.Bounds().End, span)
			return !last.counts()
		case *pysrc.Try:
			last.queues = in.Arm != project.Body
			return !last.queues
		}
		return true
	})
	return last, turn
}

// lastOf is what a list of statements did last. It ends where a place is reached again, as a loop does after a whole turn.
func (d *drained) lastOf(m *project.Module, list []pysrc.Stmt, again pysrc.Span) event {
	for _, s := range slices.Backward(list) {
		if at := s.Bounds(); at.Contains(int(again.Start)) {
			return event{queues: true}
		}
		if e := d.lastIn(m, s, again); e.counts() {
			return e
		}
	}
	return event{}
}

// lastIn is what a statement did last.
func (d *drained) lastIn(m *project.Module, s pysrc.Stmt, again pysrc.Span) event {
	switch s := s.(type) {
	case *pysrc.FunctionDef, *pysrc.ClassDef:
		return event{}
	case *pysrc.If:
		body, other := d.lastOf(m, s.Body, again), d.lastOf(m, s.Orelse, again)
		switch {
		case (body.queues || other.queues) && !d.seldom(m, s):
			return event{queues: true}
		case body.waits != nil && (other.waits != nil || len(s.Orelse) == 0 && isFullStop(body.waits)): // if device == "cuda"
			return body
		}
		return d.within(m, s, s.Test.Bounds().Start, s.Test.Bounds().End, again)
	case *pysrc.With:
		return d.lastOf(m, s.Body, again)
	case *pysrc.For:
		return d.lastOf(m, s.Body, again)
	}
	span := s.Bounds()
	return d.within(m, s, span.Start, span.End, again)
}

// seldom reports an if both of whose arms hardly ever run: if step % 1000 == 0.
func (d *drained) seldom(m *project.Module, s *pysrc.If) bool {
	return len(s.Body) > 0 && len(s.Orelse) == 0 && d.In(m).Rare(s.Body[0]) != nil
}

// within is what a part of a statement did last, apart from the place that asks. An expression runs before what it is a part of.
func (d *drained) within(m *project.Module, stmt pysrc.Stmt, from, to int32, asks pysrc.Span) (last event) {
	if stmt == nil {
		return event{}
	}
	in, at := stmt.Bounds(), int32(-1)
	from, to = max(from, in.Start), min(to, in.End)
	for i := range d.stops[m] {
		s := &d.stops[m][i]
		if from <= s.span.Start && s.span.End <= to && s.span.End > at && !overlap(s.span, asks) {
			last, at = event{waits: s}, s.span.End
		}
	}
	first := sort.Search(len(m.Sites), func(i int) bool { return m.Sites[i].Node.Start >= from })
	for _, s := range m.Sites[first:] {
		if s.Node.Start >= to {
			break
		}
		if s.Node.End > to || s.Node.End <= at || s.Node.Span == asks {
			continue
		}
		if e := d.ofCall(s); e.counts() {
			last, at = e, s.Node.End
		}
	}
	return last
}

func overlap(a, b pysrc.Span) bool { return a.Start < b.End && b.Start < a.End }

// ofCall is what a call did last.
func (d *drained) ofCall(s *project.Site) event {
	if s.Method() == "backward" {
		return event{queues: true}
	}
	functions := runsFunctions(s)
	for _, fn := range functions {
		if e := d.leaves(fn); e.counts() {
			return e
		}
	}
	name := s.Calls.Name
	q := d.In(s.Module())
	if len(functions) > 0 {
		return event{queues: q.callsModel(s)}
	}
	switch {
	case strings.HasPrefix(name, "torch.optim.lr_scheduler."), strings.HasPrefix(name, "torch.nn.Module."):
		return event{}
	case s.Method() == "step", strings.HasPrefix(name, "torch.nn."), strings.HasPrefix(name, "torch.autograd."),
		strings.HasPrefix(name, "torch.distributed."):
		return event{queues: true}
	case name != "":
		return event{} // of torch, a kernel or two
	}
	if a, ok := s.Node.Func.(*pysrc.Attribute); ok && q.isTensor(a.Value) {
		return event{}
	}
	return event{queues: q.callsModel(s) || slices.ContainsFunc(s.Node.Args, func(e pysrc.Expr) bool { return q.OnDevice(e) > 0 })}
}

// leaves is what a function did last when it returns.
func (d *drained) leaves(fn *project.Function) event {
	if known, asked := d.ends[fn]; asked {
		return known
	}
	if fn.Def == nil || d.depth >= deepestDrained {
		return event{queues: true}
	}
	d.ends[fn] = event{queues: true} // of what calls itself
	d.depth++
	e := d.lastOf(fn.Module, fn.Def.Body, pysrc.Span{Start: -1, End: -1})
	d.depth--
	d.ends[fn] = e
	return e
}
