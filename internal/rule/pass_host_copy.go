package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// hostCopy is a call that copies to the GPU what the host holds as an array, a list or a number.
type hostCopy struct {
	Call
	from pysrc.Expr
}

// hostCopies returns the copies of values of the host to the GPU: torch.from_numpy(a).to(device), torch.LongTensor(a).cuda(),
// torch.tensor(a, device=device), x.new_tensor(a). What torch fills itself is not among them.
func (p *SourcePass) hostCopies() []hostCopy {
	var list []hostCopy
	for _, c := range p.CallsTo("torch.as_tensor", "torch.tensor") {
		k := c.Node.Keyword("device")
		if k == nil || !p.mayStep(c) || len(c.Node.Args) == 0 || !p.goesToDevice(k.Value) {
			continue
		}
		from := c.Node.Args[0]
		if p.isArray(from) || lastName(c.Node.Func) == "tensor" && p.OnDevice(from) < perhaps && !p.isTensor(from) {
			list = append(list, hostCopy{c, from})
		}
	}
	for _, c := range p.MethodCalls("new_tensor") {
		if !p.mayStep(c) {
			continue
		}
		on := p.OnDevice(c.Receiver()) >= likely || c.Func.Class != nil && c.Func.Class.Derives("torch.nn.Module")
		if len(c.Node.Args) == 1 && on && p.OnDevice(c.Node.Args[0]) < perhaps {
			list = append(list, hostCopy{c, c.Node.Args[0]})
		}
	}
	for _, s := range p.Module.Sites {
		if len(s.Node.Args) != 1 || !ofGPU(s.Calls) {
			continue
		}
		if c := (Call{s, p}); p.mayStep(c) && (p.isArray(s.Node.Args[0]) || p.isHostList(s.Node.Args[0])) {
			list = append(list, hostCopy{c, s.Node.Args[0]})
		}
	}
	for _, c := range p.MethodCalls("to", "cuda", "type_as") {
		if device, _ := targetDevice(c.Node); !p.mayStep(c) || c.Method() == "to" && !p.goesToDevice(device) ||
			c.Method() == "type_as" && (device == nil || !p.isOnDevice(device)) {
			continue
		}
		if from := p.hostData(c.Receiver()); from != nil && p.madeOnHost(c.Receiver()) == nil {
			list = append(list, hostCopy{c, from})
		}
	}
	return list
}

// ofGPU reports a class of tensors on the GPU, also where there is none otherwise: Tensor = torch.cuda.FloatTensor if cuda else
// torch.FloatTensor.
func ofGPU(class *Value) bool {
	is := func(v *Value) bool {
		return strings.HasPrefix(v.Name, "torch.cuda.") && strings.HasSuffix(v.Name, "Tensor")
	}
	for i := range class.Either {
		if is(&class.Either[i]) {
			return true
		}
	}
	return is(class)
}

// cutFrom is the call that made the tensor of which an expression takes a range, rows[:, :-1]; nil for anything else.
func (p *SourcePass) cutFrom(e pysrc.Expr) pysrc.Expr {
	part, ok := e.(*pysrc.Subscript)
	if !ok || !slices.ContainsFunc(append(elementsOf(part.Slice), part.Slice), func(e pysrc.Expr) bool { _, is := e.(*pysrc.Slice); return is }) {
		return nil
	}
	if name, ok := part.Value.(*pysrc.Name); ok {
		if made, ok := p.Module.SaidLast(name).(*pysrc.Call); ok {
			return made
		}
	}
	return nil
}

