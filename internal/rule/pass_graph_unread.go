package rule

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// unreadGraphs reports models that training runs with gradients on beside its steps, where every use of the result ends its
// graph: a rollout that stores detached values and samples, a look at the accuracy.
func (p *SourcePass) unreadGraphs(said thrownAway) {
	for _, s := range p.Module.Sites {
		if said[s.Node] != nil || !p.isModelCall(s.Node) || p.withoutGradients(s) || decoratedWithoutGradients(s.Func) ||
			!p.repeated(s) || p.EvaluationOnly(s) || !p.betweenSteps(s) || p.mayFreeze(s.Node) || p.turnsGradientsOff(s.Func) ||
			p.modelDifferentiates() || p.foundInEvaluation(s) {
			continue
		}
		g := graphUses{p: p, fn: s.Func, seen: map[string]bool{}}
		if end := g.endsOf(s.Node); end != nil {
			said[s.Node] = p.Report(s.Node.Func, probable*p.GPU()).Because(p.At(end, "the graph ends here"))
			said[s.Node].Saying("%s builds a graph that is thrown away", p.Short(s.Node.Func))
		}
	}
}

// detachedInStep reports models that a step runs with gradients on, where every use of the result ends its graph, however many there
// are: a target for two critics.
func (p *SourcePass) detachedInStep(said thrownAway) {
	told := map[*project.Function]*Report{} // one finding for the targets of a step
	for call, r := range said {
		told[p.Function(call)] = r
	}
	for _, s := range p.Module.Sites {
		if said[s.Node] != nil || s.Func.Def == nil || !p.mayStep(s) || !p.isModelCall(s.Node) || !p.mayHaveWeights(s) || p.withoutGradients(s) || decoratedWithoutGradients(s.Func) ||
			p.turnsGradientsOff(s.Func) {
			continue
		}
		g := graphUses{p: p, fn: s.Func, seen: map[string]bool{}}
		end := g.endsOf(s.Node)
		if end == nil {
			continue
		}
		if way, ok := p.EachStep(s); ok && !p.mayFreeze(s.Node) && !p.modelDifferentiates() && !p.foundInEvaluation(s) {
			if first := told[s.Func]; first != nil {
				said[s.Node] = first.Too(p.At(s.Node.Func, "and here"))
				continue
			}
			said[s.Node] = p.Report(s.Node.Func, probable*way.Sure).Because(way, p.At(end, "the graph ends here"))
			told[s.Func] = said[s.Node].Saying("%s builds a graph that is thrown away", p.Short(s.Node.Func))
		}
	}
}

// mayHaveWeights reports a call of a model whose forward runs layers, or of one that is not known.
func (p *SourcePass) mayHaveWeights(s *project.Site) bool {
	v := s.Calls
	if v.Class == nil || v.Kind != project.Instance {
		return true
	}
	forward := v.Class.Method("forward")
	return forward != nil && p.reachesLayers(forward, 0)
}

// foundInEvaluation reports a call that SAT512 names.
func (p *SourcePass) foundInEvaluation(s *project.Site) bool {
	return slices.ContainsFunc(p.said(&noGradMissingEval).reports, func(r *Report) bool { return r.span.Contains(int(s.Node.Start)) })
}

// betweenSteps reports a call in a loop of its own in a function that trains, or in one that such a function calls in a loop;
// also the choice of an action in the training loop itself.
func (p *SourcePass) betweenSteps(s *project.Site) bool {
	guard, loop := p.Rare(s), p.LoopAround(s)
	if guard != nil && guard.Kind != project.EveryN || loop != nil && p.isTrainingLoop(loop) && (guard != nil || !p.feedsEnvironment(s)) {
		return false
	}
	if p.Project.Leads(s.Func) {
		around := loop != nil && slices.ContainsFunc(p.TrainingLoops(), func(l *project.Loop) bool {
			return l.Stmt != loop && loop.Bounds().Contains(int(l.Bounds().Start))
		})
		return !around || len(p.comprehensionAround(s)) > 0 // once in an epoch costs little
	}
	from := p.runsAround(s.Func)
	return from != nil && !p.In(from.Module()).foundInEvaluation(from)
}

// graphUses follows what a model returns to where its graph ends.
type graphUses struct {
	p     *SourcePass
	fn    *project.Function
	seen  map[string]bool // the variables that were followed
	first pysrc.Node      // the first end
}

// endsOf is the first place where the graph of a value ends, if it ends in all of its uses; nil where one use keeps it.
func (g *graphUses) endsOf(value pysrc.Expr) pysrc.Node {
	kept := false
	pysrc.InspectPath(g.body(), func(n pysrc.Node, path []pysrc.Node) bool {
		if n == pysrc.Node(value) {
			kept = !g.ends(n, path)
		}
		switch n.(type) {
		case *pysrc.FunctionDef, *pysrc.ClassDef: // whose decorators stand before them
			return !kept
		}
		return !kept && n.Bounds().Contains(int(value.Bounds().Start))
	})
	if kept {
		return nil
	}
	return g.first
}

func (g *graphUses) body() pysrc.Node {
	if g.fn.Def != nil {
		return g.fn.Def
	}
	return g.p.Module.File.Module
}

