package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// graphRetention finds losses that are gathered over the steps together with their graph.
var graphRetention = Rule{
	Code: "SAT507", Name: "graph-retention", Severity: Warning, Subject: AboutMemory,
	Areas: []Area{ComputeArea},
	Title: "losses are collected together with their graph",
	What: "total += loss, losses.append(loss) or self.losses.append(loss) in a training step, where the sum or list outlives " +
		"the step and the loss is not detached.",
	Why:    "A loss keeps the graph that computed it, so memory grows with every step until it runs out.",
	Fine:   "A sum that is differentiated itself: several losses of one step, or truncated backpropagation through time.",
	Advice: "Collect loss.detach(), and read it with .item() when you print it.",
	Bad:    "total += loss",
	Good:   "total += loss.detach()",
	Safety: Safe,
	Source: func(p *SourcePass) {
		p.keptInFields()
		for _, loop := range p.TrainingLoops() {
			for _, kept := range p.keptLosses(loop) {
				if _, ok := p.EachStep(kept.value); !ok {
					continue
				}
				p.Report(kept.statement, 0.95*p.GPU()).
					Fix(Safe, "detach the loss from its graph", p.InsertAfter(kept.value, ".detach()"))
			}
		}
	},
}

// keptLoss is a loss that a statement adds to something that outlives the step.
type keptLoss struct {
	statement pysrc.Stmt
	value     pysrc.Expr
}

// keptLosses are the statements of a loop that add a variable on which backward
// is called to a sum or list from outside the loop, which is not differentiated itself.
func (p *SourcePass) keptLosses(loop *project.Loop) []keptLoss {
	var list []keptLoss
	for _, s := range p.statementsIn(loop) {
		var into, value pysrc.Expr
		switch s := s.(type) {
		case *pysrc.AugAssign:
			if s.Op == pysrc.Add {
				into, value = s.Target, s.Value
			}
		case *pysrc.Assign: // total = total + loss
			if sum, ok := s.Value.(*pysrc.BinOp); ok && len(s.Targets) == 1 && sum.Op == pysrc.Add {
				if name, ok := s.Targets[0].(*pysrc.Name); ok && isNamed(sum.Left, name.ID) {
					into, value = name, sum.Right
				}
			}
		case *pysrc.ExprStmt:
			if c, ok := s.Value.(*pysrc.Call); ok && len(c.Args) == 1 {
				if f, ok := c.Func.(*pysrc.Attribute); ok && f.Attr == "append" {
					into, value = f.Value, c.Args[0]
				}
			}
		}
		loss, ok := value.(*pysrc.Name)
		if !ok || !p.differentiated(loss.ID, loop) || keepsGraph(loop) || p.detachedBefore(loss, loop) {
			continue
		}
		if _, list := s.(*pysrc.ExprStmt); !list && p.withoutGradients(s) {
			continue // the sum has no graph; a list would keep the loss as it is
		}
		if name, ok := into.(*pysrc.Name); ok && p.outlives(name.ID, loop, s) && !p.differentiated(name.ID, loop) {
			list = append(list, keptLoss{s, loss})
		}
	}
	return list
}

// detachedBefore reports whether the last assignment to a variable before it is read in a loop takes it off its graph:
// loss = loss.detach().
func (p *SourcePass) detachedBefore(loss *pysrc.Name, loop *project.Loop) bool {
	detached := false
	for _, s := range p.statementsIn(loop) {
		a, ok := s.(*pysrc.Assign)
		if !ok || a.Start >= loss.Start || len(a.Targets) != 1 || !isNamed(a.Targets[0], loss.ID) {
			continue
		}
		detached = callsNamed(a.Value, "detach") || callsNamed(a.Value, "item") || callsNamed(a.Value, "float")
		if of, ok := a.Value.(*pysrc.Attribute); ok {
			detached = of.Attr == "data"
		}
	}
	return detached
}

// differentiated reports whether backward is called on a variable in the function
// of a loop, as it is or as part of another expression.
func (p *SourcePass) differentiated(name string, loop *project.Loop) bool {
	for _, s := range loop.Func.Sites {
		if m := s.Method(); m != "backward" && m != "manual_backward" {
			continue
		}
		if mentions(s.Node, name) {
			return true
		}
	}
	return false
}

// keepsGraph reports a loop that keeps its graphs on purpose, to go through them
// again: backward(retain_graph=True).
func keepsGraph(loop *project.Loop) bool {
	for _, s := range loop.Func.Sites {
		if s.Method() == "backward" && s.Node.Keyword("retain_graph") != nil {
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

// startedAgain reports a sum that is set to a number every few steps: it keeps the graphs of all steps before.
func (p *SourcePass) startedAgain(a *pysrc.Assign) bool {
	n, known := p.stepsBetween(a)
	guard := p.Rare(a)
	_, number := pysrc.FloatValue(a.Value)
	return number && (known && n > 1 || guard != nil && guard.Kind == project.EveryN)
}

// outlives reports whether a variable is set before a loop and not anew in it but by the statement that adds to it, and
// that the loop's other statements do not compute with it: a loss made of parts
// would be differentiated under another name.
func (p *SourcePass) outlives(name string, loop *project.Loop, adding pysrc.Stmt) bool {
	before, within := false, false
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
			if x, ok := t.(*pysrc.Name); ok && x.ID == name {
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
