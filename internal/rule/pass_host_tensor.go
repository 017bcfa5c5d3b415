package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// madeOnHost is the call that fills the tensor which an expression is, perhaps in another shape or type, or computed
// with numbers: torch.exp(torch.arange(n) * -x). It is nil for anything else. A tensor that waits in a variable counts
// where nothing else reads it or writes to it before.
func (p *SourcePass) madeOnHost(e pysrc.Expr) *pysrc.Call {
	switch e := e.(type) {
	case *pysrc.Call:
		if p.makesTensor(e) {
			if e.Keyword("device") != nil {
				return nil
			}
			return e
		}
		if a, ok := e.Func.(*pysrc.Attribute); ok && reshapes[a.Attr] {
			return p.madeOnHost(a.Value)
		}
		if name := p.NameOf(e.Func); strings.HasPrefix(name, "torch.") && !strings.Contains(name, "(") && e.Keyword("device") == nil {
			return p.madeOfHosts(e.Args)
		}
	case *pysrc.BinOp:
		return p.madeOfHosts([]pysrc.Expr{e.Left, e.Right})
	case *pysrc.UnaryOp:
		return p.madeOnHost(e.Operand)
	case *pysrc.Name:
		value := p.Module.SaidLast(e)
		if value == nil || p.usedBetween(e.ID, value.Bounds().End, e) {
			return nil
		}
		return p.madeOnHost(value)
	}
	return nil
}

// madeOfHosts is the call that fills one of the operands on the host, where none lies on the GPU; nil otherwise.
func (p *SourcePass) madeOfHosts(operands []pysrc.Expr) *pysrc.Call {
	var made *pysrc.Call
	for _, o := range operands {
		if p.OnDevice(o) > 0 {
			return nil
		}
		if made == nil {
			made = p.madeOnHost(o)
		}
	}
	return made
}

// reshapes are the methods that give a tensor another shape or type, where it is.
var reshapes = setOfNames("long", "float", "int", "bool", "double", "half", "type", "unsqueeze", "squeeze", "view", "reshape",
	"expand", "expand_as", "repeat", "transpose", "t", "permute", "contiguous", "tril", "triu", "flip", "requires_grad_")

// usedBetween reports a variable that is read or written to behind an offset and before a use of it.
func (p *SourcePass) usedBetween(name string, from int32, at *pysrc.Name) bool {
	found := false
	pysrc.Inspect(p.bodyOf(at), func(n pysrc.Node) bool {
		if x, ok := n.(*pysrc.Name); ok && x.ID == name && x != at && x.Start >= from && x.Start < at.Start && x.Ctx == pysrc.Load {
			found = true
		}
		return !found
	})
	return found
}

// creators are the functions of torch that fill a new tensor.
var creators = setOfNames("zeros", "ones", "full", "empty", "arange", "range", "eye", "linspace", "logspace", "rand",
	"randn", "randint",
	"randperm", "tril_indices", "triu_indices", "hann_window", "hamming_window")

// makesTensor reports a call that fills a new tensor on the host: torch.zeros(3), torch.tensor(0.0).
func (p *SourcePass) makesTensor(made *pysrc.Call) bool {
	name, ok := strings.CutPrefix(p.NameOf(made.Func), "torch.")
	switch {
	case !ok:
		return false
	case name == "tensor" && len(made.Args) > 0:
		_, number := pysrc.FloatValue(made.Args[0])
		return number
	case hostTensors[name] && len(made.Args) > 0: // torch.tensor([1, 2]) is another rule's
		return isNumberList(made.Args[0]) || hasNumber(made.Args[0])
	}
	return creators[name]
}

// hostTensors are the classes of tensors, which are made on the host.
var hostTensors = setOfNames("Tensor", "FloatTensor", "LongTensor", "IntTensor", "BoolTensor", "ByteTensor", "DoubleTensor")

// hasNumber reports a list with one number that is written out.
func hasNumber(e pysrc.Expr) bool {
	list, ok := e.(*pysrc.List)
	if !ok || len(list.Elts) != 1 {
		return false
	}
	_, number := pysrc.FloatValue(list.Elts[0])
	return number || hasNumber(list.Elts[0]) || isNumberList(list.Elts[0])
}

