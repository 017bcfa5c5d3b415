package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// detachedAtEnd reports models that a function runs in a loop with gradients on, where all that the function returns is
// detached or read: a rollout whose graph grows with each step and is dropped at the end.
func (p *SourcePass) detachedAtEnd(said thrownAway) {
	for _, fn := range p.Module.Functions {
		if fn.Def == nil || decoratedWithoutGradients(fn) || len(fn.Returns()) == 0 || slices.ContainsFunc(fn.Sites, differentiates) ||
			slices.ContainsFunc(fn.Returns(), func(e pysrc.Expr) bool { return !allDetached(e) }) {
			continue
		}
		from := p.runsAround(fn)
		for _, s := range fn.Sites {
			if from == nil || said[s.Node] != nil || p.LoopAround(s) == nil || p.withoutGradients(s) || !p.modelOfLoop(s) || p.keepsOutput(s) {
				continue
			}
			said[s.Node] = p.Report(s.Node.Func, probable).
				Because(p.In(from.Module()).At(from, "training calls it"), p.At(fn.Returns()[0], "the graph ends here"))
			said[s.Node].Saying("%s builds a graph in each iteration that is thrown away", p.Short(s.Node.Func))
			break
		}
	}
}

// allDetached reports a value without a graph: x.detach(), numbers and arrays, or a collection of such values.
func allDetached(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Tuple:
		return len(x.Elts) > 0 && !slices.ContainsFunc(x.Elts, func(e pysrc.Expr) bool { return !allDetached(e) })
	case *pysrc.List:
		return len(x.Elts) > 0 && !slices.ContainsFunc(x.Elts, func(e pysrc.Expr) bool { return !allDetached(e) })
	case *pysrc.Dict:
		return len(x.Values) > 0 && !slices.ContainsFunc(x.Values, func(e pysrc.Expr) bool { return !allDetached(e) })
	case *pysrc.ListComp:
		return allDetached(x.Elt)
	case *pysrc.DictComp:
		return allDetached(x.Value)
	case *pysrc.GeneratorExp:
		return allDetached(x.Elt)
	case *pysrc.Call:
		return endsGraph(x) || pysrc.DottedName(x.Func) == "tuple" && len(x.Args) == 1 && allDetached(x.Args[0])
	}
	return false
}

// modelOfLoop reports a call of a model of the project, by its class or as a parameter that holds one.
func (p *SourcePass) modelOfLoop(s *project.Site) bool {
	return len(s.Node.Args) > 0 && slices.ContainsFunc(s.Possible(), func(v Value) bool {
		return v.Kind == project.Instance && v.Class != nil && v.IsInstance("torch.nn.Module")
	})
}

// keepsOutput reports a function that stores something in its object besides host data, or a call whose own result is
// detached where it stands.
func (p *SourcePass) keepsOutput(s *project.Site) bool {
	made := map[string]bool{}
	if assign, ok := p.Module.StatementAt(s.Node.Start).(*pysrc.Assign); ok {
		for _, t := range assign.Targets {
			for name := range namesStored(t) {
				made[name] = true
			}
			if _, plain := t.(*pysrc.Attribute); plain {
				return true
			}
		}
	}
	return p.endsHere(s) || slices.ContainsFunc(p.Module.Assignments, func(a *project.Assignment) bool {
		return a.Func == s.Func && mentionsAny(a.Value, made) && strings.HasPrefix(pysrc.DottedName(a.Target), "self.")
	})
}

// runsAround is a call of a function in a loop that trains or that is around one; nil where there is none.
func (p *SourcePass) runsAround(fn *project.Function) *project.Site {
	for _, s := range p.Project.Callers(fn) {
		if in := p.In(s.Module()); in.LoopAround(s) != nil && in.Project.Leads(s.Func) {
			return s
		}
	}
	return nil
}
