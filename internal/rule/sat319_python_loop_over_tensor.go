package rule

import (
	"slices"

	"saturate/internal/pysrc"
)

// pythonLoopOverTensor finds loops that compute on a tensor of the GPU one part at a time.
var pythonLoopOverTensor = Rule{
	Code: "SAT319", Name: "python-loop-over-tensor", Severity: Warning, Subject: AboutKernels,
	Areas: []Area{HostArea},
	Title: "Python computes on a tensor one part at a time",
	What: "A loop, comprehension or map over the samples, frames or classes of a tensor that computes with x[i], or " +
		"writes it, in every training step. A loop over frequencies or over equal layers that gives each of them the same tensor.",
	Why: "Each operation in each iteration is a separate kernel: microseconds of Python and launch time for little " +
		"work. One operation on the whole tensor is one kernel.",
	Fine:   "Parts of different lengths that a mask cannot express. A few iterations. Recurrences and searches.",
	Advice: "Compute on the whole tensor: broadcasting, a mask, gather, einsum, pad_sequence or torch.vmap.",
	Bad:    "for i in range(x.size(0)):\n    loss += F.mse_loss(x[i], y[i])",
	Good:   "loss = F.mse_loss(x, y, reduction=\"none\").flatten(1).mean(1).sum()",
	Safety: Safe,
	Source: func(p *SourcePass) {
		p.itemLoops()
		p.countedPairs()
		p.tensorElements()
		p.recurrences()
		p.builtByNumber()
		p.filledByNumber()
		p.gatheredNumbers()
		p.elementStores()
		p.rowStores()
		for _, c := range p.CallsTo("range") {
			loop, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.For)
			if !ok || loop.Iter != pysrc.Expr(c.Node) || len(c.Node.Args) == 0 || len(c.Node.Args) > 2 ||
				p.isTrainingLoop(loop) {
				continue
			}
			index, ok := loop.Target.(*pysrc.Name)
			if !ok || p.sizeOf(c.Node.Args[len(c.Node.Args)-1], 0) == nil || carries(loop) {
				continue
			}
			way, ok := p.EachStep(c)
			if !ok {
				continue
			}
			if part := p.computesOnPart(loop, index.ID); part != nil {
				p.Report(header(loop), way.Sure*nearlyCertain).Because(way, p.At(part, "one part of the tensor")).
					Saying("Python computes on %s one part at a time in every step", p.Short(part.Value))
			}
		}
		p.takenApart()
		p.launchingTurns()
		p.frequencies()
		p.equalLayers()
		p.onceForEachLoop()
	},
}

// onceForEachLoop keeps the first of several findings about one loop.
func (p *SourcePass) onceForEachLoop() {
	said := map[int32]bool{}
	p.reports = slices.DeleteFunc(p.reports, func(r *Report) bool {
		again := said[r.span.Start]
		said[r.span.Start] = true
		return again
	})
}

// sizeOf returns the tensor whose first size an expression is: x of x.size(0) and x.shape[0], and
// of a variable that holds one.
// Other dimensions are often short, and what has a len is often a list.
func (p *SourcePass) sizeOf(e pysrc.Expr, depth int) pysrc.Expr {
	switch x := e.(type) {
	case *pysrc.Call:
		if a, ok := x.Func.(*pysrc.Attribute); ok && a.Attr == "size" && isZero(firstArg(x)) {
			return a.Value
		}
	case *pysrc.Subscript:
		if isZero(x.Slice) {
			return shapeOf(x.Value)
		}
	case *pysrc.Name:
		if value := p.Module.SaidOnce(x); value != nil && depth < 3 {
			return p.sizeOf(value, depth+1)
		}
		return p.firstOfShape(x)
	}
	return nil
}

func isZero(e pysrc.Expr) bool {
	n, ok := pysrc.IntValue(e)
	return ok && n == 0
}

// shapeOf returns x of x.shape and x.size(), or nil.
func shapeOf(e pysrc.Expr) pysrc.Expr {
	if c, ok := e.(*pysrc.Call); ok && len(c.Args) == 0 && lastName(c.Func) == "size" {
		e = c.Func
	}
	if a, ok := e.(*pysrc.Attribute); ok && (a.Attr == "shape" || a.Attr == "size") {
		return a.Value
	}
	return nil
}

// shapeFrom returns x of x.shape, and of a part of it that an assignment unpacks: h, w = x.shape[:2]. Only a part from the first
// axis on counts where that is asked for.
func shapeFrom(e pysrc.Expr, first bool) pysrc.Expr {
	if part, ok := e.(*pysrc.Subscript); ok {
		if cut, ok := part.Slice.(*pysrc.Slice); ok && (cut.Lower == nil || !first) {
			e = part.Value
		}
	}
	return shapeOf(e)
}

// firstOfShape returns x where a name is the first of what x.shape is unpacked into: B, T = x.shape.
func (p *SourcePass) firstOfShape(name *pysrc.Name) pysrc.Expr {
	fn := p.Function(name)
	if fn.Def == nil {
		return nil
	}
	var of pysrc.Expr
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Assign); ok && len(a.Targets) == 1 && of == nil {
			if first, ok := firstOf(a.Targets[0]).(*pysrc.Name); ok && first.ID == name.ID {
				of = shapeFrom(a.Value, true)
			}
		}
		return of == nil
	})
	return of
}

