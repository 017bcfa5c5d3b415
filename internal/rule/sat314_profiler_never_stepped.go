package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// profilerNeverStepped finds profilers with a schedule that nobody advances.
var profilerNeverStepped = Rule{
	Code: "SAT314", Name: "profiler-never-stepped", Severity: Warning, Subject: AboutRecording,
	Areas: []Area{ComputeArea, HostArea},
	Title: "the profiler's schedule never advances",
	What: "torch.profiler.profile(schedule=…) whose step() is never called, or a profiler without a schedule " +
		"around a training loop or in each of its steps.",
	Why: "A schedule counts calls of step(). Without them the profiler stays in its first phase and records " +
		"nothing. Without a schedule it records every step until memory runs out.",
	Fine:   "A profiler without a schedule around a few steps.",
	Advice: "Call prof.step() at the end of each training step.",
	Bad: "with profile(schedule=schedule(wait=1, warmup=1, active=3)) as prof:\n    for batch in " +
		"loader:\n        train(batch)",
	Good: "with profile(schedule=schedule(wait=1, warmup=1, active=3)) as prof:\n    for batch in " +
		"loader:\n        train(batch)\n        prof.step()",
	Safety: Safe,
	Source: func(p *SourcePass) {
		p.profiledSteps()
		for _, c := range p.CallsTo("torch.profiler.profile", "torch.autograd.profiler.profile") {
			if p.Rare(c) != nil || c.Arg("enabled").IsFalse() {
				continue
			}
			name, with := p.profilerName(c)
			schedule := c.Arg("schedule")
			loop := p.loopIn(with)
			switch {
			case name != "" && p.profilerUsed(name) || name == "" && with == nil:
			case schedule.Missing() && with != nil && loop != nil && p.stepsMany(loop):
				p.Report(c.Callee(), probable).Because(loop).Saying("the profiler records every step of the training loop")
			case schedule.Missing() || schedule.IsNone():
			default:
				r := p.Report(c.Callee(), project.Certain).Because(schedule).
					Saying("the profiler's schedule never advances: step() is not called")
				if name != "" && loop != nil {
					body := loop.Body()
					r.Fix(Safe, "advance the profiler in every step", p.LineAfter(body[len(body)-1], name+".step()"))
				}
			}
		}
	},
}

// profilerName returns the name of a profiler (with … as name, or name = …), and
// the with statement that runs it.
func (p *SourcePass) profilerName(c Call) (string, *pysrc.With) {
	switch s := p.Module.StatementAt(c.Node.Start).(type) {
	case *pysrc.With:
		for _, item := range s.Items {
			if item.Context == pysrc.Expr(c.Node) {
				if item.Vars == nil {
					return "", s
				}
				return pysrc.DottedName(item.Vars), s
			}
		}
	case *pysrc.Assign:
		if len(s.Targets) == 1 {
			return pysrc.DottedName(s.Targets[0]), nil
		}
	}
	return "", nil
}

// profilerUsed reports a name whose step is called or handed on (as a callback),
// or that is itself handed on, returned or yielded.
func (p *SourcePass) profilerUsed(name string) bool {
	used := false
	is := func(e pysrc.Expr) bool { return pysrc.DottedName(e) == name || pysrc.DottedName(e) == name+".step" }
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Call:
			used = used || pysrc.DottedName(n.Func) == name+".step"
			for _, a := range n.Args {
				used = used || is(a)
			}
			for _, k := range n.Keywords {
				used = used || is(k.Value)
			}
		case *pysrc.Return:
			parts := []pysrc.Expr{n.Value}
			if t, ok := n.Value.(*pysrc.Tuple); ok {
				parts = t.Elts
			}
			for _, v := range parts {
				used = used || v != nil && is(v)
			}
		case *pysrc.Yield:
			used = used || n.Value != nil && is(n.Value)
		case *pysrc.Assign:
			used = used || is(n.Value)
		}
		return !used
	})
	return used
}

// loopIn returns the one training loop inside a with statement, or nil.
func (p *SourcePass) loopIn(with *pysrc.With) *project.Loop {
	var found *project.Loop
	for _, l := range p.TrainingLoops() {
		if with != nil && with.Span.Contains(int(l.Bounds().Start)) {
			if found != nil {
				return nil
			}
			found = l
		}
	}
	return found
}

// stepsMany reports a loop that does not leave early: no break, and no small range.
func (p *SourcePass) stepsMany(loop *project.Loop) bool {
	many := true
	p.Inspect(loop.Stmt, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Break:
			many = false
		case *pysrc.Call:
			if lastName(n.Func) == "range" && len(n.Args) == 1 {
				if count, ok := p.Eval(n.Args[0]).Int(); ok && count <= fewSteps {
					many = false
				}
			}
			if lastName(n.Func) == "islice" {
				many = false
			}
		}
		return many
	})
	return many
}
