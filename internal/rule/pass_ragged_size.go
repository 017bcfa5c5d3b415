package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// call follows what a call returns: an array that it makes or hands on, or what a function of the project returns.
func (r *raggedSearch) call(p *SourcePass, c *pysrc.Call, place int, from *raggedCall, depth int) *ragged {
	name := p.NameOf(c.Func)
	if fn := p.Eval(c.Func).Func; fn != nil && fn.Def != nil && !fn.IsGenerator() {
		in, site := p.In(fn.Module), p.Module.SiteAt(c)
		if site == nil || p.jitDecorated(fn) {
			return nil // what is compiled has one shape for each of its arguments
		}
		for _, e := range fn.Returns() {
			if found := r.place(in, e, place, &raggedCall{p, site, from}, depth+1); found != nil {
				return found
			}
		}
		return nil
	}
	if name == "next" && len(c.Args) > 0 {
		return r.element(p, c.Args[0], place, from, depth+1)
	}
	library, last, _ := cutLast(name)
	arrays := library == "numpy" || library == "jax.numpy"
	switch {
	case len(c.Args) > 0 && (arrays || library == "jax") && (handsOn[last] || last == "device_put"):
		return r.array(p, c.Args[0], from, depth+1)
	case len(c.Args) > 1 && (strings.HasSuffix(name, "tree_map") || strings.HasSuffix(name, "tree.map")):
		return r.array(p, c.Args[1], from, depth+1)
	case arrays && len(c.Args) > 1 && last == "take":
		return r.array(p, c.Args[1], from, depth+1)
	case arrays && c.Keyword("size") == nil && (choosesRows[last] || last == "where" && len(c.Args) == 1) && r.again(p, c, from):
		return &ragged{p, c}
	case arrays && last == "pad" && len(c.Args) > 1 && r.padsToLongest(p, c.Args[1], from, depth) && r.again(p, c, from):
		return &ragged{p, c}
	}
	if f, ok := c.Func.(*pysrc.Attribute); ok && !arrays && keepsRows[f.Attr] {
		return r.array(p, f.Value, from, depth+1)
	}
	return nil
}

// cutLast splits a dotted name before its last part.
func cutLast(name string) (before, last string, ok bool) {
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return "", name, false
	}
	return name[:at], name[at+1:], true
}

// handsOn are the functions of NumPy and JAX whose result is as long as what they are given.
var handsOn = setOfNames("asarray", "array", "stack", "concatenate", "vstack", "hstack", "float32", "int32", "ascontiguousarray", "expand_dims")

// keepsRows are such methods of arrays.
var keepsRows = setOfNames("astype", "copy", "numpy", "tolist")

// choosesRows are the functions whose result is as long as the values decide.
var choosesRows = setOfNames("nonzero", "flatnonzero", "argwhere", "unique", "compress", "extract")

// padsToLongest reports a padding to the longest of some rows: (0, width - len(row)).
func (r *raggedSearch) padsToLongest(p *SourcePass, widths pysrc.Expr, from *raggedCall, depth int) bool {
	found := false
	pysrc.Inspect(widths, func(n pysrc.Node) bool {
		if sub, ok := n.(*pysrc.BinOp); ok && sub.Op == pysrc.Sub && r.changes(p, sub.Left, from, depth+1) {
			found = true
		}
		return !found
	})
	return found
}

// width reports a slice whose length changes from step to step: x[:n], x[k:], x[s:s + n].
func (r *raggedSearch) width(p *SourcePass, s *pysrc.Slice, from *raggedCall, depth int) bool {
	if s.Lower == nil {
		return s.Upper != nil && r.changes(p, s.Upper, from, depth)
	}
	if s.Upper == nil {
		return r.changes(p, s.Lower, from, depth)
	}
	terms := summands(s.Upper)
	first := p.Text(s.Lower)
	at := slices.IndexFunc(terms, func(e pysrc.Expr) bool { return p.Text(e) == first })
	if at < 0 {
		return false
	}
	return slices.ContainsFunc(slices.Delete(terms, at, at+1), func(e pysrc.Expr) bool { return r.changes(p, e, from, depth) })
}

// summands are the terms of a sum.
func summands(e pysrc.Expr) []pysrc.Expr {
	if sum, ok := e.(*pysrc.BinOp); ok && sum.Op == pysrc.Add {
		return append(summands(sum.Left), summands(sum.Right)...)
	}
	return []pysrc.Expr{e}
}

