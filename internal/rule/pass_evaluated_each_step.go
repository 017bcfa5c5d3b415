package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// evaluatedEachStep reports evaluations of the data that a step has just trained on, after each step: where all data are one batch, such
// as the nodes of a graph, an epoch is one step, and its evaluation another forward pass.
func (p *SourcePass) evaluatedEachStep() {
	if !p.runsOnGPU() || p.Module.Role == project.Test {
		return
	}
	reports := map[*project.Function]*Report{}
	for _, s := range p.Module.Sites {
		fn := s.Calls.Func
		if fn == nil || fn.Def == nil || fn == s.Func || s.Calls.Kind != project.Callable || !p.mayStep(s.Node) || p.Project.Leads(fn) {
			continue
		}
		loop := p.LoopAround(s)
		if loop != nil && (p.underTestWithin(s, loop) || p.endsAfter(s)) || loop == nil && s.Func.Def != nil && p.underIf(s) {
			continue
		}
		run := p.evaluatedOnce(s, fn)
		if run == nil || !p.stepRuns(run, s) {
			continue
		}
		way, hot := p.Hot(s)
		if !hot || p.Rare(s) != nil {
			continue
		}
		if r := reports[s.Func]; r != nil {
			r.Too(p.At(s.Node, "and here"))
			continue
		}
		in := p.In(fn.Module)
		reports[s.Func] = p.Report(s.Node.Func, likely*p.GPU()).At(Advice).Because(way, in.At(run.site.Node, "runs the model on what the step has just seen")).
			Saying("%s runs the model once more after every step", p.Short(s.Node.Func)).
			Explaining("Where all data are one batch, an evaluation takes as long as the forward pass of a step, and reading its result waits for the GPU.").
			Advising("Evaluate every ten steps or more. Read metrics of several parts of the data from one output of the model.")
	}
}

// runOnData is a call of a model, with the variables that it is given, as a caller names them.
type runOnData struct {
	site  *project.Site
	model string
	given []string
}

// evaluatedOnce is the run of a model that a function switches to evaluation, outside of loops and without gradients; nil where there
// is none.
func (p *SourcePass) evaluatedOnce(call *project.Site, fn *project.Function) *runOnData {
	in := p.In(fn.Module)
	for _, s := range fn.Sites {
		if model := pysrc.DottedName(s.Node.Func); model == "" || in.LoopAround(s) != nil || !in.runsSwitched(fn, s) {
			continue
		}
		if run := runAs(s, call, fn); len(run.given) > 0 {
			return run
		}
	}
	return nil
}

// stepRuns reports a step around a call that runs the same model on the same data with gradients: in its function, or in one that it
// calls beside.
func (p *SourcePass) stepRuns(evaluation *runOnData, call *project.Site) bool {
	loop := p.LoopAround(call)
	same := func(s, from *project.Site, fn *project.Function) bool {
		run := runAs(s, from, fn)
		return run.model == evaluation.model && !slices.ContainsFunc(evaluation.given, func(g string) bool { return !slices.Contains(run.given, g) })
	}
	takes := func(fn *project.Function) bool {
		return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool { return s.Method() == "backward" })
	}
	for _, s := range call.Func.Sites {
		if p.LoopAround(s) != loop || s == call {
			continue
		}
		if takes(call.Func) && same(s, nil, call.Func) && !p.withoutGradients(s) {
			return true
		}
		fn := s.Calls.Func
		if fn == nil || fn.Def == nil || s.Calls.Kind != project.Callable || !takes(fn) {
			continue
		}
		in := p.In(fn.Module)
		if slices.ContainsFunc(fn.Sites, func(inner *project.Site) bool {
			return in.LoopAround(inner) == nil && same(inner, s, fn) && !in.withoutGradients(inner)
		}) {
			return true
		}
	}
	return false
}

// runAs names the model and what it is given as the caller of the function around does; from is nil for the function itself.
func runAs(s, from *project.Site, fn *project.Function) *runOnData {
	named := func(e pysrc.Expr) string {
		if star, ok := e.(*pysrc.Starred); ok {
			e = star.Value
		}
		e = movedFrom(e)
		name := pysrc.DottedName(e)
		root := rootName(e)
		if from == nil || name == "" || root == "self" || !fn.HasParameter(root) {
			return name
		}
		outer := pysrc.DottedName(from.Given(fn, root))
		if outer == "" {
			return ""
		}
		return outer + name[len(root):]
	}
	run := &runOnData{site: s, model: named(s.Node.Func)}
	for _, a := range argumentsOf(s.Node) {
		if name := named(a); name != "" {
			run.given = append(run.given, name)
		}
	}
	return run
}
