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
		if a, ok := e.Func.(*pysrc.Attribute); ok && (reshapes[a.Attr] || elementwise[a.Attr] && !slices.ContainsFunc(e.Args, p.mayBeOnDevice)) {
			if made := p.madeOnHost(a.Value); made != nil {
				return made
			}
			if made := p.sizedOnHost(a); made != nil {
				return made
			}
		}
		name := p.NameOf(e.Func)
		if strings.HasPrefix(name, "torch.") && !strings.Contains(name, "(") && e.Keyword("device") == nil {
			return p.madeOfHosts(e.Args)
		}
		if project.KeepsDevice(name) && len(e.Args) > 0 {
			return p.madeOnHost(e.Args[0])
		}
		return p.madeByHelper(e)
	case *pysrc.List:
		return p.allOnHost(e.Elts)
	case *pysrc.Tuple:
		return p.allOnHost(e.Elts)
	case *pysrc.ListComp:
		return p.madeOnHost(e.Elt)
	case *pysrc.Starred:
		return p.madeOnHost(e.Value)
	case *pysrc.BinOp:
		return p.madeOfHosts([]pysrc.Expr{e.Left, e.Right})
	case *pysrc.Compare:
		return p.madeOfHosts(append([]pysrc.Expr{e.Left}, e.Comparators...))
	case *pysrc.UnaryOp:
		return p.madeOnHost(e.Operand)
	case *pysrc.Subscript:
		if made := p.partMadeOnHost(e); made != nil || !keepsAll(e.Slice) {
			return made
		}
		return p.madeOnHost(e.Value) // table[None, :]
	case *pysrc.Name:
		values := p.Module.SaidEither(e)
		if unpacked := p.unpackedGrid(e); unpacked != nil {
			values = []pysrc.Expr{unpacked}
		}
		if len(values) == 0 {
			return p.partMadeOnHost(e)
		}
		if p.usedBetween(e.ID, values[0].Bounds().End, e) {
			return nil
		}
		if loop := p.LoopAround(e); loop != nil && values[0].Bounds().Start < loop.Bounds().Start {
			return nil // it stays on the host
		}
		if rows, ok := values[0].(*pysrc.List); ok && len(values) == 1 && len(rows.Elts) == 0 {
			values = appendedTo(p.Function(e), e.ID)
		}
		return p.allOnHost(values)
	}
	return nil
}

// sizedOnHost is the call that makes a tensor of a length which a method then fills: torch.LongTensor(n).zero_(). It is nil for
// other methods, whose tensor may hold data.
func (p *SourcePass) sizedOnHost(filled *pysrc.Attribute) *pysrc.Call {
	switch filled.Attr {
	case "zero_", "fill_", "uniform_", "normal_", "random_", "bernoulli_", "exponential_":
	default:
		return nil
	}
	made, ok := filled.Value.(*pysrc.Call)
	if !ok || made.Keyword("device") != nil || !hostTensors[strings.TrimPrefix(p.NameOf(made.Func), "torch.")] {
		return nil
	}
	return made
}

// madeIn is the place in a function of the project where it fills the tensor that a call of it returns; nil for another call.
func (p *SourcePass) madeIn(made *pysrc.Call) *project.Step {
	s := p.Module.SiteAt(made)
	if s == nil || s.Calls.Kind != project.Callable || s.Calls.Func == nil {
		return nil
	}
	there := p.In(s.Calls.Func.Module)
	for _, inner := range s.Calls.Func.Sites {
		if there.makesTensor(inner.Node) {
			at := there.At(inner.Node, "created here")
			return &at
		}
	}
	return nil
}

