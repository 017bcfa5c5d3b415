package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// singleEvaluations reports the calls and loops beside training steps that run the model on one sample after the other,
// made a batch of one by hand: model(data[i].unsqueeze(0)).
func (p *SourcePass) singleEvaluations() {
	said := map[pysrc.Stmt]bool{} // one finding for a loop
	for _, s := range p.besideTraining() {
		if loop := p.sampleLoop(s); loop != nil {
			if !said[loop] && p.withoutGradients(s) {
				p.Report(header(loop), probable*p.GPU()).Because(p.At(s.Node, "a batch of one"))
			}
			said[loop] = true
			continue
		}
		p.singlyBehind(s, said)
	}
}

// singlyBehind reports a call in training that leads to such a loop, other than one that a model runs in training as well: over time.
func (p *SourcePass) singlyBehind(s *project.Site, said map[pysrc.Stmt]bool) {
	if _, step := p.Hot(s); step && p.Rare(s) == nil {
		return
	}
	for _, fn := range runsFunctions(s) {
		path, ok := p.Reaches(fn, func(inner *project.Site) bool {
			_, looped := inner.Module().LoopAround(inner).(*pysrc.For) // before anything is gathered of its module
			return looped && !inner.Func.InStep() && (inner.Method() == "generate" || p.callsModel(inner)) && p.In(inner.Module()).sampleLoop(inner) != nil
		}, 3)
		if !ok {
			continue
		}
		last := path.Calls[len(path.Calls)-1]
		in := p.In(last.Module())
		loop := in.sampleLoop(last)
		if said[loop] {
			return
		}
		said[loop] = true
		r := p.Report(s.Node.Func, probable*path.Sure*p.GPU()).
			Because(in.At(header(loop), "for each sample"), in.At(last.Node, "a batch of one")).Because(valuesOf(p.intervalsAround(s))...)
		if p.atLeastEvery(s) > seldomEvaluates {
			r.Small("it happens once in thousands of steps")
		}
		return
	}
}

// seldomEvaluates is from how many steps between two evaluations on they take a small part of the time.
const seldomEvaluates = 5000

// sampleLoop is the loop over samples in which a call runs a model on a batch that the loop made of one of them; nil for
// any other call. A loop over a loader has batches, and one over a few things written out is short.
func (p *SourcePass) sampleLoop(s *project.Site) *pysrc.For {
	loop, ok := p.LoopAround(s).(*pysrc.For)
	if !ok || overConstant(loop.Iter) || p.eval.EndsEarly(p.Module, loop) || p.isTrainingLoop(loop) || s.Method() != "generate" && !p.callsModel(s) || p.samplingLoop(s) != nil {
		return nil
	}
	if outer, ok := p.LoopAround(loop).(*pysrc.For); ok && !p.isTrainingLoop(outer) && fixedRange(loop.Iter) {
		loop = outer // for speaker in speakers: for k in range(2, 3)
	}
	if p.givesBatches(loop.Iter) || fixedRange(loop.Iter) || p.feedsEnvironment(s) {
		return nil
	}
	names := targetsOf(loop)
	if countsRows(loop, names) {
		return nil // a loader's, whatever made it
	}
	grown := false
	for _, stmt := range loop.Body {
		pysrc.Inspect(stmt, func(n pysrc.Node) bool {
			if of := batchOfOne(n); of != nil && mentionsAny(of, names) {
				grown = true
			}
			if made, ok := n.(*pysrc.Call); ok && (made == s.Node || p.packs(made)) && listOfOne(made, names) {
				grown = true
			}
			return !grown
		})
	}
	if !grown && !p.rowOfOne(s, loop) && !p.takesOneRow(s, turn{loop, loop.Iter, names}) {
		return nil
	}
	return loop
}

// countsRows reports a loop that asks how many rows a value of an iteration has: x.size(0). The shape[0] of one image is its height.
func countsRows(loop *pysrc.For, names map[string]bool) bool {
	found := false
	for _, stmt := range loop.Body {
		pysrc.Inspect(stmt, func(n pysrc.Node) bool {
			if x, ok := n.(*pysrc.Call); ok {
				size, ok := x.Func.(*pysrc.Attribute)
				found = found || ok && size.Attr == "size" && len(x.Args) == 1 && isZero(x.Args[0]) && names[rootName(size.Value)]
			}
			return !found
		})
	}
	return found
}

