package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// besideWaits is beside how many other waits of a step the copy of what an expression holds takes no time that counts: one
// for numbers that are written out, several for one number for each sample or place; 0 if it always counts.
func (p *SourcePass) besideWaits(e pysrc.Expr) int {
	if (fewNumbers{p, 64, 0}).in(e, 0) {
		return 1
	} else if (fewNumbers{p, 4096, 1}).in(e, 0) {
		return severalWaits
	}
	return 0
}

// severalWaits is beside how many waits of a step one more for a vector does not count.
const severalWaits = 3

// mostEach is how many numbers there are for each sample of a batch, or for each place of a sequence.
const mostEach = 8

// fewNumbers asks what holds at most so many numbers; as many sides of a tensor may be a length that is not known.
type fewNumbers struct {
	*SourcePass
	most    int64
	lengths int
}

// in reports an expression that holds a few numbers: a number, a short list, one number for each sample of a batch, a vector.
func (f fewNumbers) in(e pysrc.Expr, depth int) bool {
	if depth > deepestHeld {
		return false
	}
	switch x := e.(type) {
	case *pysrc.Constant:
		return true
	case *pysrc.UnaryOp:
		return f.in(x.Operand, depth+1)
	case *pysrc.BinOp:
		left, right := f.isOneNumber(x.Left), f.isOneNumber(x.Right)
		if !left && !right && (isReshaped(x.Left) || isReshaped(x.Right)) {
			return false // all pairs of them perhaps
		}
		return (left || f.in(x.Left, depth+1)) && (right || f.in(x.Right, depth+1))
	case *pysrc.List:
		return f.inEach(x.Elts, depth)
	case *pysrc.Tuple:
		return f.inEach(x.Elts, depth)
	case *pysrc.ListComp:
		return f.lengths > 0 && len(x.Generators) == 1 && f.isOneNumber(x.Elt)
	case *pysrc.Subscript:
		return shapeOf(x.Value) != nil || f.in(x.Value, depth+1)
	case *pysrc.Attribute:
		return shapeOf(x) != nil || f.setsLayer(x) || f.inField(x, depth+1)
	case *pysrc.Name:
		values := f.Module.SaidEither(x)
		return len(values) > 0 && !slices.ContainsFunc(values, func(v pysrc.Expr) bool { return !f.inAppended(x, v) && !f.in(v, depth+1) })
	case *pysrc.Call:
		return f.inCall(x, depth+1)
	}
	return false
}

// setsLayer reports a setting of a layer of torch: criterion.ignore_index.
func (f fewNumbers) setsLayer(x *pysrc.Attribute) bool {
	of := f.Eval(x.Value)
	return of.Kind == project.Instance && of.Class == nil && strings.HasPrefix(of.Name, "torch.nn.") && x.Attr != "weight" && x.Attr != "bias"
}

// isReshaped reports a tensor that gets another axis: x[:, None], x.unsqueeze(1).
func isReshaped(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Subscript:
		return true
	case *pysrc.Call:
		a, ok := x.Func.(*pysrc.Attribute)
		return ok && reshapes[a.Attr]
	}
	return false
}

// inEach reports a short list of numbers, or of short lists.
func (f fewNumbers) inEach(list []pysrc.Expr, depth int) bool {
	return len(list) > 0 && len(list) <= 64 && !slices.ContainsFunc(list, func(e pysrc.Expr) bool {
		_, more := e.(*pysrc.Starred)
		return more || !f.isOneNumber(e) && !f.in(e, depth+1)
	})
}

// isOneNumber reports a single number: written out, a length, one that is drawn or read from a tensor.
func (p *SourcePass) isOneNumber(e pysrc.Expr) bool {
	if p.isSideOrNumber(e) {
		return shapeOf(e) == nil
	}
	switch x := e.(type) {
	case *pysrc.Name:
		value := p.Module.SaidOnce(x)
		return value != nil && p.isOneNumber(value)
	case *pysrc.IfExp:
		return p.isOneNumber(x.Body) && p.isOneNumber(x.Orelse)
	case *pysrc.BinOp:
		return p.isOneNumber(x.Left) && p.isOneNumber(x.Right)
	case *pysrc.Call:
		switch lastName(x.Func) {
		case "int", "float", "item":
			return true
		case "min", "max":
			return !slices.ContainsFunc(x.Args, func(e pysrc.Expr) bool { return !p.isOneNumber(e) }) && len(x.Args) > 1
		case "tensor":
			return len(x.Args) > 0 && p.isOneNumber(x.Args[0])
		}
		return strings.HasPrefix(p.NameOf(x.Func), "random.")
	}
	return false
}

// inAppended reports an empty list to which its function appends single numbers.
func (f fewNumbers) inAppended(name *pysrc.Name, value pysrc.Expr) bool {
	if list, ok := value.(*pysrc.List); f.lengths == 0 || !ok || len(list.Elts) > 0 {
		if c, ok := value.(*pysrc.Call); f.lengths == 0 || !ok || lastName(c.Func) != "list" || len(c.Args) > 0 {
			return false
		}
	}
	appended := 0
	for _, s := range f.Function(name).Sites {
		a, ok := s.Node.Func.(*pysrc.Attribute)
		if !ok || !isNamed(a.Value, name.ID) || len(s.Node.Args) != 1 {
			continue
		}
		if a.Attr != "append" || !f.isOneNumber(s.Node.Args[0]) {
			return false
		}
		appended++
	}
	return appended > 0
}