// unpackedGrid is the call of torch whose parts, all made of its arguments, an assignment unpacks into a name and others:
// ys, xs = torch.meshgrid(…); or nil.
func (p *SourcePass) unpackedGrid(name *pysrc.Name) pysrc.Expr {
	list, given := p.Module.SaidOrGiven(name)
	if given || len(list) != 1 || list[0].Place < 0 {
		return nil
	}
	c, ok := list[0].Value.(*pysrc.Call)
	if !ok {
		return nil
	}
	switch p.NameOf(c.Func) {
	case "torch.meshgrid", "torch.broadcast_tensors", "torch.chunk", "torch.split", "torch.unbind":
		return c
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

// allOnHost is the call that fills the first of the parts, where each of them is filled on the host: of torch.cat([a, b])
// none may be data.
func (p *SourcePass) allOnHost(parts []pysrc.Expr) *pysrc.Call {
	var first *pysrc.Call
	for _, part := range parts {
		made := p.madeOnHost(part)
		if made == nil {
			return nil
		}
		if first == nil {
			first = made
		}
	}
	return first
}

// reshapes are the methods that give a tensor another shape or type, where it is.
var reshapes = setOfNames("long", "float", "int", "bool", "double", "half", "type", "unsqueeze", "squeeze", "view", "reshape",
	"expand", "expand_as", "repeat", "transpose", "t", "permute", "contiguous", "tril", "triu", "flip", "requires_grad_",
	"zero_", "fill_", "uniform_", "normal_", "random_", "bernoulli_", "exponential_")

// elementwise are methods that compute with a tensor where it is.
var elementwise = setOfNames("masked_fill", "masked_fill_", "scatter", "scatter_", "scatter_add_", "index_fill_", "eq", "ne", "lt", "le", "gt", "ge", "logical_not", "exp", "log", "sqrt", "sin", "cos",
	"pow", "add", "add_", "sub", "sub_", "mul", "mul_", "div", "div_", "neg", "abs", "clamp", "clamp_", "cumsum")

func (p *SourcePass) mayBeOnDevice(e pysrc.Expr) bool { return p.OnDevice(e) > 0 }

// keepsAll reports an index that only adds axes: x[None, :], x[:, None, ...].
func keepsAll(index pysrc.Expr) bool {
	axes := []pysrc.Expr{index}
	if t, ok := index.(*pysrc.Tuple); ok {
		axes = t.Elts
	}
	return !slices.ContainsFunc(axes, func(e pysrc.Expr) bool {
		cut, ok := e.(*pysrc.Slice)
		return !pysrc.IsConst(e, pysrc.None) && !(ok && cut.Lower == nil && cut.Upper == nil && cut.Step == nil) && !pysrc.IsConst(e, pysrc.Ellipsis)
	})
}

// madeByHelper is a call of a function of the project all of whose returns are filled on the host: sample_steps(n), of
// def sample_steps(n): return torch.randint(0, 1000, (n,)). It is nil for other calls.
func (p *SourcePass) madeByHelper(e *pysrc.Call) *pysrc.Call {
	s := p.Module.SiteAt(e)
	if s == nil || s.Calls.Kind != project.Callable || s.Calls.Func == nil || len(s.Calls.Func.Returns()) == 0 {
		return nil
	}
	if callsNamedIn(s.Calls.Func, "cuda", "type_as", "device", "zeros_like", "ones_like", "full_like") || cached(s.Calls.Func) || p.movesIn(s.Calls.Func) {
		return nil
	}
	if !p.enters("made by a helper", e) {
		return nil
	}
	defer p.leaves("made by a helper", e)
	there := p.In(s.Calls.Func.Module)
	for _, r := range s.Calls.Func.Returns() {
		call, _ := r.(*pysrc.Call)
		table := call != nil && call.Keyword("device") == nil && p.toldSizes(e) && there.wrapsTable(call)
		if there.madeOnHost(r) == nil && !there.filledOnHost(r, 1) && !table {
			return nil
		}
	}
	return e
}

// movesIn reports a function that moves a tensor to what may be a device: x.to(device), and not x.to(torch.bool).
func (p *SourcePass) movesIn(fn *project.Function) bool {
	there := p.In(fn.Module)
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		return s.Method() == "to" && !there.castsOnly(s.Node)
	})
}