// hostData is what a tensor of the host is made of, perhaps in another shape or type: a of torch.LongTensor(a).unsqueeze(0).
// It is nil for anything else.
func (p *SourcePass) hostData(e pysrc.Expr) pysrc.Expr {
	if name, ok := e.(*pysrc.Name); ok {
		e = p.Module.SaidLast(name)
	} else if whole := p.cutFrom(e); whole != nil {
		e = whole
	} else if p.heldOnHost(e, 0) || p.setOnHost(e) {
		return e
	}
	for {
		made, ok := e.(*pysrc.Call)
		if !ok {
			return nil
		}
		if a, is := made.Func.(*pysrc.Attribute); is && reshapes[a.Attr] {
			e = a.Value
			continue
		}
		full := p.NameOf(made.Func)
		name := strings.TrimPrefix(full, "torch.")
		switch {
		case len(made.Args) == 0 || made.Keyword("device") != nil:
			return nil
		case strings.HasPrefix(name, "sparse"):
			return p.sparseOnHost(made, name)
		case full == "torch.autograd.Variable":
			e = made.Args[0]
			continue
		case name == "unique" && len(made.Args) == 1:
			e = made.Args[0]
			continue
		case name == "stack" || name == "cat":
			if parts := p.hostParts(made.Args[0]); parts != nil {
				return parts
			}
			return nil
		case (name == "tensor" || name == "as_tensor") && p.OnDevice(made.Args[0]) == 0 && !p.isTensor(made.Args[0]) && !p.isNumber(made.Args[0]):
			return made.Args[0]
		case name == "from_numpy", hostTensors[name], (name == "tensor" || name == "as_tensor") && (p.isArray(made.Args[0]) || p.isHostList(made.Args[0])):
			if hostTensors[name] && isShape(made.Args) {
				return made
			}
			return made.Args[0]
		}
		return nil
	}
}

// hostParts is a list of tensors that are all made of what the host holds: [torch.from_numpy(a) for a in arrays].
func (p *SourcePass) hostParts(e pysrc.Expr) pysrc.Expr {
	switch x := e.(type) {
	case *pysrc.ListComp:
		if p.hostData(x.Elt) != nil {
			return x
		}
	case *pysrc.List:
		if len(x.Elts) > 0 && !slices.ContainsFunc(x.Elts, func(part pysrc.Expr) bool { return p.hostData(part) == nil }) {
			return x
		}
	}
	return nil
}

// isShape reports the arguments of torch.FloatTensor(rows, columns) or torch.BoolTensor(x.size()): a shape to fill.
func isShape(args []pysrc.Expr) bool { return len(args) > 1 || shapeOf(args[0]) != nil }

// goesToDevice reports what a tensor of the host is moved to by to(…): a device, or another tensor; not a type.
func (p *SourcePass) goesToDevice(e pysrc.Expr) bool {
	if e == nil {
		return false
	}
	if p.anyDevice(e) || p.isOnDevice(e) {
		return true
	}
	switch e.(type) {
	case *pysrc.Name, *pysrc.Attribute:
	default:
		return false
	}
	v := p.Eval(e)
	if text, ok := v.Str(); ok {
		return strings.HasPrefix(text, "cuda")
	}
	return v.Unknown() && strings.HasPrefix(lastName(e), "dev")
}

// isTensor reports what torch has made, on whatever device.
func (p *SourcePass) isTensor(e pysrc.Expr) bool {
	v := p.Eval(e)
	return slices.ContainsFunc(append([]Value{v}, v.Either...), func(v Value) bool {
		return v.Kind == project.Instance && strings.HasPrefix(v.Name, "torch.")
	})
}

// isHostList reports a list that Python has made: written out, or by a comprehension, of what is not a tensor.
func (p *SourcePass) isHostList(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.List:
		return !slices.ContainsFunc(x.Elts, func(part pysrc.Expr) bool { return p.OnDevice(part) >= perhaps || p.isTensor(part) })
	case *pysrc.ListComp:
		return p.OnDevice(x.Elt) < perhaps && !p.isTensor(x.Elt)
	case *pysrc.Name:
		if value := p.Module.SaidLast(x); value != nil {
			return p.isHostList(value)
		}
	}
	return false
}