// computesOnPart returns x[i], a part of a tensor of the GPU by the loop's variable,
// that the loop computes with and does not merely collect, cut out or read; nil when there is none.
func (p *SourcePass) computesOnPart(loop *pysrc.For, index string) *pysrc.Subscript {
	var found *pysrc.Subscript
	for _, s := range loop.Body {
		pysrc.InspectPath(s, func(n pysrc.Node, path []pysrc.Node) bool {
			part, ok := n.(*pysrc.Subscript)
			if found != nil || !ok || part.Ctx != pysrc.Load || !mentionsName(part.Slice, index) || len(path) == 0 {
				return found == nil
			}
			if cut, ok := part.Slice.(*pysrc.Slice); ok && cut.Lower != nil && mentionsName(cut.Lower, index) {
				return false // x[i : i + 1]: batches of one on purpose, to save memory
			}
			whole, around := viewOf(part, path)
			if (computes(around, whole) || computedLater(around, whole, loop)) && p.valueOnGPU(part.Value, 0) >= likely {
				found = part
			}
			return found == nil
		})
	}
	return found
}

// viewOf is the largest view of a part that the path around it makes, and what stands around that: x[i][:, 1:].data.
func viewOf(part pysrc.Expr, path []pysrc.Node) (whole pysrc.Expr, around pysrc.Node) {
	at := len(path) - 1
	for ; at > 0; at-- {
		switch x := path[at].(type) {
		case *pysrc.Subscript:
			if x.Value == part {
				part = x
				continue
			}
		case *pysrc.Attribute:
			if x.Value == part && x.Attr == "data" {
				part = x
				continue
			}
		}
		break
	}
	return part, path[at]
}

// computedLater reports a part that is put into a variable with which the loop computes: row = x[i].
func computedLater(around pysrc.Node, part pysrc.Expr, loop *pysrc.For) bool {
	a, ok := around.(*pysrc.Assign)
	if !ok || a.Value != part || len(a.Targets) != 1 {
		return false
	}
	name, ok := a.Targets[0].(*pysrc.Name)
	return ok && computesOn(loop, map[string]bool{name.ID: true})
}

// computes reports an expression that makes a kernel of its operand.
func computes(around pysrc.Node, part pysrc.Expr) bool {
	switch x := around.(type) {
	case *pysrc.BinOp:
		return true
	case *pysrc.Subscript: // y[x[i]]: the host waits for the number
		_, item := part.(*pysrc.Subscript)
		return item && x.Slice == part
	case *pysrc.Attribute:
		switch x.Attr {
		case "sum", "mean", "max", "min", "pow", "abs", "exp", "log", "softmax", "log_softmax", "matmul", "mm", "norm",
			"std", "var", "argmax", "clone", "add", "mul", "sub", "div", "masked_fill", "index_select", "expand", "repeat",
			"repeat_interleave":
			return true
		}
	case *pysrc.Call:
		switch lastName(x.Func) {
		case "append", "len", "int", "float", "print", "str", "range", "item", "tolist", "slice", "isinstance", "bool",
			"list", "extend", "zip", "enumerate":
			return false
		}
		for _, a := range x.Args {
			if a == part {
				return true
			}
		}
	}
	return false
}

// carries reports a loop whose turns need each other: it reads what the turn before has set, looks
// back by an index, or may end early. A sum is none: its terms may be made at once.
func carries(loop *pysrc.For) bool {
	set := map[string]int32{} // where each name is first set
	carried := false
	index, _ := loop.Target.(*pysrc.Name)
	own := addedUp(loop.Body) // or set anew by the loop itself
	addStored(loop.Target, own)
	for _, s := range loop.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch x := n.(type) {
			case *pysrc.Break, *pysrc.Return, *pysrc.Yield, *pysrc.Await:
				carried = true
			case *pysrc.Assign:
				for _, t := range x.Targets {
					pysrc.Inspect(t, func(n pysrc.Node) bool {
						switch t := n.(type) {
						case *pysrc.Name:
							if at, ok := set[t.ID]; t.Ctx == pysrc.Store && !own[t.ID] && (!ok || x.Start < at) {
								set[t.ID] = x.Start
							}
						case *pysrc.Attribute:
							carried = carried || t.Ctx == pysrc.Store // self.state = …
						}
						return true
					})
				}
			case *pysrc.Subscript:
				if b, ok := x.Slice.(*pysrc.BinOp); ok && x.Ctx == pysrc.Load && index != nil && mentionsName(b, index.ID) {
					carried = true // x[i - 1]
				}
			}
			return !carried
		})
	}
	for _, s := range loop.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			if a, ok := n.(*pysrc.Assign); ok {
				for name, at := range set {
					carried = carried || at == a.Start && mentions(a.Value, name)
				}
			}
			if name, ok := n.(*pysrc.Name); ok && name.Ctx == pysrc.Load {
				if at, stored := set[name.ID]; stored && name.Start < at {
					carried = true
				}
			}
			return !carried
		})
	}
	return carried
}

// addedUp are the variables that statements only add something to: total = total + x.
func addedUp(body []pysrc.Stmt) map[string]bool {
	sums, reads := map[string]bool{}, map[string]int{}
	for _, s := range body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch x := n.(type) {
			case *pysrc.Assign:
				if name, ok := x.Targets[0].(*pysrc.Name); ok && len(x.Targets) == 1 && isTerm(x.Value, name.ID) {
					sums[name.ID] = true
				}
			case *pysrc.Name:
				if x.Ctx == pysrc.Load {
					reads[x.ID]++
				}
			}
			return true
		})
	}
	for name := range sums {
		if reads[name] > 1 {
			delete(sums, name)
		}
	}
	return sums
}

// isTerm reports a sum one of whose terms is a variable: total + x - y.
func isTerm(e pysrc.Expr, name string) bool {
	b, ok := e.(*pysrc.BinOp)
	if !ok || b.Op != pysrc.Add && b.Op != pysrc.Sub {
		return isNamed(e, name)
	}
	return isTerm(b.Left, name) || b.Op == pysrc.Add && isTerm(b.Right, name)
}