// castsOnly reports x.to(torch.bool) and x.to(y.dtype), which stays where it is.
func (p *SourcePass) castsOnly(c *pysrc.Call) bool {
	return len(c.Args) == 1 && len(c.Keywords) == 0 && (lastName(c.Args[0]) == "dtype" || dtypes[strings.TrimPrefix(p.NameOf(c.Args[0]), "torch.")])
}

// dtypes are the types of torch's numbers.
var dtypes = setOfNames("bool", "int8", "uint8", "int16", "int32", "int64", "int", "long", "short", "float16", "float32", "float64", "float", "half",
	"double", "bfloat16", "complex64", "complex128")

// toldSizes reports a call that is told sizes and nothing else: sinusoid(x.size(1), self.width).
func (p *SourcePass) toldSizes(c *pysrc.Call) bool {
	return !slices.ContainsFunc(argumentsOf(c), func(e pysrc.Expr) bool {
		c, call := e.(*pysrc.Call)
		size := call && (lastName(c.Func) == "size" || lastName(c.Func) == "len") || isLength(e) || p.isNumber(e) || project.FieldOfSelf(e) != ""
		return !size || p.OnDevice(e) > perhaps
	})
}

// wrapsTable reports a tensor of an array that numpy makes of numbers in the same function: torch.from_numpy(table).
func (p *SourcePass) wrapsTable(c *pysrc.Call) bool {
	if f, ok := c.Func.(*pysrc.Attribute); ok && reshapes[f.Attr] {
		inner, ok := f.Value.(*pysrc.Call)
		return ok && p.wrapsTable(inner)
	}
	switch p.NameOf(c.Func) {
	case "torch.from_numpy", "torch.tensor", "torch.as_tensor", "torch.FloatTensor", "torch.Tensor":
		first := firstArg(c)
		if cast, ok := first.(*pysrc.Call); ok && lastName(cast.Func) == "astype" {
			first = cast.Func.(*pysrc.Attribute).Value
		}
		if name, ok := first.(*pysrc.Name); ok {
			first = p.Module.SaidLast(name)
		}
		made, ok := first.(*pysrc.Call)
		return ok && strings.HasPrefix(p.NameOf(made.Func), "numpy.")
	}
	return false
}

// usedBetween reports a variable that is read or written to behind an offset and before a use of it.
func (p *SourcePass) usedBetween(name string, from int32, at *pysrc.Name) bool {
	found := false
	pysrc.Inspect(p.bodyOf(at), func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Assign); ok && p.fillsFromHost(a, name) {
			return false // table[:, 0::2] = torch.sin(positions), itself of the host
		}
		if x, ok := n.(*pysrc.Name); ok && x.ID == name && x != at && x.Start >= from && x.Start < at.Start && x.Ctx == pysrc.Load {
			found = true
		}
		return !found
	})
	return found
}

// fillsFromHost reports a part of a tensor that is set to what the host has filled as well.
func (p *SourcePass) fillsFromHost(a *pysrc.Assign, name string) bool {
	if len(a.Targets) != 1 {
		return false
	}
	part, ok := a.Targets[0].(*pysrc.Subscript)
	if !ok || !isNamed(part.Value, name) || mentions(a.Value, name) {
		return false
	}
	if _, constant := a.Value.(*pysrc.Constant); constant {
		return true
	}
	if _, number := pysrc.FloatValue(a.Value); number {
		return true
	}
	return p.OnDevice(a.Value) == 0 && p.ofHost(a.Value, 0)
}

