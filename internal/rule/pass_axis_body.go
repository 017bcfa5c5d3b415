package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// takenApart reports the loops of this module that launch kernels for one part of a tensor at a time in every step, and
// that nothing has reported yet.
func (p *SourcePass) takenApart() {
	var last pysrc.Span
	for _, a := range p.axes() {
		span := a.whole.Bounds()
		if span.Start < last.End || p.pointedAt(span) || a.loop != nil && p.trainsIn(a.loop) {
			continue
		}
		inTurn := a.loop != nil && (inTurn(a) || p.keepsState(a))
		part := p.kernelOfPart(a)
		if part == nil || inTurn && p.smallSteps(a) < 2 {
			continue
		}
		way, ok := p.EachStep(a.at)
		if !ok || p.decodes(a.at) {
			continue
		}
		last = span
		of := part
		for s, ok := of.(*pysrc.Subscript); ok; s, ok = of.(*pysrc.Subscript) {
			of = s.Value
		}
		if a.over != nil {
			of = a.over
		}
		r := p.Report(a.at, way.Sure*likely).Because(way, p.At(part, "one part of the tensor"))
		if inTurn {
			r.At(Advice).Saying("Python steps through %s with a few small operations per iteration", p.Short(of)).
				Advising("Compile the function (torch.compile), compute it on the CPU with numpy at once, or write it as a " +
					"cumulative sum.")
			continue
		}
		r.Saying("Python computes on %s one part at a time in every step", p.Short(of))
	}
}

// pointedAt reports a loop that a finding of this rule points at, or that stands in one.
func (p *SourcePass) pointedAt(span pysrc.Span) bool {
	for _, r := range p.reports {
		if r.span.Start == span.Start {
			return true
		}
		if loop, ok := p.Module.StatementAt(r.span.Start).(*pysrc.For); ok && loop.Contains(int(span.Start)) {
			return true
		}
	}
	return false
}

// trainsIn reports a loop that takes training steps.
func (p *SourcePass) trainsIn(loop pysrc.Stmt) bool {
	if l, ok := loop.(*pysrc.For); ok {
		return p.takesSteps(l)
	}
	return p.isTrainingLoop(loop)
}

// decodes reports a place in a function that makes output for people, one piece after the other.
func (p *SourcePass) decodes(n Node) bool {
	return project.HasWord(p.Function(n).BaseName(), searchingWords...)
}

// inTurn reports a loop whose iterations need each other. A sum is none: its terms may be made at once.
func inTurn(a *axis) bool {
	loop, ok := a.loop.(*pysrc.For)
	if !ok {
		while := a.loop.(*pysrc.While)
		loop = &pysrc.For{Span: while.Span, Target: nameOf(a.index), Body: while.Body}
	}
	return carries(loop)
}

// keepsState reports a body that leaves something for the next iteration in a list or in the object: hs[k] = cell(hs[k]),
// self.advance(x).
func (p *SourcePass) keepsState(a *axis) bool {
	for _, s := range p.Function(a.whole).Sites {
		fn := s.Calls.Func
		if fn != nil && fn.Class != nil && fn.Class == s.Func.Class && a.whole.Bounds().Contains(int(s.Node.Start)) && setsField(fn) {
			return true
		}
	}
	stored, read := map[string]bool{}, map[string]bool{}
	for _, b := range a.body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			s, ok := n.(*pysrc.Subscript)
			if ok && !mentionsAny(s.Slice, a.index) {
				name := pysrc.DottedName(s.Value)
				stored[name] = stored[name] || s.Ctx == pysrc.Store
				read[name] = read[name] || s.Ctx == pysrc.Load
			}
			return true
		})
	}
	for name := range stored {
		if name != "" && stored[name] && read[name] && !a.parts[name] {
			return true
		}
	}
	return false
}

// setsField reports a method that assigns to a field of its object.
func setsField(fn *project.Function) bool {
	found := false
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		f, ok := n.(*pysrc.Attribute)
		found = found || ok && f.Ctx == pysrc.Store && isNamed(f.Value, fn.Self())
		return !found
	})
	return found
}

func nameOf(names map[string]bool) *pysrc.Name {
	for name := range names {
		return &pysrc.Name{ID: name, Ctx: pysrc.Store}
	}
	return &pysrc.Name{Ctx: pysrc.Store}
}

// smallSteps counts the operations of a loop body, none where it runs a layer: that is another rule's.
func (p *SourcePass) smallSteps(a *axis) int {
	for _, s := range p.Function(a.whole).Sites {
		if a.whole.Bounds().Contains(int(s.Node.Start)) && (s.Calls.IsInstance("torch.nn.Module") || s.Calls.Func != nil) {
			return 0
		}
	}
	count := 0
	for _, b := range a.body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			switch n.(type) {
			case *pysrc.BinOp:
				count++
			case *pysrc.Subscript:
				return false
			}
			return true
		})
	}
	return count
}

