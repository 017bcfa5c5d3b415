package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// raggedSteps reports compiled steps of JAX that get arrays of another shape from step to step: rows chosen by a mask, a
// slice as long as a number that is read or drawn.
func (p *SourcePass) raggedSteps() {
	if !p.usesJAX() || p.Imports("torch") || p.Module.Role == project.Test {
		return
	}
	for _, l := range p.JAXLoops() {
		for _, s := range l.Func.Sites {
			if !l.Bounds().Contains(int(s.Node.Start)) || !p.isCompiledCall(s) || p.Rare(s) != nil {
				continue
			}
			if source := p.raggedArgument(s, l); source != nil {
				p.sayRagged(s, source)
				break
			}
		}
	}
}

// raggedArgument is where an argument of a step gets its changing shape; nil where all have one shape, as far as the
// source tells.
func (p *SourcePass) raggedArgument(s *project.Site, l jaxLoop) *ragged {
	r := &raggedSearch{loop: l.Stmt}
	for _, arg := range argumentsOf(s.Node) {
		if found := r.array(p, arg, nil, 0); found != nil {
			return found
		}
	}
	return nil
}

// isCompiledCall reports a call of a function that JAX compiles for each shape of its arguments.
func (p *SourcePass) isCompiledCall(s *project.Site) bool {
	fn := p.Eval(s.Node.Func).Func
	return fn != nil && fn.Def != nil && (p.jitDecorated(fn) || p.handedToJit(fn))
}

func (p *SourcePass) sayRagged(step *project.Site, from *ragged) {
	var r *Report
	if from.pass.Module == p.Module {
		r = p.Report(from.at, probable).Because(p.At(step, "the compiled step gets it"))
	} else {
		r = p.Report(step, probable).Because(from.pass.At(from.at, "the shape changes here"))
	}
	r.Saying("the shape of %s changes from step to step, so JAX compiles the step again for each", from.pass.Short(from.at)).
		Advising("Keep the shape: weight or mask the rows instead of removing them, give jnp.nonzero and jnp.where a size=, or pad to " +
			"one of a few lengths.")
}

// ragged is an expression whose array has another shape in each step.
type ragged struct {
	pass *SourcePass
	at   pysrc.Expr
}

// raggedCall is the call through which a function was reached, which gives its parameters.
type raggedCall struct {
	pass *SourcePass
	site *project.Site
	from *raggedCall
}

// raggedSearch follows the arrays of a step back to where their shape is decided.
type raggedSearch struct{ loop pysrc.Stmt }

const deepestRagged = 24

// array follows the value of an expression.
func (r *raggedSearch) array(p *SourcePass, e pysrc.Expr, from *raggedCall, depth int) *ragged {
	if e == nil || depth > deepestRagged {
		return nil
	}
	switch x := e.(type) {
	case *pysrc.Name:
		return r.name(p, x, from, depth)
	case *pysrc.Subscript:
		return r.part(p, x, from, depth)
	case *pysrc.BinOp:
		return r.any(p, []pysrc.Expr{x.Left, x.Right}, from, depth)
	case *pysrc.Tuple:
		return r.any(p, x.Elts, from, depth)
	case *pysrc.List:
		return r.any(p, x.Elts, from, depth)
	case *pysrc.Dict:
		return r.any(p, x.Values, from, depth)
	case *pysrc.ListComp:
		return r.array(p, x.Elt, from, depth+1)
	case *pysrc.GeneratorExp:
		return r.array(p, x.Elt, from, depth+1)
	case *pysrc.DictComp:
		return r.array(p, x.Value, from, depth+1)
	case *pysrc.Starred:
		return r.array(p, x.Value, from, depth+1)
	case *pysrc.Attribute:
		if x.Attr == "T" {
			return r.array(p, x.Value, from, depth+1)
		}
	case *pysrc.Call:
		return r.call(p, x, -1, from, depth)
	}
	return nil
}

func (r *raggedSearch) any(p *SourcePass, list []pysrc.Expr, from *raggedCall, depth int) *ragged {
	for _, e := range list {
		if found := r.array(p, e, from, depth+1); found != nil {
			return found
		}
	}
	return nil
}

