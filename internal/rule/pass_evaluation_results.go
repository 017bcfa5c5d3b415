package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// manyResults reports an expression that stands for one value for each row on the host: of an array or what was copied from the GPU, a
// list that grew from batch to batch, or the numbers of their rows.
func (p *SourcePass) manyResults(e pysrc.Expr, depth int) bool {
	if depth > deepestTurns {
		return false
	}
	switch x := e.(type) {
	case *pysrc.Call:
		return p.manyResultsOf(x, depth)
	case *pysrc.Subscript:
		if _, cut := firstIndex(x).(*pysrc.Slice); cut {
			return p.manyResults(x.Value, depth+1)
		}
		return p.isArray(x) || p.fromBatches(x) && p.isGoneOver(x)
	case *pysrc.ListComp:
		return p.manyResults(x.Generators[0].Iter, depth+1)
	case *pysrc.UnaryOp:
		return p.manyResults(x.Operand, depth+1)
	case *pysrc.BinOp:
		return p.manyResults(x.Left, depth+1) || p.manyResults(x.Right, depth+1)
	case *pysrc.Attribute:
		return p.isArray(x)
	case *pysrc.Name:
		return p.manyResultsNamed(x, depth)
	}
	return false
}

// manyResultsOf is manyResults of what a call gives.
func (p *SourcePass) manyResultsOf(c *pysrc.Call, depth int) bool {
	a, method := c.Func.(*pysrc.Attribute)
	switch lastName(c.Func) {
	case "enumerate", "list", "tuple", "reversed", "sorted", "iter", "tqdm", "trange":
		return len(c.Args) > 0 && p.manyResults(c.Args[0], depth+1)
	case "zip":
		return len(c.Args) > 0 && !slices.ContainsFunc(c.Args, overConstant) && slices.ContainsFunc(c.Args, func(e pysrc.Expr) bool { return p.manyResults(e, depth+1) })
	case "range", "arange":
		return p.countsResults(c, depth)
	case "batch_decode":
		return true
	case "tolist", "numpy":
		return method && !p.isScalar(a.Value)
	case "argsort":
		return method && p.valueOnGPU(a.Value, 0) < likely
	case "cpu", "detach", "copy", "astype", "squeeze", "flatten", "ravel", "reshape", "data":
		return method && (p.isArray(c) || p.manyResults(a.Value, depth+1) || p.valueOnGPU(a.Value, 0) >= likely)
	case "nonzero", "argwhere", "flatnonzero", "where", "argpartition":
		return strings.HasPrefix(p.NameOf(c.Func), "numpy.")
	case "unique", "keys", "items", "values", "parameters", "named_parameters":
		return false
	}
	name := p.NameOf(c.Func)
	return strings.HasPrefix(name, "numpy.") && (batchMakers[name] || name == "numpy.append" || p.isArray(c))
}

// isScalar reports the shape of a tensor, or a sum over all of it.
func (p *SourcePass) isScalar(e pysrc.Expr) bool {
	c, ok := e.(*pysrc.Call)
	return shapeOf(e) != nil || ok && len(c.Args) == 0 && (lastName(c.Func) == "mean" || lastName(c.Func) == "sum" || lastName(c.Func) == "size")
}

// countsResults reports range(n) up to the rows of an array or to the length of a list of results.
func (p *SourcePass) countsResults(c *pysrc.Call, depth int) bool {
	if len(c.Args) == 0 || len(c.Args) > 2 {
		return false
	}
	bound := c.Args[len(c.Args)-1]
	if name, ok := bound.(*pysrc.Name); ok {
		if last := p.Module.SaidLast(name); last != nil {
			bound = last
		}
	}
	if p.sizeOf(bound, 0) != nil {
		return true
	}
	length, ok := p.onceSaid(bound).(*pysrc.Call)
	return ok && lastName(length.Func) == "len" && len(length.Args) == 1 && p.manyResults(length.Args[0], depth+1)
}