// filledByHost reports what the host makes of no data: numbers that NumPy or random draws, an array of zeros, a list that
// counts. A device can fill it as well.
func (p *SourcePass) filledByHost(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Constant:
		_, number := pysrc.FloatValue(x)
		return number
	case *pysrc.UnaryOp:
		return p.filledByHost(x.Operand)
	case *pysrc.BinOp:
		return p.filledByHost(x.Left) || p.filledByHost(x.Right)
	case *pysrc.List:
		return len(x.Elts) > 0 && !slices.ContainsFunc(x.Elts, func(part pysrc.Expr) bool { return !p.filledByHost(part) })
	case *pysrc.ListComp:
		c, ok := x.Generators[0].Iter.(*pysrc.Call)
		return ok && lastName(c.Func) == "range"
	case *pysrc.Name:
		value := p.Module.SaidLast(x)
		return value != nil && p.filledByHost(value)
	case *pysrc.Call:
		if a, ok := x.Func.(*pysrc.Attribute); ok && (a.Attr == "astype" || a.Attr == "reshape" || a.Attr == "copy") {
			return p.filledByHost(a.Value)
		}
		name, numpy := strings.CutPrefix(p.NameOf(x.Func), "numpy.")
		switch {
		case isRange(x):
			return true
		case lastName(x.Func) == "list" && len(x.Args) == 1:
			return p.filledByHost(x.Args[0])
		case numpy && (strings.HasPrefix(name, "random.") || creators[name]):
			return true
		case numpy && len(x.Args) > 0:
			return p.filledByHost(x.Args[0])
		}
		return strings.HasPrefix(p.NameOf(x.Func), "random.")
	}
	return false
}

// isArray reports an array of NumPy.
func (p *SourcePass) isArray(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Subscript:
		return p.isArray(x.Value)
	case *pysrc.BinOp:
		return p.isArray(x.Left) || p.isArray(x.Right)
	case *pysrc.Name:
		if value := p.Module.SaidLast(x); value != nil && p.isArray(value) {
			return true
		}
	case *pysrc.Call:
		if a, ok := x.Func.(*pysrc.Attribute); ok && (a.Attr == "copy" || a.Attr == "astype") && p.isArray(a.Value) {
			return true
		}
	}
	v := p.Eval(e)
	return slices.ContainsFunc(append([]Value{v}, v.Either...), func(v Value) bool {
		return v.Kind == project.Instance && strings.HasPrefix(v.Name, "numpy.")
	})
}

// heldByObject reports an attribute that an object is given when it is made, also as the argument of the last call on a
// way: extract(self.weights, t).
func (p *SourcePass) heldByObject(e pysrc.Expr, way project.Path) bool {
	if a, ok := e.(*pysrc.Attribute); ok {
		fn := p.Function(e)
		return isNamed(a.Value, fn.Self()) && fn.Class != nil && !p.Varies(e) && !refills(fn.Class, a.Attr)
	}
	name, ok := e.(*pysrc.Name)
	fn := p.Function(e)
	if !ok || len(way.Calls) == 0 || fn == nil || fn.Def == nil || storesName(fn.Def, name.ID) {
		return false
	}
	call := way.Calls[len(way.Calls)-1]
	given, ok := call.Given(fn, name.ID).(*pysrc.Attribute)
	return ok && p.In(call.Module()).heldByObject(given, project.Path{})
}

// asksForTensor reports a copy in an arm of a test whether what it copies is a tensor: if not torch.is_tensor(t). In training it
// is one, unless a call gives a number.
func (p *SourcePass) asksForTensor(c hostCopy) bool {
	found := false
	p.testsAround(c, func(test pysrc.Expr) {
		pysrc.Inspect(test, func(n pysrc.Node) bool {
			if asks, ok := n.(*pysrc.Call); ok && len(asks.Args) > 0 && isName(asks.Args[0]) {
				of := asks.Args[0].(*pysrc.Name).ID
				kind := len(asks.Args) == 2 && lastName(asks.Func) == "isinstance" && strings.HasSuffix(p.NameOf(asks.Args[1]), "Tensor")
				found = found || (kind || lastName(asks.Func) == "is_tensor") && mentions(c.from, of) && !p.givenNumber(c.Func, of)
			}
			return !found
		})
	})
	return found
}