// name follows a variable: what it is set to, the elements of the loop that sets it, the argument of the call that gave it,
// and what is appended to it.
func (r *raggedSearch) name(p *SourcePass, x *pysrc.Name, from *raggedCall, depth int) *ragged {
	list, given := p.Module.SaidOrGiven(x)
	for _, said := range list {
		if found := r.place(p, said.Value, said.Place, from, depth+1); found != nil {
			return found
		}
		if rows, ok := said.Value.(*pysrc.List); ok && len(rows.Elts) == 0 {
			for _, row := range appendedTo(p.Function(x), x.ID) {
				if found := r.array(p, row, from, depth+1); found != nil {
					return found
				}
			}
		}
	}
	for loop := p.LoopAround(x); loop != nil && len(list) == 0; loop = p.LoopAround(loop) {
		if f, ok := loop.(*pysrc.For); ok && storesName(f.Target, x.ID) {
			return r.element(p, f.Iter, placeIn(f.Target, x.ID), from, depth+1)
		}
	}
	if given && from != nil {
		return r.array(from.pass, from.site.Given(p.Function(x), x.ID), from.from, depth+1)
	}
	return nil
}

// place follows a value, or what stands at a place of it.
func (r *raggedSearch) place(p *SourcePass, e pysrc.Expr, place int, from *raggedCall, depth int) *ragged {
	if place < 0 {
		return r.array(p, e, from, depth)
	}
	switch x := e.(type) {
	case *pysrc.Tuple:
		if place < len(x.Elts) {
			return r.array(p, x.Elts[place], from, depth)
		}
		return nil
	case *pysrc.Call:
		return r.call(p, x, place, from, depth)
	}
	return nil
}

// part follows x[…]: a mask or a slice of a changing length decides the shape, an index has its own.
func (r *raggedSearch) part(p *SourcePass, x *pysrc.Subscript, from *raggedCall, depth int) *ragged {
	indexes := []pysrc.Expr{x.Slice}
	if several, ok := x.Slice.(*pysrc.Tuple); ok {
		indexes = several.Elts
	}
	for _, index := range indexes {
		if s, ok := index.(*pysrc.Slice); ok {
			if r.again(p, x, from) && r.width(p, s, from, depth+1) {
				return &ragged{p, x}
			}
			continue
		}
		if p.isTruths(index, 0) && r.again(p, p.onceSaid(index), from) {
			return &ragged{p, x}
		}
		if found := r.array(p, index, from, depth+1); found != nil {
			return found
		}
	}
	return r.array(p, x.Value, from, depth+1)
}

// again reports a place that runs in each step: in the training loop, in a function that it calls, in the loop of a generator.
func (r *raggedSearch) again(p *SourcePass, e pysrc.Expr, from *raggedCall) bool {
	if fn := p.Function(e); fn.IsGenerator() {
		return p.LoopAround(e) != nil
	}
	return from != nil || r.loop.Bounds().Contains(int(e.Bounds().Start))
}

// element follows what a loop or next takes from an iterable: an element of a list, what a generator yields.
func (r *raggedSearch) element(p *SourcePass, e pysrc.Expr, place int, from *raggedCall, depth int) *ragged {
	if depth > deepestRagged {
		return nil
	}
	if c, ok := e.(*pysrc.Call); ok && len(c.Args) > 0 {
		switch lastName(c.Func) {
		case "enumerate":
			if place == 0 {
				return nil
			}
			return r.element(p, c.Args[0], -1, from, depth+1)
		case "iter", "tqdm", "list":
			return r.element(p, c.Args[0], place, from, depth+1)
		}
	}
	if name, ok := e.(*pysrc.Name); ok {
		if said := p.Module.SaidLast(name); said != nil {
			return r.element(p, said, place, from, depth+1)
		}
	}
	v := p.Eval(e)
	fn := v.TakenBy()
	if fn == nil {
		return nil
	}
	in, site := p.In(fn.Module), from
	if c, ok := e.(*pysrc.Call); ok && v.Func == fn {
		site = &raggedCall{p, p.Module.SiteAt(c), from}
	} else if site == nil {
		site = &raggedCall{p, v.Made, nil}
	}
	for _, y := range slices.Concat(fn.Yields(), returnsOfNext(fn)) {
		if found := r.place(in, y, place, site, depth+1); found != nil {
			return found
		}
	}
	return nil
}

// returnsOfNext are the values of __next__.
func returnsOfNext(fn *project.Function) []pysrc.Expr {
	if fn.BaseName() != "__next__" {
		return nil
	}
	return fn.Returns()
}

// placeIn is the place of a name in a target: 1 for y of x, y; -1 where it is the whole.
func placeIn(target pysrc.Expr, name string) int {
	return slices.IndexFunc(elementsOf(target), func(e pysrc.Expr) bool { return storesName(e, name) })
}

// appendedTo are the values that a function appends to a list.
func appendedTo(fn *project.Function, list string) (values []pysrc.Expr) {
	for _, s := range fn.Sites {
		if f, ok := s.Node.Func.(*pysrc.Attribute); ok && f.Attr == "append" && len(s.Node.Args) == 1 && pysrc.DottedName(f.Value) == list {
			values = append(values, s.Node.Args[0])
		}
	}
	return values
}