// rowOfOne reports a call that gets a tensor of one row, which each iteration makes: torch.zeros(1, length).
func (p *SourcePass) rowOfOne(s *project.Site, loop *pysrc.For) bool {
	return slices.ContainsFunc(s.Func.Sites, func(made *project.Site) bool {
		assign, ok := p.Module.StatementAt(made.Node.Start).(*pysrc.Assign)
		return ok && assign.Value == pysrc.Expr(made.Node) && inBody(loop.Body, made.Node) && oneRow(made) &&
			slices.ContainsFunc(argumentsOf(s.Node), func(e pysrc.Expr) bool { return mentionsAny(e, namesStored(assign.Targets[0])) })
	})
}

// oneRow reports a call that makes a tensor or an array whose first dimension is one.
func oneRow(made *project.Site) bool {
	switch made.Calls.Name {
	case "torch.zeros", "torch.ones", "torch.empty", "torch.full", "numpy.zeros", "numpy.ones", "numpy.empty", "numpy.full":
	default:
		return false
	}
	first := firstArg(made.Node)
	switch shape := first.(type) {
	case *pysrc.Tuple:
		return len(shape.Elts) > 1 && isOne(shape.Elts[0])
	case *pysrc.List:
		return len(shape.Elts) > 1 && isOne(shape.Elts[0])
	}
	return len(made.Node.Args) > 1 && isOne(first)
}

func isOne(e pysrc.Expr) bool {
	n, ok := pysrc.IntValue(e)
	return ok && n == 1
}

// packs reports a call that makes an array or a tensor of numbers: np.array(…), torch.LongTensor(…).
func (p *SourcePass) packs(c *pysrc.Call) bool {
	name := p.Eval(c.Func).Name
	return strings.HasPrefix(name, "torch.") && strings.HasSuffix(name, "Tensor") ||
		slices.Contains([]string{"torch.tensor", "torch.as_tensor", "torch.stack", "numpy.array", "numpy.asarray", "numpy.stack"}, name)
}

// listOfOne reports a list of one in what a call is given, of a variable that the loop sets: [x].
func listOfOne(c *pysrc.Call, names map[string]bool) bool {
	found := false
	for _, a := range argumentsOf(c) {
		pysrc.Inspect(a, func(n pysrc.Node) bool {
			if list, ok := n.(*pysrc.List); ok && len(list.Elts) == 1 {
				if of := pysrc.DottedName(list.Elts[0]); of != "" && names[rootName(list.Elts[0])] {
					found = true
				}
			}
			return !found
		})
	}
	return found
}

// targetsOf are the variables that each iteration of a loop sets anew: its target, and what the body makes of it.
func targetsOf(loop *pysrc.For) map[string]bool {
	names := map[string]bool{}
	pysrc.Inspect(loop, func(n pysrc.Node) bool {
		if name, ok := n.(*pysrc.Name); ok && name.Ctx == pysrc.Store {
			names[name.ID] = true
		}
		return true
	})
	return names
}

// fixedRange reports range of numbers that are written out.
func fixedRange(iter pysrc.Expr) bool {
	c, ok := iter.(*pysrc.Call)
	return ok && lastName(c.Func) == "range" && len(c.Args) > 0 && !slices.ContainsFunc(c.Args, func(a pysrc.Expr) bool { return !isNumber(a) })
}

// batchOfOne is what an expression puts a dimension of one in front of: x.unsqueeze(0), x[None], x[np.newaxis, :],
// np.expand_dims(x, 0).
func batchOfOne(n pysrc.Node) pysrc.Expr {
	switch n := n.(type) {
	case *pysrc.Subscript:
		first := firstIndex(n)
		if pysrc.IsConst(first, pysrc.None) || lastName(first) == "newaxis" {
			return n.Value
		}
	case *pysrc.Call:
		method, ok := n.Func.(*pysrc.Attribute)
		if !ok {
			return nil
		}
		if (method.Attr == "reshape" || method.Attr == "view") && len(n.Args) > 1 && isOne(n.Args[0]) && pysrc.DottedName(method.Value) != "" {
			return method.Value // and not model(x).reshape(1, -1)
		}
		axis := pysrc.Expr(nil)
		switch {
		case method.Attr == "unsqueeze" && len(n.Args) == 1:
			axis = n.Args[0]
		case method.Attr == "expand_dims" && len(n.Args) == 2, method.Attr == "unsqueeze" && len(n.Args) == 2:
			axis = n.Args[1]
		default:
			for _, name := range [...]string{"dim", "axis"} {
				if k := n.Keyword(name); k != nil && (method.Attr == "unsqueeze" || method.Attr == "expand_dims") {
					axis = k.Value
				}
			}
		}
		if zero, ok := pysrc.IntValue(axis); axis == nil || !ok || zero != 0 {
			return nil
		}
		if len(n.Args) > 0 && (method.Attr == "expand_dims" || len(n.Args) == 2) {
			return n.Args[0]
		}
		return method.Value
	}
	return nil
}