// takesDevice reports a function that can fill the tensor on the GPU.
func (p *SourcePass) takesDevice(made *pysrc.Call) bool {
	return !hostTensors[strings.TrimPrefix(p.NameOf(made.Func), "torch.")]
}

// boundToHost reports a tensor that only the host can make so: pinned, from a generator of the host's, or into another.
func boundToHost(made *pysrc.Call) bool {
	return made.Keyword("pin_memory") != nil || made.Keyword("generator") != nil || made.Keyword("out") != nil ||
		made.Keyword("requires_grad") != nil
}

// hostIndexes reports tensors of the GPU that are indexed by one made on the host in every step: it is copied first.
func (p *SourcePass) hostIndexes() {
	for _, s := range p.StepSubscripts() {
		axes := []pysrc.Expr{s.Slice}
		if t, ok := s.Slice.(*pysrc.Tuple); ok {
			axes = t.Elts
		}
		for _, axis := range axes {
			made := p.madeOnHost(axis)
			if made == nil || p.OnDevice(s.Value) < likely {
				continue
			}
			if path, ok := p.EachStep(s); ok {
				p.Report(made, path.Sure*p.OnDevice(s.Value)).Because(path).
					Saying("%s is created on the host and copied in every step, to index %s", p.Short(made), p.Short(s.Value))
				break
			}
		}
	}
}

// arrayCopy is a call that copies an array of the host to the GPU.
type arrayCopy struct {
	Call
	array pysrc.Expr
}

// arrayCopies returns the copies of arrays of NumPy to the GPU: torch.from_numpy(a).to(device),
// torch.as_tensor(a, device=device).
func (p *SourcePass) arrayCopies() []arrayCopy {
	var list []arrayCopy
	for _, c := range p.CallsTo("torch.as_tensor", "torch.tensor") {
		k := c.Node.Keyword("device")
		if k != nil && p.anyDevice(k.Value) && len(c.Node.Args) > 0 && p.isArray(c.Node.Args[0]) {
			list = append(list, arrayCopy{c, c.Node.Args[0]})
		}
	}
	for _, c := range p.MethodCalls("to", "cuda") {
		if device, _ := targetDevice(c.Node); c.Method() == "to" && !p.anyDevice(device) {
			continue
		}
		e := c.Receiver()
		if name, ok := e.(*pysrc.Name); ok {
			e = p.Module.SaidLast(name)
		}
		for made, ok := e.(*pysrc.Call); ok; made, ok = e.(*pysrc.Call) {
			if a, is := made.Func.(*pysrc.Attribute); is && reshapes[a.Attr] {
				e = a.Value
				continue
			}
			name := strings.TrimPrefix(p.NameOf(made.Func), "torch.")
			if len(made.Args) > 0 && (name == "from_numpy" || (hostTensors[name] || name == "tensor" || name == "as_tensor") && p.isArray(made.Args[0])) {
				list = append(list, arrayCopy{c, made.Args[0]})
			}
			break
		}
	}
	return list
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

// inModel tells whether a way leads through a model, or ends in one.
func (p *SourcePass) inModel(way project.Path, n Node) bool {
	is := func(fn *project.Function) bool {
		return fn != nil && fn.Class != nil && fn.Class.Derives("torch.nn.Module")
	}
	return is(p.Function(n)) || slices.ContainsFunc(way.Calls, func(s *project.Site) bool { return is(s.Func) })
}

// hostArrays reports what a model computes with NumPy and copies to the GPU in every step.
func (p *SourcePass) hostArrays() {
	for _, c := range p.arrayCopies() {
		way, ok := p.EachStep(c)
		if !ok || !p.inModel(way, c) || p.keptOnTheWay(way, c.Call) || p.solvesOnHost(c.Call) {
			continue // the way to a solver of the host is another rule's
		}
		p.Report(c, way.Sure*nearlyCertain).Because(way).
			Saying("%s is computed on the host and copied in every step", p.Short(c.array)).
			Advising("Compute it with torch on the GPU, or once: keep it in a buffer, or by its arguments in a dict.")
	}
}
