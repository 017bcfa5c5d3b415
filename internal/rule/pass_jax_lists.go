package rule

import (
	"slices"

	"saturate/internal/pysrc"
)

// listsForJAX reports lists of lists of numbers that a step turns into an array of JAX: Python goes through every number.
func (p *SourcePass) listsForJAX() {
	loops := p.JAXLoops()
	for _, c := range p.CallsTo("jax.numpy.asarray", "jax.numpy.array", "jax.device_put") {
		from := firstArg(c.Node)
		if from == nil || p.Rare(c) != nil || !slices.ContainsFunc(loops, func(l jaxLoop) bool {
			return l.Func == c.Func && p.LoopAround(c) == l.Stmt
		}) {
			continue
		}
		if in, rows := p.rowsOfNumbers(from, -1, 0); rows != nil {
			p.Report(c, likely).Because(in.At(rows, "a list of lists")).
				Saying("%s is turned from lists of numbers into an array in every step", p.Short(from)).
				Advising("Keep NumPy arrays and stack them with np.stack: one copy instead of one Python object per number.")
		}
	}
}

// rowsOfNumbers is the list of lists that an expression is, or the place of a tuple that it returns, and the module of that list.
// Variables and functions of the project are followed.
func (p *SourcePass) rowsOfNumbers(e pysrc.Expr, place, depth int) (*SourcePass, pysrc.Expr) {
	if depth > 6 {
		return nil, nil
	}
	switch x := e.(type) {
	case *pysrc.ListComp:
		if place < 0 && isListOfNumbers(x.Elt) {
			return p, x
		}
	case *pysrc.Tuple:
		if place >= 0 && place < len(x.Elts) {
			return p.rowsOfNumbers(x.Elts[place], -1, depth+1)
		}
	case *pysrc.Name:
		list, _ := p.Module.SaidOrGiven(x)
		for _, said := range list {
			if in, rows := p.rowsOfNumbers(said.Value, said.Place, depth+1); rows != nil && place < 0 {
				return in, rows
			}
			if empty, ok := said.Value.(*pysrc.List); ok && len(empty.Elts) == 0 && slices.ContainsFunc(appendedTo(p.Function(x), x.ID), isListOfNumbers) {
				return p, empty
			}
		}
	case *pysrc.Call:
		fn := p.Eval(x.Func).Func
		if fn == nil || fn.Def == nil || fn.IsGenerator() {
			return nil, nil
		}
		for _, value := range fn.Returns() {
			if in, rows := p.In(fn.Module).rowsOfNumbers(value, place, depth+1); rows != nil {
				return in, rows
			}
		}
	}
	return nil, nil
}

// isListOfNumbers reports x.tolist(), list(x) and [f(v) for v in x].
func isListOfNumbers(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.ListComp:
		_, text := x.Elt.(*pysrc.JoinedStr)
		return !text
	case *pysrc.Call:
		name := lastName(x.Func)
		return name == "tolist" && len(x.Args) == 0 || name == "list" && len(x.Args) == 1
	}
	return false
}