// kernelOfPart is the first part of a tensor that a loop computes with; nil where it only collects, cuts or reads parts.
func (p *SourcePass) kernelOfPart(a *axis) (found pysrc.Expr) {
	a.follow(p)
	for _, b := range a.body {
		pysrc.InspectPath(b, func(n pysrc.Node, path []pysrc.Node) bool {
			if found != nil {
				return false
			}
			switch x := n.(type) {
			case *pysrc.Name:
				if x.Ctx == pysrc.Load && a.parts[x.ID] && p.becomesKernel(x, path) {
					found = x
				}
			case *pysrc.Subscript:
				if mentionsAny(x.Slice, a.index) && p.subscriptIsKernel(x, path) {
					found = x
				}
			}
			return found == nil
		})
	}
	return found
}

// follow adds the variables that a body sets to a part: row = x[i].
func (a *axis) follow(p *SourcePass) {
	for _, b := range a.body {
		set, ok := b.(*pysrc.Assign)
		if !ok || len(set.Targets) != 1 {
			continue
		}
		name, ok := set.Targets[0].(*pysrc.Name)
		if !ok {
			continue
		}
		switch x := set.Value.(type) {
		case *pysrc.Name:
			if a.parts[x.ID] {
				a.addPart(name.ID)
			}
		case *pysrc.Subscript:
			if a.parts[rootName(x)] || mentionsAny(x.Slice, a.index) && p.oneOnGPU(x.Value) {
				a.addPart(name.ID)
			}
		}
	}
}

// subscriptIsKernel reports x[i] of a tensor on the GPU that a kernel reads or writes.
func (p *SourcePass) subscriptIsKernel(s *pysrc.Subscript, path []pysrc.Node) bool {
	if cut, ok := s.Slice.(*pysrc.Slice); ok && cut.Lower != nil && !p.toFunctional(path) {
		return false // x[i : i + 1]: batches of one on purpose, to save memory
	}
	if !p.oneOnGPU(s.Value) {
		return false
	}
	return s.Ctx == pysrc.Store || p.picksByTensor(s) || cutsWindow(s) || p.becomesKernel(s, path)
}

// cutsWindow reports x[i, a : a + n]: pieces of one size that start at different places, which an index gathers at once.
func cutsWindow(s *pysrc.Subscript) bool {
	t, ok := s.Slice.(*pysrc.Tuple)
	return ok && slices.ContainsFunc(t.Elts, func(e pysrc.Expr) bool {
		cut, ok := e.(*pysrc.Slice)
		if !ok || cut.Lower == nil || cut.Upper == nil {
			return false
		}
		start, ok := cut.Lower.(*pysrc.Name)
		return ok && isTerm(cut.Upper, start.ID)
	})
}

// toFunctional reports what a function of torch gets, and no model.
func (p *SourcePass) toFunctional(path []pysrc.Node) bool {
	if len(path) == 0 {
		return false // it is given to nothing
	}
	c, ok := path[len(path)-1].(*pysrc.Call)
	return ok && p.Eval(c.Func).Kind == project.Callable && p.Eval(c.Func).Func == nil
}

// picksByTensor reports x[i, j] whose other index is a value on the GPU: a gather.
func (p *SourcePass) picksByTensor(s *pysrc.Subscript) bool {
	t, ok := s.Slice.(*pysrc.Tuple)
	if !ok {
		return false
	}
	for _, e := range t.Elts {
		if _, plain := e.(*pysrc.Name); !plain && p.OnDevice(e) >= likely {
			return true
		}
	}
	return false
}

// becomesKernel reports an expression that the one around it computes with, views of it included.
func (p *SourcePass) becomesKernel(e pysrc.Expr, path []pysrc.Node) bool {
	for at := len(path) - 1; at >= 0; at-- {
		switch x := path[at].(type) {
		case *pysrc.BinOp, *pysrc.UnaryOp, *pysrc.Compare:
			return true
		case *pysrc.Attribute:
			if x.Attr != "data" && x.Attr != "T" && x.Attr != "mT" {
				call, ok := callAround(path, at, x)
				if !ok || project.AnswersOnHost(x.Attr) {
					return false
				}
				if viewed(call) == nil || x.Attr == "clone" || x.Attr == "repeat" {
					return true
				}
				e = call
				at--
				continue
			}
			e = x
		case *pysrc.Subscript:
			if x.Value != e || x.Ctx == pysrc.Store {
				return true // a gather by the part, or a write into it
			}
			e = x
		case *pysrc.Call:
			return p.computesWith(x)
		case *pysrc.Keyword, *pysrc.Starred, *pysrc.List, *pysrc.Tuple, *pysrc.IfExp:
			if y, ok := x.(pysrc.Expr); ok {
				e = y
			}
		default:
			return false
		}
	}
	return false
}

// callAround is the call of a method that a path names next.
func callAround(path []pysrc.Node, at int, method *pysrc.Attribute) (*pysrc.Call, bool) {
	if at == 0 {
		return nil, false
	}
	c, ok := path[at-1].(*pysrc.Call)
	return c, ok && c.Func == pysrc.Expr(method)
}

// computesWith reports a call that computes on a tensor that it gets: not one of Python's own functions, and no method of
// a list.
func (p *SourcePass) computesWith(c *pysrc.Call) bool {
	v := p.Eval(c.Func)
	switch {
	case v.Kind == project.Instance, v.Func != nil:
		return true
	case strings.HasPrefix(v.Name, "torch"):
		return v.Kind == project.Callable
	}
	a, ok := c.Func.(*pysrc.Attribute)
	return ok && p.oneOnGPU(a.Value) // x.index_add(0, rows, part)
}
