package rule

import (
	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// repeatCopies finds tensors that repeat copies along an axis of one element, where a view does.
var repeatCopies = Rule{
	Code: "SAT425", Name: "repeat-copies", Severity: Advice, Subject: AboutKernels,
	Areas: []Area{ComputeArea},
	Title: "repeat copies a tensor where expand does not",
	What: "x.unsqueeze(2).repeat(1, 1, n), and repeat behind view(…, 1), [:, None], a reduction with keepdim=True or of a parameter " +
		"with axes of one element, in every training step, where the result only goes into arithmetic, torch.cat or, as an index, torch.gather.",
	Why: "repeat writes each copy to memory, and what uses them reads them again. expand shows the one element n times, and " +
		"arithmetic broadcasts by itself.",
	Fine: "A result that is written to in place.",
	Bad:  "x = torch.cat((x.unsqueeze(2).repeat(1, 1, n), points), dim=1)",
	Good: "x = torch.cat((x.unsqueeze(2).expand(-1, -1, n), points), dim=1)",

	Little: "one copy takes little beside most steps",
	Safety: Safe,
	Source: func(p *SourcePass) {
		if !p.Module.InStep() || !p.runsOnGPU() || p.jaxOnly() {
			return
		}
		said := map[*project.Function]*Report{}
		for _, c := range p.MethodCalls("repeat") {
			counts := countsOfRepeat(c.Node)
			if !p.mayStep(c) || !p.repeatsOnes(c, counts) || !p.onlyBroadcast(c) || p.OnDevice(c.Receiver()) < probable {
				continue
			}
			way, ok := p.EachStep(c)
			if !ok {
				continue
			}
			edits := p.expandInstead(c, counts)
			if r := said[c.Func]; r != nil {
				r.Too(p.At(c, "and here"))
				r.finding.Fixes[0].Edits = append(r.finding.Fixes[0].Edits, edits...)
				continue
			}
			said[c.Func] = p.Report(c, likely*way.Sure).Because(way).
				Fix(Safe, "expand it, which copies nothing", edits...)
		}
	},
}

// countsOfRepeat are how often x.repeat(1, n) and x.repeat([1, n]) repeat each axis.
func countsOfRepeat(c *pysrc.Call) []pysrc.Expr {
	if len(c.Keywords) > 0 {
		return nil
	}
	if len(c.Args) == 1 {
		switch list := c.Args[0].(type) {
		case *pysrc.List:
			return list.Elts
		case *pysrc.Tuple:
			return list.Elts
		}
	}
	return c.Args
}

// repeatsOnes reports a call that repeats only axes of one element.
func (p *SourcePass) repeatsOnes(c Call, counts []pysrc.Expr) bool {
	ones := p.axesOfOne(c.Receiver(), len(counts), 0)
	repeated := false
	for axis, count := range counts {
		if _, star := count.(*pysrc.Starred); star {
			return false
		}
		if n, known := pysrc.IntValue(count); known && n == 1 {
			continue
		}
		if !ones[axis] {
			return false
		}
		repeated = true
	}
	return repeated
}

// onlyBroadcast reports a tensor that only goes into arithmetic and torch.cat, itself or by the variable that holds it.
func (p *SourcePass) onlyBroadcast(c Call) bool {
	fn := c.Func.Def
	if fn == nil {
		return false
	}
	var holder string
	fine, uses := true, 0
	pysrc.InspectPath(fn, func(n pysrc.Node, path []pysrc.Node) bool {
		switch {
		case n == pysrc.Node(c.Node):
			if a, ok := path[len(path)-1].(*pysrc.Assign); ok && len(a.Targets) == 1 {
				if name, ok := a.Targets[0].(*pysrc.Name); ok {
					holder = name.ID
					return true
				}
			}
			fine, uses = fine && broadcasts(path), uses+1
		case holder != "":
			name, ok := n.(*pysrc.Name)
			if !ok || name.ID != holder || name.Start < c.Node.End {
				return true
			}
			if name.Ctx == pysrc.Store {
				_, again := path[len(path)-1].(*pysrc.AugAssign)
				fine = fine && !again
				return true
			}
			switch said := p.Module.SaidLast(name); {
			case said == pysrc.Expr(c.Node) && !asksSize(path[len(path)-1]):
				fine, uses = fine && broadcasts(path), uses+1
			case said == nil:
				fine = false
			}
		}
		return fine
	})
	return fine && uses > 0
}

// broadcasts reports what stands in arithmetic, as the index of gather, or in a list that torch.cat joins; path are the nodes
// around it.
func broadcasts(path []pysrc.Node) bool {
	switch around := path[len(path)-1].(type) {
	case *pysrc.BinOp:
		return around.Op != pysrc.MatMult
	case *pysrc.Call:
		return lastName(around.Func) == "gather"
	case *pysrc.List, *pysrc.Tuple:
		if len(path) < 2 {
			return false
		}
		c, ok := path[len(path)-2].(*pysrc.Call)
		return ok && (lastName(c.Func) == "cat" || lastName(c.Func) == "concat")
	}
	return false
}

// expandInstead are the edits that make x.expand(-1, n) of x.repeat(1, n).
func (p *SourcePass) expandInstead(c Call, counts []pysrc.Expr) []patch.Edit {
	method := c.Node.Func.(*pysrc.Attribute)
	edits := []patch.Edit{p.Module.Edit(pysrc.Span{Start: method.End - int32(len(method.Attr)), End: method.End}, "expand")}
	for _, count := range counts {
		if n, known := pysrc.IntValue(count); known && n == 1 {
			edits = append(edits, p.Module.Edit(count.Bounds(), "-1"))
		}
	}
	return edits
}
