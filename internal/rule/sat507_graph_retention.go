package rule

import (
	"slices"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// graphRetention finds losses that are gathered over the steps together with their graph.
var graphRetention = Rule{
	Code: "SAT507", Name: "graph-retention", Severity: Warning, Subject: AboutMemory,
	Areas: []Area{ComputeArea},
	Title: "losses are collected together with their graph",
	What: "total += loss, losses.append(loss), self.losses.append(loss) or meter.update(loss) in a training step, where the sum " +
		"or list outlives the step and the loss, or what the model gave, is not detached.",
	Why:    "A loss keeps the graph that computed it, so memory grows with every step until it runs out.",
	Fine:   "A sum that is differentiated itself: several losses of one step, or truncated backpropagation through time.",
	Advice: "Collect loss.detach(), and read it with .item() when you print it.",
	Bad:    "total += loss",
	Good:   "total += loss.detach()",
	Safety: Safe,
	Source: func(p *SourcePass) {
		p.keptInFields()
		p.keptByHelpers()
		for _, loop := range p.TrainingLoops() {
			for _, kept := range p.keptLosses(loop) {
				if _, ok := p.EachStep(kept.statement); !ok {
					continue
				}
				var edits []patch.Edit
				for _, value := range kept.values {
					edits = append(edits, p.InsertAfter(value, ".detach()"))
				}
				p.Report(kept.statement, 0.95*p.GPU()).Fix(Safe, "detach the loss from its graph", edits...)
			}
		}
	},
}

// keptLoss is what a statement adds, with its graph, to something that outlives the step.
type keptLoss struct {
	statement pysrc.Stmt
	values    []pysrc.Expr
}

// keptLosses are the statements of a loop that add a variable on which backward is called, or something else with its
// graph, to a sum or list from outside the loop, which is not differentiated itself.
func (p *SourcePass) keptLosses(loop *project.Loop) []keptLoss {
	var list []keptLoss
	if keepsGraphs(loop.Func) {
		return nil
	}
	for _, s := range p.statementsIn(loop) {
		k, ok := keepingOf(s)
		if !ok || !p.outlives(k.into, loop, s) {
			continue
		}
		if _, list := s.(*pysrc.ExprStmt); !list && p.withoutGradients(s) {
			continue // the sum has no graph; a list would keep the loss as it is
		}
		values := slices.DeleteFunc(k.values, func(e pysrc.Expr) bool { return !p.keepsLoss(e, loop, s) })
		if len(values) > 0 {
			list = append(list, keptLoss{s, values})
		}
	}
	return list
}

// keepsLoss reports a value that holds the graph of a step which has gone back through it.
func (p *SourcePass) keepsLoss(value pysrc.Expr, loop *project.Loop, s pysrc.Stmt) bool {
	if p.detachedBefore(value, loop) {
		return false
	}
	if loss, ok := value.(*pysrc.Name); ok && p.differentiated(loss.ID, loop) {
		return true
	}
	return p.LoopAround(s) == loop.Stmt && p.hasGraph(value, 0)
}

// detachedBefore reports whether the last assignment to a variable before it is read in a loop takes it off its graph:
// loss = loss.detach().
func (p *SourcePass) detachedBefore(loss pysrc.Expr, loop *project.Loop) bool {
	detached := false
	for _, s := range p.statementsIn(loop) {
		a, ok := s.(*pysrc.Assign)
		if !ok || a.Start >= loss.Bounds().Start || len(a.Targets) != 1 || !isSameOrPart(a.Targets[0], loss) {
			continue
		}
		detached = callsNamed(a.Value, "detach") || callsNamed(a.Value, "item") || callsNamed(a.Value, "float")
		if of, ok := a.Value.(*pysrc.Attribute); ok {
			detached = of.Attr == "data"
		}
	}
	return detached
}

// isSameOrPart reports the same variable, or two parts of one: losses[k] and losses["total"].
func isSameOrPart(a, b pysrc.Expr) bool {
	x, ok := a.(*pysrc.Subscript)
	y, both := b.(*pysrc.Subscript)
	if ok && both {
		return isSameOrPart(x.Value, y.Value)
	}
	name, ok := b.(*pysrc.Name)
	return ok && isNamed(a, name.ID)
}

// differentiated reports whether backward is called on a variable in the function
// of a loop, as it is or as part of another expression.
func (p *SourcePass) differentiated(name string, loop *project.Loop) bool {
	for _, s := range loop.Func.Sites {
		if goesBack(s) && mentions(s.Node, name) {
			return true
		}
	}
	return false
}

// keepsGraphs reports a function that keeps its graphs on purpose, to go through them
// again: backward(retain_graph=True).
func keepsGraphs(fn *project.Function) bool {
	for _, s := range fn.Sites {
		if goesBack(s) && s.Node.Keyword("retain_graph") != nil {
			return true
		}
	}
	return false
}

// computedOn reports whether a loop differentiates what an assignment sets, or computes another variable from it.
func (p *SourcePass) computedOn(a *pysrc.Assign, loop *project.Loop) bool {
	for _, t := range a.Targets {
		name := pysrc.DottedName(t)
		if name == "" || p.differentiated(name, loop) {
			return true
		}
		for _, s := range p.statementsIn(loop) {
			if other, ok := s.(*pysrc.Assign); ok && other != a && mentions(other.Value, name) {
				return true
			}
		}
	}
	return false
}

// isNamed reports the name itself.
func isNamed(e pysrc.Expr, name string) bool {
	n, ok := e.(*pysrc.Name)
	return ok && n.ID == name
}

// startedAgain reports a sum or list that is set anew every few steps: it keeps the graphs of all steps before.
func (p *SourcePass) startedAgain(a *pysrc.Assign) bool {
	n, known := p.stepsBetween(a)
	guard := p.Rare(a)
	_, number := pysrc.FloatValue(a.Value)
	empty, list := a.Value.(*pysrc.List)
	return (number || list && len(empty.Elts) == 0) && (known && n > 1 || guard != nil && guard.Kind == project.EveryN)
}

// outlives reports a variable, or a part of one, that is set before a loop, by the caller or by the module, and not anew
// in the loop but by the statement that adds to it, and that the loop's other statements do not compute with: a loss made
// of parts would be differentiated under another name.
func (p *SourcePass) outlives(into pysrc.Expr, loop *project.Loop, adding pysrc.Stmt) bool {
	name := rootName(into)
	if name == "" || name == loop.Func.Self() || p.differentiated(name, loop) {
		return false
	}
	before, within := loop.Func.HasParameter(name), false
	body := pysrc.Node(p.Module.File.Module)
	if loop.Func.Def != nil {
		body = loop.Func.Def
	}
	span := loop.Bounds()
	pysrc.Inspect(body, func(n pysrc.Node) bool {
		a, ok := n.(*pysrc.Assign)
		if !ok || pysrc.Stmt(a) == adding {
			return true
		}
		for _, t := range a.Targets {
			if storesName(t, name) {
				if span.Contains(int(a.Start)) {
					within = within || !p.startedAgain(a)
				} else if a.Start < span.Start {
					before = true
				}
			}
		}
		if span.Contains(int(a.Start)) && mentions(a.Value, name) && p.computedOn(a, loop) {
			within = true
		}
		return true
	})
	return before && !within
}
