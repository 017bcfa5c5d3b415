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
	return p.turns(loop) == 0 && carriesState(loop) && p.countsData(loop) && (p.compiledSomewhere(fn, 0) || p.inCompiledNetwork(fn))
}

// inCompiledNetwork reports the forward pass of a network in a training program that compiles: jax.vmap(model)(x) in a
// compiled loss leads to it, where no call names it.
func (p *SourcePass) inCompiledNetwork(fn *project.Function) bool {
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
