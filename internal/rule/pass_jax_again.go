package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// compiledAgain reports functions of JAX that are new objects each time they are made, where training makes them again
// and again: in a loop by a decorator, or in a function that training calls in a loop, such as an evaluation.
func (p *SourcePass) compiledAgain() {
	if p.Module.Role == project.Test {
		return
	}
	for _, fn := range p.Module.Functions {
		decorator := p.jitDecorator(fn)
		if decorator == nil || fn.Class != nil && fn.Outer.Def == nil || p.runsSeldom(fn.Def) || p.compiledOutside(fn.Outer) {
			continue
		}
		if loop := p.LoopAround(fn.Def); loop != nil {
			p.Report(decorator, nearlyCertain).Because(p.At(header(loop), "in each iteration of this loop")).
				Saying("%s is a new function in each iteration, so JAX compiles it again", fn.BaseName())
		} else if from := p.madeAgain(fn.Outer, 0); from != nil {
			p.sayMadeAgain(decorator, fn.BaseName(), from)
		}
	}
	for _, s := range p.Module.Sites {
		if !jits[s.Name()] || len(s.Node.Args) == 0 || p.Rare(s) != nil || p.LoopAround(s) != nil || p.storedByObject(s) ||
			!p.newEachTime(s, nil) || p.compiledOutside(s.Func) {
			continue
		}
		if way, hot := p.Hot(s); hot && len(way.Calls) > 0 && !p.rareOnTheWay(way) && !p.EvaluationOnly(s) && !p.isKept(s) {
			continue // reported for each step
		}
		if from := p.madeAgain(s.Func, 0); from != nil {
			p.sayMadeAgain(s, p.Short(s.Node.Args[0]), from)
		}
	}
}

func (p *SourcePass) sayMadeAgain(at Node, what string, from *project.Site) {
	p.Report(at, likely).At(Warning).Because(p.In(from.Module()).At(from, "training calls it again and again")).
		Saying("%s is a new function each time, so JAX compiles it again", what)
}

// madeAgain is a call in a training program that runs a function again and again, and with it all that the function makes;
// nil for a function that keeps what it makes, that is called once, or that trains itself.
func (p *SourcePass) madeAgain(fn *project.Function, depth int) *project.Site {
	if fn == nil || fn.Def == nil || cached(fn) || fn.BaseName() == "__init__" || p.Project.Leads(fn) || depth > 2 {
		return nil
	}
	for _, s := range p.Project.Callers(fn) {
		in := p.In(s.Module())
		if in.storedByObject(s) || in.runsOnceAtMost(s) {
			continue
		}
		if in.LoopAround(s) != nil && in.Project.Leads(s.Func) {
			return s
		}
		if from := in.madeAgain(s.Func, depth+1); from != nil {
			return from
		}
	}
	return nil
}

// storedByObject reports a call whose result an attribute or a key holds.
func (p *SourcePass) storedByObject(s *project.Site) bool {
	assign, ok := p.Module.StatementAt(s.Node.Start).(*pysrc.Assign)
	return ok && slices.ContainsFunc(assign.Targets, func(t pysrc.Expr) bool {
		_, name := t.(*pysrc.Name)
		return !name
	})
}

// runsOnceAtMost reports a call behind a test that lets it run once or never: if step is None, if args.debug.
func (p *SourcePass) runsOnceAtMost(s *project.Site) bool {
	guard := p.Rare(s)
	return guard != nil && guard.Kind != project.EveryN && guard.Kind != project.MainOnly && guard.Kind != project.InEval
}

// compiledSeldom is how many steps must lie between two compilations, which take seconds each, for them not to matter.
const compiledSeldom = 5000

// runsSeldom reports a place that runs once at most, or so rarely that compiling there costs little.
func (p *SourcePass) runsSeldom(n Node) bool {
	guard := p.Rare(n)
	if guard == nil {
		return false
	}
	every, known := p.stepsBetween(n)
	return guard.Kind != project.EveryN || known && every > compiledSeldom
}

// jitDecorator is the decorator by which JAX compiles a function that is written in another one or in a loop; nil without.
func (p *SourcePass) jitDecorator(fn *project.Function) pysrc.Expr {
	if fn.Def == nil || fn.Outer == nil {
		return nil
	}
	for _, d := range fn.Decorators() {
		if p.isJit(fn.Module, d) {
			return d
		}
	}
	return nil
}

// compiledOutside reports a function that JAX traces as a whole: what is made in it is made once.
func (p *SourcePass) compiledOutside(fn *project.Function) bool {
	return fn != nil && fn.Def != nil && p.compiledSomewhere(fn, 0)
}
