package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// unrollsData reports a loop of a compiled function that runs as often as an array is long, each iteration on what the one
// before gave.
func (p *SourcePass) unrollsData(loop *pysrc.For) bool {
	fn := p.Function(loop)
	return p.turns(loop) == 0 && carriesState(loop) && (p.countsData(loop) || p.goesOverRows(loop)) &&
		(p.compiledSomewhere(fn, 0) || p.inCompiledNetwork(fn, 0))
}

// goesOverRows reports a loop over a parameter each row of which something is called on: for x in xs: h = cell(x, h). What is called
// itself is a layer, and no row.
func (p *SourcePass) goesOverRows(loop *pysrc.For) bool {
	row, ok := loop.Target.(*pysrc.Name)
	return ok && isParameter(p.Function(loop), loop.Iter) && !callsTarget(loop) && slices.ContainsFunc(p.Function(loop).Sites, func(s *project.Site) bool {
		return inBody(loop.Body, s.Node) && p.computesRow(s.Node, row.ID)
	})
}

// computesRow reports a call of a model or of a function of the project that gets a row of an array, or a part of the row.
func (p *SourcePass) computesRow(c *pysrc.Call, row string) bool {
	v := p.Eval(c.Func)
	own := v.Func != nil || v.Kind == project.Instance || isParameter(p.Function(c), c.Func) || project.FieldOfSelf(c.Func) != ""
	return own && slices.ContainsFunc(c.Args, func(e pysrc.Expr) bool { return rootName(e) == row })
}

// dispatchedByRow reports loops over the rows of an array that a step runs, compiled nowhere or unrolled: a call of a model for each, or
// a row of a new array set in each.
func (p *SourcePass) dispatchedByRow(loop *pysrc.For) bool {
	return p.isHot(header(loop)) && !p.isTrainingLoop(loop) && !p.EvaluationOnly(header(loop)) &&
		(p.goesOverRows(loop) && sumsUp(loop) || p.turns(loop) == 0 && p.countsData(loop) && setsRows(loop))
}

// sumsUp reports a loop that adds up or gathers what each iteration gives.
func sumsUp(loop *pysrc.For) bool {
	return slices.ContainsFunc(loop.Body, func(s pysrc.Stmt) bool {
		if up, ok := s.(*pysrc.AugAssign); ok {
			return up.Op == pysrc.Add
		}
		call, ok := s.(*pysrc.ExprStmt)
		return ok && callsNamed(call.Value, "append")
	})
}

// setsRows reports x = x.at[i].set(…) with the number of the iteration.
func setsRows(loop *pysrc.For) bool {
	index, ok := loop.Target.(*pysrc.Name)
	found := false
	for _, s := range loop.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			part, is := n.(*pysrc.Subscript)
			found = found || ok && is && lastName(part.Value) == "at" && mentionsName(part.Slice, index.ID)
			return !found
		})
	}
	return found
}

// inCompiledNetwork reports the forward pass of a network in a training program that compiles: jax.vmap(model)(x) in a
// compiled loss leads to it, where no call names it.
func (p *SourcePass) inCompiledNetwork(fn *project.Function, depth int) bool {
	if depth < 2 && fn.Class != nil && fn.BaseName() != "__call__" { // a method of the network that its forward pass calls
		return slices.ContainsFunc(p.Project.Callers(fn), func(s *project.Site) bool {
			return s.Func.Class == fn.Class && p.In(s.Module()).inCompiledNetwork(s.Func, depth+1)
		})
	}
	return fn.Class != nil && fn.BaseName() == "__call__" && fn.Class.Derives("equinox.Module", "flax.linen.Module", "flax.nnx.Module") &&
		p.trained() && p.NearSays("jax.jit", "filter_jit", "nnx.jit", "pmap", "import jit")
}

// carriesState reports a loop that hands a value on from one iteration to the next: s = step(s), states[i] = cell(x, states[i]),
// h = decay * h + x[t].
func carriesState(loop *pysrc.For) bool {
	carries := false
	for _, s := range loop.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.FunctionDef, *pysrc.Lambda:
				return false
			case *pysrc.Assign:
				carries = carries || len(n.Targets) == 1 && takesAgain(n.Value, storedNames(n.Targets[0]))
			}
			return !carries
		})
	}
	return carries
}

// storedNames are the names that a target sets, in whole or in part: state, (h, c), states[i].
func storedNames(target pysrc.Expr) map[string]bool {
	if part, ok := target.(*pysrc.Subscript); ok {
		return map[string]bool{rootName(part): true}
	}
	return namesStored(target)
}

// takesAgain reports a value that is computed from one of the names: by a call that is given it, or by an operator.
func takesAgain(value pysrc.Expr, names map[string]bool) bool {
	switch x := value.(type) {
	case *pysrc.BinOp:
		return mentionsAny(x, names)
	case *pysrc.Call:
		given := slices.Clone(x.Args)
		for _, k := range x.Keywords {
			given = append(given, k.Value)
		}
		return slices.ContainsFunc(given, func(e pysrc.Expr) bool {
			switch e := e.(type) {
			case *pysrc.Name:
				return names[e.ID]
			case *pysrc.Subscript:
				return names[rootName(e)]
			case *pysrc.Tuple:
				return mentionsAny(e, names)
			}
			return false
		})
	}
	return false
}

// countsData reports a loop over as many numbers as an array is long: range(x.shape[0]), or a parameter that gets that.
func (p *SourcePass) countsData(loop *pysrc.For) bool {
	c, ok := loop.Iter.(*pysrc.Call)
	if ok && pysrc.DottedName(c.Func) == "reversed" && len(c.Args) == 1 {
		c, ok = c.Args[0].(*pysrc.Call)
	}
	return ok && p.NameOf(c.Func) == "range" && slices.ContainsFunc(c.Args, func(x pysrc.Expr) bool { return p.countsOf(x, loop) })
}

// countsOf reports the length of an array: x.shape[0], a variable or a parameter that holds it, or one less.
func (p *SourcePass) countsOf(e pysrc.Expr, loop *pysrc.For) bool {
	switch x := e.(type) {
	case *pysrc.BinOp:
		return (x.Op == pysrc.Sub || x.Op == pysrc.Add) && p.countsOf(x.Left, loop)
	case *pysrc.Name:
		if said := p.Module.SaidOnce(x); said != nil && isLength(said) {
			return true
		}
		fn := p.Function(loop)
		return p.ofShape(x) || slices.ContainsFunc(p.Project.Callers(fn), func(s *project.Site) bool {
			given := s.Given(fn, x.ID)
			return given != nil && isLength(given)
		})
	}
	return isLength(e)
}

// isLength reports x.shape[i]; len(x) may count the layers of a list.
func isLength(e pysrc.Expr) bool {
	part, ok := e.(*pysrc.Subscript)
	return ok && shapeOf(part.Value) != nil
}