// inCall reports a call that makes a tensor or an array of a few numbers: torch.tensor([1]), torch.zeros(3), np.arange(n),
// torch.rand(x.size(0), 1, 1, 1).
func (f fewNumbers) inCall(made *pysrc.Call, depth int) bool {
	if a, ok := made.Func.(*pysrc.Attribute); ok && (reshapes[a.Attr] && !strings.HasPrefix(a.Attr, "expand") && a.Attr != "repeat" || a.Attr == "astype") {
		return f.in(a.Value, depth+1)
	}
	full := f.NameOf(made.Func)
	name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(full, "torch."), "numpy."), "random.")
	first := firstArg(made)
	switch name {
	case "tensor", "as_tensor", "array", "asarray", "from_numpy":
		return first != nil && (f.isOneNumber(first) || f.in(first, depth+1))
	case "Tensor", "IntTensor", "LongTensor", "FloatTensor", "ByteTensor", "BoolTensor":
		if len(made.Args) > 1 || first != nil && f.isOneNumber(first) {
			return f.sides(made.Args)
		}
		return first != nil && shapeOf(first) == nil && f.in(first, depth+1)
	case "list":
		return len(made.Args) == 1 && f.in(first, depth+1)
	case "arange", "range", "linspace", "logspace", "randperm", "permutation", "hann_window", "hamming_window":
		unknown := 0
		for _, a := range made.Args {
			if n, known := f.Eval(a).Int(); known && n > f.most {
				return false
			} else if !known {
				unknown++
			}
		}
		return f.lengths > 0 || unknown == 0
	case "zeros", "ones", "empty", "rand", "randn":
		return f.sides(made.Args)
	case "full":
		return f.sides(made.Args[:min(1, len(made.Args))]) || f.size(made)
	case "eye":
		return len(made.Args) > 0 && f.sides([]pysrc.Expr{first, first})
	case "randint":
		return len(made.Args) > 2 && f.sides(made.Args[2:3]) || f.size(made)
	case "uniform", "normal", "beta", "choice", "poisson", "exponential":
		return strings.HasPrefix(full, "numpy.") && (made.Keyword("size") == nil && len(made.Args) < 3 || f.size(made))
	}
	return f.byHelper(made, depth)
}

// size reports a call that is told by size= to make a few numbers.
func (f fewNumbers) size(made *pysrc.Call) bool {
	size := made.Keyword("size")
	return size != nil && f.sides([]pysrc.Expr{size.Value})
}

// sides reports the shape of a few numbers: known sides, and perhaps a length.
func (f fewNumbers) sides(sides []pysrc.Expr) bool {
	if len(sides) == 1 {
		if parts := elementsOf(sides[0]); len(parts) > 0 {
			sides = parts
		}
	}
	count, lengths := int64(1), 0
	for _, side := range sides {
		if n, known := f.Eval(side).Int(); known {
			count *= n
			continue
		}
		if lengths++; !f.isOneNumber(side) && !f.namesLength(side) {
			return false
		}
	}
	return len(sides) > 0 && (lengths == 0 && count <= f.most || lengths > 0 && lengths <= f.lengths && count <= mostEach)
}

// namesLength reports a length that an object or the options hold, or that is computed from one: args.batch_size, self.width // 2.
func (f fewNumbers) namesLength(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Attribute:
		return shapeOf(x) == nil && !f.isTensor(x)
	case *pysrc.BinOp:
		return f.namesLength(x.Left) || f.isOneNumber(x.Left)
	}
	return false
}

// byHelper reports a call of a function of the project all of whose returns hold a few numbers, or a function of torch or
// NumPy, or a method, that computes with them one by one: torch.exp(x), x.cumsum(0).
func (f fewNumbers) byHelper(c *pysrc.Call, depth int) bool {
	if s := f.Module.SiteAt(c); s != nil && s.Calls.Kind == project.Callable && s.Calls.Func != nil && len(s.Calls.Func.Returns()) > 0 {
		there := fewNumbers{f.In(s.Calls.Func.Module), f.most, f.lengths}
		return !slices.ContainsFunc(s.Calls.Func.Returns(), func(r pysrc.Expr) bool { return !there.in(r, depth+1) })
	}
	switch lastName(c.Func) {
	case "exp", "log", "sqrt", "rsqrt", "sin", "cos", "pow", "cumsum", "cumprod", "flip", "clamp", "clip", "abs", "to", "cpu":
	default:
		return false
	}
	if name := f.NameOf(c.Func); strings.HasPrefix(name, "torch.") || strings.HasPrefix(name, "numpy.") {
		return len(c.Args) > 0 && f.in(c.Args[0], depth+1)
	}
	a, ok := c.Func.(*pysrc.Attribute)
	return ok && f.in(a.Value, depth+1)
}

// inField reports a field of an object that its class sets to a few numbers.
func (f fewNumbers) inField(a *pysrc.Attribute, depth int) bool {
	fn := f.Function(a)
	if fn.Class == nil || !isNamed(a.Value, fn.Self()) {
		return false
	}
	there := fewNumbers{f.In(fn.Class.Module), f.most, f.lengths}
	found := false
	for _, set := range fn.Class.Module.Assignments {
		target, ok := set.Target.(*pysrc.Attribute)
		if !ok || target.Attr != a.Attr || set.Func.Class != fn.Class || !isNamed(target.Value, set.Func.Self()) {
			continue
		}
		if found = true; set.Augmented || !there.in(set.Value, depth+1) {
			return false
		}
	}
	return found
}