// ofHost reports what is computed from tensors that the host fills, which may be read elsewhere as well.
func (p *SourcePass) ofHost(e pysrc.Expr, depth int) bool {
	if depth > 6 {
		return false
	}
	switch x := e.(type) {
	case *pysrc.Call:
		if p.makesTensor(x) {
			return x.Keyword("device") == nil
		}
		f, ok := x.Func.(*pysrc.Attribute)
		return ok && (p.ofHost(f.Value, depth+1) || strings.HasPrefix(p.NameOf(x.Func), "torch.") && len(x.Args) > 0 && p.ofHost(x.Args[0], depth+1))
	case *pysrc.BinOp:
		return p.ofHost(x.Left, depth+1) || p.ofHost(x.Right, depth+1)
	case *pysrc.Subscript:
		return p.ofHost(x.Value, depth+1)
	case *pysrc.Name:
		value := p.Module.SaidOnce(x)
		return value != nil && p.ofHost(value, depth+1)
	}
	return false
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
	case name == "normal":
		return len(made.Args) > 0 && p.isNumber(made.Args[0])
	case strings.HasPrefix(name, "distributions."):
		return p.drawsOfNumbers(made, name)
	case name == "tensor" && len(made.Args) > 0:
		return p.isNumber(made.Args[0])
	case hostTensors[name] && len(made.Args) > 1: // of that shape
		return true
	case hostTensors[name] && len(made.Args) > 0: // torch.tensor([1, 2]) is another rule's
		return isNumberList(made.Args[0]) || hasNumber(made.Args[0])
	}
	return creators[name]
}

// drawsOfNumbers reports a sample of a distribution whose parameters are numbers: torch.distributions.Beta(0.4, 0.4).sample().
func (p *SourcePass) drawsOfNumbers(made *pysrc.Call, name string) bool {
	if !strings.HasSuffix(name, ".sample") && !strings.HasSuffix(name, ".rsample") {
		return false
	}
	method, ok := made.Func.(*pysrc.Attribute)
	if !ok { // a name for it: draw = beta.sample
		return false
	}
	of := p.Eval(method.Value).Made
	if of == nil || len(of.Node.Args)+len(of.Node.Keywords) == 0 {
		return false
	}
	there := p.In(of.Module())
	return !slices.ContainsFunc(argumentsOf(of.Node), func(e pysrc.Expr) bool {
		_, known := there.Eval(e).Float()
		tensor, made := e.(*pysrc.Call)
		return !known && !there.isNumber(e) && !(made && there.makesTensor(tensor) && tensor.Keyword("device") == nil)
	})
}

// isNumber reports a number that is written out, or computed with one: 1 / self.classes.
func (p *SourcePass) isNumber(e pysrc.Expr) bool {
	if _, number := pysrc.FloatValue(e); number {
		return true
	}
	plain := func(e pysrc.Expr) bool {
		switch e.(type) {
		case *pysrc.Name, *pysrc.Attribute:
			return p.OnDevice(e) == 0 && !p.isArray(e) && !p.isTensor(e)
		}
		return p.isNumber(e)
	}
	b, ok := e.(*pysrc.BinOp)
	return ok && (p.isNumber(b.Left) && plain(b.Right) || p.isNumber(b.Right) && plain(b.Left))
}

// hostTensors are the classes of tensors, which are made on the host.
var hostTensors = setOfNames("Tensor", "FloatTensor", "LongTensor", "IntTensor", "BoolTensor", "ByteTensor", "DoubleTensor", "HalfTensor",
	"ShortTensor", "CharTensor")

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
	name := strings.TrimPrefix(p.NameOf(made.Func), "torch.")
	return p.makesTensor(made) && !hostTensors[name] && !strings.HasPrefix(name, "distributions.")
}

// boundToHost reports a tensor that only the host can make so: pinned, from a generator of the host's, or into another.
func boundToHost(made *pysrc.Call) bool {
	return made.Keyword("pin_memory") != nil || made.Keyword("generator") != nil || made.Keyword("out") != nil ||
		made.Keyword("requires_grad") != nil
}