// givenNumber reports a parameter for which a call gives a number.
func (p *SourcePass) givenNumber(fn *project.Function, parameter string) bool {
	return slices.ContainsFunc(p.Project.Givers(fn), func(s *project.Site) bool {
		given := s.Given(fn, parameter)
		return given != nil && p.In(s.Module()).isOneNumber(given)
	})
}

// refills reports an attribute whose contents a method other than __init__ may change: self.rows[i] = row, self.rows.append(row).
func refills(c *project.Class, attr string) bool {
	found := false
	for _, fn := range c.Methods {
		if fn.Def == nil || fn.BaseName() == "__init__" {
			continue
		}
		self := fn.Self()
		is := func(e pysrc.Expr) bool {
			a, ok := e.(*pysrc.Attribute)
			return ok && a.Attr == attr && isNamed(a.Value, self)
		}
		pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.Subscript:
				found = found || n.Ctx == pysrc.Store && is(n.Value)
			case *pysrc.AugAssign:
				found = found || is(n.Target)
			case *pysrc.ExprStmt:
				if call, ok := n.Value.(*pysrc.Call); ok {
					method, ok := call.Func.(*pysrc.Attribute)
					found = found || ok && is(method.Value)
				}
			}
			return !found
		})
	}
	return found
}

// inModel reports whether a way leads through a model, or ends in one.
func (p *SourcePass) inModel(way project.Path, n Node) bool {
	is := func(fn *project.Function) bool {
		return fn != nil && fn.Class != nil && fn.Class.Derives("torch.nn.Module")
	}
	return is(p.Function(n)) || slices.ContainsFunc(way.Calls, func(s *project.Site) bool { return is(s.Func) })
}

// hostArrays reports what a step computes with NumPy or lists and copies to the GPU, and all that a model copies: one
// finding for each function.
func (p *SourcePass) hostArrays() {
	said := map[*project.Function]*Report{}
	for _, c := range p.hostCopies() {
		way, ok := p.EachStep(c)
		inModel := ok && p.inModel(way, c)
		filled := ok && p.filledByHost(c.from)
		held := ok && p.heldByObject(c.from, way)
		if !ok || !inModel && !filled && !held || p.keptOnTheWay(way, c.Call) || p.solvesOnHost(c.Call) ||
			p.asksForTensor(c) {
			continue // the way to a solver of the host is another rule's
		}
		few := p.besideWaits(c.from)
		if r := said[c.Func]; r != nil {
			r.Too(p.At(c, "and here")).also(few)
			continue
		}
		r := p.Report(c, way.Sure*nearlyCertain).Because(way).Beside(few).
			Saying("%s is copied from the host in every step, and the host waits", p.Short(c.from)).
			Advising("Copy the batch once before the model is called, from pinned memory with non_blocking=True; compute with torch on the GPU.")
		if made := c.from.Bounds(); made.End <= c.Node.Start {
			r.Because(p.At(c.from, "made here"))
		}
		if said[c.Func] = r; held {
			r.Saying("%s is the same in every step, and copied from the host each time", p.Short(c.from)).
				Advising("Copy it once: keep the tensor in a buffer, or in a dict with the device as its key.")
			continue
		}
		if !filled && !p.isArray(c.from) {
			continue
		}
		if _, number := pysrc.FloatValue(c.from); number && c.Node.Keyword("device") != nil {
			if edits := p.fillNumber(c.Node); edits != nil {
				r.Fix(Safe, "fill it on the GPU", edits...)
			}
		}
		r.Saying("%s is computed on the host and copied in every step", p.Short(c.from)).
			Advising("Compute it with torch on the GPU (torch.full for a number, torch.rand for a draw), or once: keep it in " +
				"a buffer, or in a dict with its arguments as the key.")
	}
}
