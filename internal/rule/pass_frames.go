package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// rowStores reports the loops of this module that write a tensor of the GPU one row at a time in every step: out[i, :n] =
// x[i] for each of a batch.
func (p *SourcePass) rowStores() {
	for _, loop := range p.stepLoops() {
		index := p.rowIndex(loop)
		if index == "" || p.takesSteps(loop) || carries(loop) || p.modelIn(loop.Body) || generatesBeside(p.Function(loop)) {
			continue
		}
		row := p.storedRow(loop, index)
		if row == nil {
			continue
		}
		if way, ok := p.EachStep(header(loop)); ok {
			r := p.Report(header(loop), way.Sure*likely).Because(way, p.At(row, "one row of the tensor")).
				Saying("Python writes %s one row at a time in every step", p.Short(row.Value)).
				Advising("Write it in one operation: pad_sequence, torch.stack, scatter, or a mask: torch.arange(n, device=…) < lengths[:, None].")
			p.fillAtOnce(r, loop)
		}
	}
}

// generatesBeside reports a function that generates text: a loop over the replies costs nothing beside it.
func generatesBeside(fn *project.Function) bool {
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool { return s.Method() == "generate" && s.Calls.Func == nil })
}

// rowIndex is the variable that numbers the items of a loop over a batch: of range(x.size(0)), range(len(x)) and
// enumerate(x). It is empty for other loops.
func (p *SourcePass) rowIndex(loop *pysrc.For) string {
	c, ok := loop.Iter.(*pysrc.Call)
	if !ok || len(c.Args) == 0 {
		return ""
	}
	index, of := loop.Target, c.Args[len(c.Args)-1]
	switch lastName(c.Func) {
	case "enumerate":
		if index, of = firstOf(loop.Target), c.Args[0]; p.isContainer(of) && overConstant(of) {
			return ""
		}
	case "range":
		if p.sizeOf(of, 0) == nil && p.lengthOf(of) == nil {
			return ""
		}
	default:
		return ""
	}
	if name, ok := index.(*pysrc.Name); ok {
		return name.ID
	}
	return ""
}

// lengthOf is x of len(x), also of a variable that holds it, where x is a variable and no field of the object.
func (p *SourcePass) lengthOf(e pysrc.Expr) pysrc.Expr {
	if name, ok := e.(*pysrc.Name); ok {
		e = p.Module.SaidOnce(name)
	}
	c, ok := e.(*pysrc.Call)
	if !ok || lastName(c.Func) != "len" || len(c.Args) != 1 {
		return nil
	}
	if name, ok := c.Args[0].(*pysrc.Name); ok {
		return name
	}
	return nil
}

// storedRow is x[i] or x[i, …] that a loop assigns to, or changes by a method such as x[i].narrow(0, n, m).fill_(1), where
// x lies on the GPU; nil when there is none.
func (p *SourcePass) storedRow(loop *pysrc.For, index string) *pysrc.Subscript {
	return p.storedRowIn(loop.Body, index)
}

func (p *SourcePass) storedRowIn(body []pysrc.Stmt, index string) *pysrc.Subscript {
	for _, stmt := range body {
		var row *pysrc.Subscript
		switch s := stmt.(type) {
		case *pysrc.If:
			if found := p.storedRowIn(s.Body, index); found != nil {
				return found
			}
		case *pysrc.Assign:
			if len(s.Targets) == 1 {
				row, _ = s.Targets[0].(*pysrc.Subscript)
			}
		case *pysrc.ExprStmt:
			if c, ok := s.Value.(*pysrc.Call); ok && inPlace(lastName(c.Func)) {
				row = firstPart(c.Func)
			}
		}
		if row == nil {
			continue
		}
		for inner, ok := row.Value.(*pysrc.Subscript); ok; inner, ok = row.Value.(*pysrc.Subscript) { // x[i][mask] = 1
			row = inner
		}
		if name, ok := firstIndex(row).(*pysrc.Name); ok && name.ID == index && (p.OnDevice(row.Value) >= likely || p.blankOnHost(row.Value)) && !p.isContainer(row.Value) && !p.isList(row.Value) {
			return row
		}
	}
	return nil
}

// blankOnHost reports a tensor that is made with one value on the host, to be filled there: torch.zeros(n, m).
func (p *SourcePass) blankOnHost(e pysrc.Expr) bool {
	c, ok := p.onceSaid(e).(*pysrc.Call)
	if !ok {
		return false
	}
	switch p.NameOf(c.Func) {
	case "torch.zeros", "torch.ones", "torch.full", "torch.empty":
		return true
	}
	return false
}