// manyResultsNamed is manyResults of a variable: by what sets it, by the loops that fill it, or by what callers pass.
func (p *SourcePass) manyResultsNamed(name *pysrc.Name, depth int) bool {
	if last := p.Module.SaidLast(name); last != nil && !isNewList(last) && p.manyResults(last, depth+1) {
		return true
	}
	list, given := p.Module.SaidOrGiven(name)
	if len(list) > 0 && !given {
		return !slices.ContainsFunc(list, func(s project.Said) bool { return !p.saidResults(name, s, depth) })
	}
	if p.fromBatches(name) {
		return p.isGoneOver(name)
	}
	fn := p.Function(name)
	if !given || fn.Def == nil {
		return false
	}
	callers := p.Project.Callers(fn)
	return len(callers) <= mostHandovers && slices.ContainsFunc(callers, func(s *project.Site) bool {
		arg := s.Given(fn, name.ID)
		return arg != nil && s.Func != fn && p.In(s.Module()).manyResults(arg, depth+1)
	})
}

// saidResults is manyResults of what sets a variable.
func (p *SourcePass) saidResults(name *pysrc.Name, s project.Said, depth int) bool {
	if s.Value == nil {
		return false
	}
	if pysrc.IsConst(s.Value, pysrc.None) {
		return true // until the first batch
	}
	if isNewList(s.Value) {
		return p.growsByBatch(name)
	}
	if s.Place >= 0 {
		if parts := elementsOf(s.Value); s.Place < len(parts) {
			if isNewList(parts[s.Place]) {
				return p.growsByBatch(name)
			}
			return p.manyResults(parts[s.Place], depth+1)
		}
		c, ok := s.Value.(*pysrc.Call)
		return ok && strings.HasPrefix(p.NameOf(c.Func), "numpy.") && p.manyResults(c, depth+1)
	}
	return p.manyResults(s.Value, depth+1)
}

// growsByBatch reports a list to which a loop that runs a model, or goes over a loader, appends.
func (p *SourcePass) growsByBatch(name *pysrc.Name) bool {
	return slices.ContainsFunc(p.Function(name).Sites, func(s *project.Site) bool {
		a, ok := s.Node.Func.(*pysrc.Attribute)
		if !ok || a.Attr != "append" && a.Attr != "extend" || !isNamed(a.Value, name.ID) || s.Node.Start > name.Start {
			return false
		}
		for loop := p.LoopAround(s); loop != nil; loop = p.LoopAround(loop) {
			if p.evaluatesIn(loop) {
				return true
			}
		}
		return false
	})
}

// evaluatesIn reports a loop over batches: over a loader or an iterator of the project, or one that runs a model.
func (p *SourcePass) evaluatesIn(loop pysrc.Stmt) bool {
	over, ok := loop.(*pysrc.For)
	if !ok || p.leadsTraining(loop) {
		return false
	}
	from := over.Iter
	if name, ok := from.(*pysrc.Name); ok {
		if last := p.Module.SaidLast(name); last != nil {
			from = last
		}
	}
	v := p.Eval(from)
	taken := slices.ContainsFunc(append([]Value{v}, v.Either...), func(v Value) bool { return v.TakenBy() != nil })
	return taken || p.overLoader(over) ||
		slices.ContainsFunc(p.Function(loop).Sites, func(s *project.Site) bool {
			return inBody(over.Body, s.Node) && p.callsModel(s)
		})
}

// fromBatches reports a variable, or a part of one, that a loop over batches sets.
func (p *SourcePass) fromBatches(e pysrc.Expr) bool {
	root := rootName(e)
	for loop := p.LoopAround(e); loop != nil && root != ""; loop = p.LoopAround(loop) {
		if over, ok := loop.(*pysrc.For); ok && namesStored(over.Target)[root] {
			return p.evaluatesIn(loop)
		}
	}
	return false
}

// isGoneOver reports a batch or a part of it; not its number.
func (p *SourcePass) isGoneOver(e pysrc.Expr) bool {
	for loop := p.LoopAround(e); loop != nil; loop = p.LoopAround(loop) {
		if over, ok := loop.(*pysrc.For); ok && callsNamed(over.Iter, "enumerate") && isNamed(firstOf(over.Target), rootName(e)) {
			return false
		}
	}
	return true
}