// ends climbs from a value to the expression or statement that ends its graph, or that keeps it.
func (g *graphUses) ends(n pysrc.Node, path []pysrc.Node) bool {
	below, given := n, false
	for _, parent := range slices.Backward(path) {
		switch x := parent.(type) {
		case *pysrc.Attribute:
			if endsGraph(x) || asksSize(x) {
				return g.end(x)
			}
		case *pysrc.Call:
			if over, ends := g.endsInCall(x, n); over {
				return ends
			}
			given = given || n != pysrc.Node(x.Func)
		case *pysrc.Subscript:
			if n != pysrc.Node(x.Value) {
				return g.end(x) // an index
			}
		case *pysrc.Compare, *pysrc.FormattedValue, *pysrc.Assert, *pysrc.If:
			return g.end(x)
		case *pysrc.ExprStmt:
			return !given // loss_scaler(loss) goes back through it
		case *pysrc.BinOp, *pysrc.UnaryOp, *pysrc.Tuple, *pysrc.List, *pysrc.Starred, *pysrc.Keyword, *pysrc.IfExp:
		case *pysrc.ListComp:
			if n != pysrc.Node(x.Elt) {
				return false
			}
		case *pysrc.Assign:
			return g.stored(x, below)
		case *pysrc.AugAssign:
			name, ok := x.Target.(*pysrc.Name)
			return ok && n == pysrc.Node(x.Value) && g.readers(name.ID, x, nil)
		default:
			return false
		}
		below, n = n, parent
	}
	return false
}

func (g *graphUses) end(at pysrc.Node) bool {
	if g.first == nil {
		g.first = at
	}
	return true
}

// endsInCall reports whether a call decides about the graph of one of its parts, and whether it ends it.
func (g *graphUses) endsInCall(c *pysrc.Call, part pysrc.Node) (over, ends bool) {
	last := lastName(c.Func)
	if part == pysrc.Node(c.Func) {
		method, ok := c.Func.(*pysrc.Attribute)
		switch {
		case !ok || method.Attr == "backward" || method.Attr == "rsample":
			return true, false
		case endsGraph(c) || method.Attr == "sample" || method.Attr == "argmax" || method.Attr == "multinomial":
			return true, g.end(c)
		}
		return false, false
	}
	name := g.p.NameOf(c.Func)
	switch {
	case endsGraph(c), last == "print", last == "isinstance", name == "torch.argmax", name == "torch.multinomial", name == "torch.isnan":
		return true, g.end(c)
	case g.detachedBy(c):
		return true, g.end(c)
	case name == "torch.autograd.grad":
		return true, false
	case strings.HasPrefix(name, "torch.") && !g.p.isModelCall(c), isCriterion(last):
		return false, false
	}
	return true, false
}

func (g *graphUses) detachedBy(c *pysrc.Call) bool {
	s := g.p.Module.SiteAt(c)
	return s != nil && detachesGiven(s)
}

// stored follows the variables that an assignment gives a value to; part is the element of an assigned tuple.
func (g *graphUses) stored(a *pysrc.Assign, part pysrc.Node) bool {
	if len(a.Targets) != 1 {
		return false
	}
	target := a.Targets[0]
	if targets, values := elementsOf(target), elementsOf(a.Value); len(targets) > 0 && len(targets) == len(values) { // a, b = x, y
		at := slices.IndexFunc(values, func(e pysrc.Expr) bool { return pysrc.Node(e) == part })
		if at < 0 {
			return false
		}
		target = targets[at]
	}
	if slices.ContainsFunc(append(elementsOf(target), target), func(e pysrc.Expr) bool {
		return len(namesStored(e)) == 0 // a part of something else, which keeps it
	}) {
		return false
	}
	for _, name := range slices.Sorted(maps.Keys(namesStored(target))) {
		if !g.readers(name, a, a.Value) {
			return false
		}
	}
	return true
}

// readers reports whether all reads of a variable that an assignment sets end its graph. A value that goes to NumPy as it is
// has none: torch refuses others.
func (g *graphUses) readers(name string, by pysrc.Node, value pysrc.Expr) bool {
	key := fmt.Sprint(name, by.Bounds().Start)
	if g.seen[key] {
		return true
	}
	g.seen[key] = true
	ends, free := true, false
	pysrc.InspectPath(g.body(), func(n pysrc.Node, path []pysrc.Node) bool {
		if more, ok := n.(*pysrc.AugAssign); ok && n != by && isNamed(more.Target, name) { // loss /= parts has the graph, too
			ends = ends && g.readers(name, more, nil)
		}
		x, ok := n.(*pysrc.Name)
		if !ok || x.ID != name || x.Ctx != pysrc.Load || by.Bounds().Contains(int(x.Start)) || !g.reaches(x, value) {
			return true
		}
		free = free || goesToNumPy(n, path)
		ends = ends && g.ends(n, path)
		return true
	})
	return ends || free
}

// reaches reports a read of what an assignment set, and not of what another one did. What a turn of a loop sets, the next one may read
// before it.
func (g *graphUses) reaches(x *pysrc.Name, value pysrc.Expr) bool {
	if value != nil && x.Start < value.Bounds().Start {
		loop := g.p.LoopAround(value)
		return loop != nil && loop.Bounds().Contains(int(x.Start))
	}
	list, _ := g.p.Module.SaidOrGiven(x)
	return value == nil || len(list) == 0 || slices.ContainsFunc(list, func(s project.Said) bool {
		return s.Value != nil && value.Bounds().Contains(int(s.Value.Bounds().Start)) // or a part of it: a, b = x, y
	})
}

// goesToNumPy reports x.numpy() and x.cpu().numpy().
func goesToNumPy(n pysrc.Node, path []pysrc.Node) bool {
	for _, parent := range slices.Backward(path) {
		switch x := parent.(type) {
		case *pysrc.Attribute:
			if x.Attr == "numpy" {
				return true
			}
			if x.Attr != "cpu" && x.Attr != "squeeze" && x.Attr != "flatten" {
				return false
			}
		case *pysrc.Call:
			if n != pysrc.Node(x.Func) {
				return false
			}
		default:
			return false
		}
		n = parent
	}
	return false
}