// firstPart is x[i] of x[i].narrow(0, n, m).fill_, or nil.
func firstPart(e pysrc.Expr) *pysrc.Subscript {
	for {
		switch x := e.(type) {
		case *pysrc.Attribute:
			e = x.Value
		case *pysrc.Call:
			e = x.Func
		case *pysrc.Subscript:
			if isName(x.Value) {
				return x
			}
			e = x.Value
		default:
			return nil
		}
	}
}

// firstIndex is i of x[i] and of x[i, …].
func firstIndex(s *pysrc.Subscript) pysrc.Expr {
	if first := firstOf(s.Slice); first != nil {
		return first
	}
	return s.Slice
}

// modelIn reports whether statements call a model or a layer.
func (p *SourcePass) modelIn(body []pysrc.Stmt) bool {
	return len(body) > 0 && slices.ContainsFunc(p.Function(body[0]).Sites, func(s *project.Site) bool {
		return inBody(body, s.Node) && s.Calls.IsInstance("torch.nn.Module")
	})
}

// frameLoops reports loops over the frames of a sequence in which Python runs a model once per frame, on the state left
// by the previous iteration.
func (p *SourcePass) frameLoops() {
	for _, loop := range p.stepLoops() {
		if p.takesSteps(loop) || !p.overFrames(loop.Iter) || !p.Function(loop).Method() {
			continue
		}
		call := p.stateful(loop)
		if call == nil {
			continue
		}
		if way, ok := p.EachStep(header(loop)); ok {
			p.Report(header(loop), way.Sure*likely).At(Advice).Because(way, p.At(call, "called once for each frame")).
				Saying("Python runs %s once for each frame, with many small kernels in each iteration", p.Short(call.Func)).
				Advising("Move work that does not depend on the previous frame out of the loop, over all frames at once, and " +
					"compile the rest (torch.compile with mode=\"reduce-overhead\", or a CUDA graph).")
		}
	}
}

// overFrames reports range(…) up to a size of a tensor, in whatever dimension.
func (p *SourcePass) overFrames(iter pysrc.Expr) bool {
	c, ok := iter.(*pysrc.Call)
	if !ok || lastName(c.Func) != "range" {
		return false
	}
	return slices.ContainsFunc(c.Args, func(e pysrc.Expr) bool { return p.isSize(e, 0) })
}

// calledPerFrame reports a function that training steps call only in loops over the frames of a sequence: what it computes is
// of one frame.
func (p *SourcePass) calledPerFrame(fn *project.Function) bool {
	givers := p.Project.Givers(fn)
	return len(givers) > 0 && !slices.ContainsFunc(givers, func(s *project.Site) bool {
		in := p.In(s.Module())
		loop, ok := in.LoopAround(s.Node).(*pysrc.For)
		return !ok || !in.overFrames(loop.Iter) || in.isTrainingLoop(loop)
	})
}

// isSize reports x.size(1), x.shape[2], a variable that holds one, and what is computed from one.
func (p *SourcePass) isSize(e pysrc.Expr, depth int) bool {
	switch x := e.(type) {
	case *pysrc.Call:
		a, ok := x.Func.(*pysrc.Attribute)
		return ok && a.Attr == "size" && len(x.Args) == 1
	case *pysrc.Subscript:
		return shapeOf(x.Value) != nil
	case *pysrc.BinOp:
		return p.isSize(x.Left, depth) || p.isSize(x.Right, depth)
	case *pysrc.Name:
		value := p.Module.SaidOnce(x)
		if value == nil {
			return p.ofShape(x)
		}
		return depth < 3 && p.isSize(value, depth+1)
	}
	return false
}

// ofShape reports a name that a shape is unpacked into: _, _, steps = x.size().
func (p *SourcePass) ofShape(name *pysrc.Name) bool {
	fn := p.Function(name)
	if fn.Def == nil {
		return false
	}
	found := false
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		a, ok := n.(*pysrc.Assign)
		if !ok || found || shapeFrom(a.Value, false) == nil {
			return !found
		}
		if t, ok := a.Targets[0].(*pysrc.Tuple); ok {
			names := map[string]bool{}
			addStored(t, names)
			found = names[name.ID]
		}
		return !found
	})
	return found
}

// stateful is the call of a project model in a loop that gets its own output of the previous iteration; nil if there is
// none.
func (p *SourcePass) stateful(loop *pysrc.For) *pysrc.Call {
	for _, s := range p.Function(loop).Sites {
		if !inBody(loop.Body, s.Node) || s.Calls.Class == nil || !s.Calls.IsInstance("torch.nn.Module") {
			continue
		}
		stmt, ok := p.Module.StatementAt(s.Node.Start).(*pysrc.Assign)
		if !ok {
			continue
		}
		made := map[string]bool{}
		for _, t := range stmt.Targets {
			addStored(t, made)
		}
		for _, a := range s.Node.Args {
			if mentionsAny(a, made) { // h = cell(x, h)
				return s.Node
			}
		}
	}
	return nil
}