// changes reports a number that differs from step to step in more than a few ways: it is drawn, read from an array, or the
// length of the longest row. What is rounded to a multiple takes few values.
func (r *raggedSearch) changes(p *SourcePass, e pysrc.Expr, from *raggedCall, depth int) bool {
	if e == nil || depth > deepestRagged {
		return false
	}
	either := func(list []pysrc.Expr) bool {
		return slices.ContainsFunc(list, func(e pysrc.Expr) bool { return r.changes(p, e, from, depth+1) })
	}
	switch x := e.(type) {
	case *pysrc.Name:
		if over, ok := r.loop.(*pysrc.For); ok && from == nil && p.LoopAround(x) == r.loop && isTarget(x, over) && p.manyTurns(over) {
			return true
		}
		list, given := p.Module.SaidOrGiven(x)
		if slices.ContainsFunc(list, func(s project.Said) bool {
			return s.Place < 0 && r.again(p, s.Value, from) && r.changes(p, s.Value, from, depth+1)
		}) {
			return true
		}
		return given && from != nil && r.changes(from.pass, from.site.Given(p.Function(x), x.ID), from.from, depth+1)
	case *pysrc.BinOp:
		if x.Op == pysrc.FloorDiv {
			by, known := p.Eval(x.Right).Int()
			return known && by < slowly && either([]pysrc.Expr{x.Left})
		}
		return (x.Op == pysrc.Add || x.Op == pysrc.Sub || x.Op == pysrc.Mult && !roundsDown(x)) && either([]pysrc.Expr{x.Left, x.Right})
	case *pysrc.BoolOp:
		return either(x.Values)
	case *pysrc.IfExp:
		return either([]pysrc.Expr{x.Body, x.Orelse})
	case *pysrc.Call:
		return r.reads(p, x, either)
	}
	return false
}

// slowly is how many steps a size may stay the same before compiling for the next one no longer counts.
const slowly = 500

// roundsDown reports a product one side of which is a quotient without remainder: n // 64 * 64, -(-n // 64) * 64.
func roundsDown(e pysrc.Expr) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.BinOp:
			found = found || n.Op == pysrc.FloorDiv
		case *pysrc.Call:
			found = found || lastName(n.Func) == "ceil"
		}
		return !found
	})
	return found
}

// reads reports a call that gives such a number.
func (r *raggedSearch) reads(p *SourcePass, c *pysrc.Call, either func([]pysrc.Expr) bool) bool {
	name := p.NameOf(c.Func)
	switch {
	case isLongest(c):
		return true
	case name == "int" && len(c.Args) == 1:
		return reducesArray(c.Args[0]) || either(c.Args)
	case name == "min" || name == "max":
		return either(c.Args)
	case lastName(c.Func) == "item" && len(c.Args) == 0:
		return true
	}
	site := p.Module.SiteAt(c)
	return site != nil && isRandom(site) && p.drawsMany(c)
}

// reducesArray reports a number that an array is reduced to: lengths.max(), (x != 0).sum(-1).max().
func reducesArray(e pysrc.Expr) bool {
	c, ok := e.(*pysrc.Call)
	if !ok {
		return false
	}
	switch lastName(c.Func) {
	case "max", "min", "sum", "amax", "count_nonzero", "argmax":
		_, method := c.Func.(*pysrc.Attribute)
		return method
	}
	return false
}

// fewShapes is how many sizes a step may have before compiling for each of them counts.
const fewShapes = 8

// drawsMany reports a draw of a whole number between bounds that are not known to be close.
func (p *SourcePass) drawsMany(c *pysrc.Call) bool {
	switch lastName(c.Func) {
	case "randint", "integers", "randrange", "random_integers":
	default:
		return false
	}
	if c.Keyword("size") != nil || len(c.Args) > 2 || len(c.Args) == 0 {
		return false
	}
	low, last := int64(0), c.Args[len(c.Args)-1]
	if len(c.Args) == 2 {
		low, _ = p.Eval(c.Args[0]).Int()
	}
	high, known := p.Eval(last).Int()
	return !known || high-low > fewShapes
}

// isTruths reports an array of truth values: a comparison, a combination of such arrays, isfinite(x).
func (p *SourcePass) isTruths(e pysrc.Expr, depth int) bool {
	if depth > 4 {
		return false
	}
	switch x := e.(type) {
	case *pysrc.Compare:
		return len(x.Ops) == 1 && x.Ops[0] != pysrc.Is && x.Ops[0] != pysrc.IsNot && x.Ops[0] != pysrc.In && x.Ops[0] != pysrc.NotIn
	case *pysrc.BinOp:
		return (x.Op == pysrc.BitAnd || x.Op == pysrc.BitOr) && (p.isTruths(x.Left, depth+1) || p.isTruths(x.Right, depth+1))
	case *pysrc.UnaryOp:
		return x.Op == pysrc.Invert && p.isTruths(x.Operand, depth+1)
	case *pysrc.Name:
		said := p.Module.SaidLast(x)
		return said != nil && p.isTruths(said, depth+1)
	case *pysrc.Call:
		f, method := x.Func.(*pysrc.Attribute)
		switch last := lastName(x.Func); last {
		case "isfinite", "isnan", "isin", "logical_and", "logical_or", "logical_not", "not_equal", "greater", "less":
			return true
		case "all", "any":
			return method && (len(x.Args) > 0 || len(x.Keywords) > 0) && p.isTruths(f.Value, depth+1)
		case "astype":
			return len(x.Args) == 1 && strings.HasPrefix(lastName(x.Args[0]), "bool")
		}
	}
	return false
}