// hostIndexes reports tensors of the GPU that are indexed by one made on the host in every step: it is copied first.
func (p *SourcePass) hostIndexes() {
	said := map[*project.Function]*Report{}
	for _, s := range p.StepSubscripts() {
		axes := []pysrc.Expr{s.Slice}
		if t, ok := s.Slice.(*pysrc.Tuple); ok {
			axes = t.Elts
		}
		for _, axis := range axes {
			var made pysrc.Expr = axis
			if call := p.madeOnHost(axis); call != nil {
				made = call
			} else if !p.isHostIndex(axis) {
				continue
			}
			if p.OnDevice(s.Value) < likely || p.givenToNumPy(s) {
				continue
			}
			if path, ok := p.EachStep(s); ok && !p.createdOnGPU(made, path) {
				if r := said[p.Function(s)]; r != nil {
					r.Too(p.At(s, "and here"))
					break
				}
				said[p.Function(s)] = p.Report(made, path.Sure*p.OnDevice(s.Value)).Because(path).
					Saying("%s is created on the host and copied in every step, to index %s", p.Short(made), p.Short(s.Value)).
					Beside(severalWaits)
				break
			}
		}
	}
}

// givenToNumPy reports a part of what NumPy computes with: an array, which is on the host.
func (p *SourcePass) givenToNumPy(part *pysrc.Subscript) bool {
	return slices.ContainsFunc(p.Function(part).Sites, func(s *project.Site) bool {
		return strings.HasPrefix(s.Calls.Name, "numpy.") && s.Node.Start < part.Start && part.End <= s.Node.End
	})
}

// isHostIndex reports an index that torch makes a tensor of on the host and copies: an array of NumPy, a list of numbers,
// a range.
func (p *SourcePass) isHostIndex(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.List:
		return isNumberList(x)
	case *pysrc.Call:
		if len(x.Args) > 0 && p.NameOf(x.Func) == "list" {
			return p.isHostIndex(x.Args[0])
		}
		if p.NameOf(x.Func) == "range" {
			return true
		}
	case *pysrc.Compare: // mask > 0 of an array
		return len(x.Ops) == 1 && (p.isArray(x.Left) || p.isArray(x.Comparators[0]))
	case *pysrc.Name, *pysrc.Attribute, *pysrc.Subscript: // self.planes = [[0, 1], [0, 2]], x[:, self.planes[0]]
		if p.eval.HostList(p.Module, x) && !p.isDrawnNumber(x, 0) {
			return true
		}
	}
	_, slice := e.(*pysrc.Slice)
	return !slice && (p.isArray(e) && !p.isDrawnNumber(e, 0) || p.stillLoaded(e))
}

// stillLoaded reports a tensor of a batch that is where the loader left it: ids of for x, ids in loader.
func (p *SourcePass) stillLoaded(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Name:
	case *pysrc.Subscript:
		if _, key := pysrc.StringValue(x.Slice); !key || !isName(x.Value) {
			return false
		}
	default:
		return false
	}
	return strings.HasPrefix(p.Eval(e).Name, "torch.utils.data.DataLoader[]") && p.asLoaded(e) && p.OnDevice(e) == 0
}

// isDrawnNumber reports a single number that NumPy draws: np.random.choice(n), without a size. An index by it copies nothing.
func (p *SourcePass) isDrawnNumber(e pysrc.Expr, depth int) bool {
	switch x := e.(type) {
	case *pysrc.Name:
		said := p.Module.SaidLast(x)
		return depth < 3 && said != nil && p.isDrawnNumber(said, depth+1)
	case *pysrc.Call:
		size, known := drawnSizes[strings.TrimPrefix(p.NameOf(x.Func), "numpy.random.")]
		return known && x.Keyword("size") == nil && len(x.Args) <= size
	}
	return false
}

// drawnSizes are functions of numpy.random with the position of their size.
var drawnSizes = map[string]int{"choice": 1, "randint": 2, "random_integers": 2}
