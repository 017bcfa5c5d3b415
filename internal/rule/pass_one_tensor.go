package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// deepestTensor is how far the question is followed whether a value is one tensor.
const deepestTensor = 30

// isOneTensor reports a value that is one tensor and not a list of them: it is computed by arithmetic, a layer or a
// function of torch, or moved to a device, as far as variables, callers and loops over tensors tell.
func (p *SourcePass) isOneTensor(e pysrc.Expr, depth int) bool {
	if depth > deepestTensor {
		return false
	}
	switch x := e.(type) {
	case *pysrc.BinOp:
		return x.Op == pysrc.MatMult || x.Op != pysrc.Mod && (p.isOneTensor(x.Left, depth+1) || p.isOneTensor(x.Right, depth+1))
	case *pysrc.Compare:
		return len(x.Ops) == 1 && (p.isOneTensor(x.Left, depth+1) || p.isOneTensor(x.Comparators[0], depth+1))
	case *pysrc.UnaryOp:
		return x.Op != pysrc.Not && p.isOneTensor(x.Operand, depth+1)
	case *pysrc.Subscript:
		return p.isOneTensor(x.Value, depth+1)
	case *pysrc.Call:
		return p.givesOneTensor(x, depth)
	case *pysrc.Attribute:
		if x.Attr == "data" || x.Attr == "T" {
			return p.isOneTensor(x.Value, depth+1)
		}
		return p.fieldIsOneTensor(x, depth)
	case *pysrc.Name:
		known, asked := p.shared.oneTensor[x]
		if asked {
			return known
		}
		if p.shared.oneTensor == nil {
			p.shared.oneTensor = map[*pysrc.Name]bool{}
		}
		p.shared.oneTensor[x] = true // while it is being asked: what it is set to from itself decides nothing
		one := p.namesOneTensor(x, depth)
		p.shared.oneTensor[x] = one
		return one
	}
	return false
}

// fieldIsOneTensor reports a field that __init__ sets to one tensor and nothing else sets.
func (p *SourcePass) fieldIsOneTensor(field *pysrc.Attribute, depth int) bool {
	class := p.Function(field).Class
	if class == nil || !project.IsSelf(field.Value) {
		return false
	}
	value := p.onlyField(class, field.Attr)
	return value != nil && p.isOneTensor(value, depth+1)
}

func (p *SourcePass) namesOneTensor(name *pysrc.Name, depth int) bool {
	list, given := p.Module.SaidOrGiven(name)
	if slices.ContainsFunc(list, func(s project.Said) bool { return !p.partIsOneTensor(s.Value, s.Place, depth+1) }) {
		return false
	}
	given = given && (len(list) == 0 || !p.leftOutByCaller(name))
	return given && p.givenOneTensor(name, depth) || !given && (len(list) > 0 || p.isRowOfTensor(name, depth))
}

// partIsOneTensor reports a value that is one tensor, or the part of a tuple that is: of what a function returns, too.
func (p *SourcePass) partIsOneTensor(e pysrc.Expr, place, depth int) bool {
	if place < 0 {
		return p.isOneTensor(e, depth)
	}
	switch x := e.(type) {
	case *pysrc.Tuple:
		return place < len(x.Elts) && p.isOneTensor(x.Elts[place], depth)
	case *pysrc.Call:
		return p.returnsOneTensor(x, place, depth)
	case *pysrc.GeneratorExp: // x, y = (t.to(device) for t in batch)
		return p.isOneTensor(x.Elt, depth)
	case *pysrc.ListComp:
		return p.isOneTensor(x.Elt, depth)
	}
	return false
}

func (p *SourcePass) givesOneTensor(c *pysrc.Call, depth int) bool {
	if a, ok := c.Func.(*pysrc.Attribute); ok {
		if of := p.Eval(c.Func).Func; of != nil && of.Class != nil && of.Class.Derives("torch.nn.Module") { // a method of a model
			return p.returnsOneTensor(c, -1, depth)
		}
		switch a.Attr {
		case "cuda", "to":
			return true
		case "size", "dim", "numel", "nelement", "item", "get_device":
			return false // numbers of Python
		case "split", "chunk", "unbind", "tolist", "items", "values", "parameters", "named_parameters", "buffers",
			"named_buffers", "state_dict", "children", "modules":
			return false
		}
		if viewed(c) != nil || p.isOneTensor(a.Value, depth+1) {
			return p.isOneTensor(a.Value, depth+1)
		}
	}
	v := p.Eval(c.Func)
	name := v.Name
	switch {
	case v.Func != nil || v.Class != nil && v.Kind == project.Instance:
		return p.returnsOneTensor(c, -1, depth)
	case v.Kind == project.Instance:
		return oneTensorLayers[strings.TrimPrefix(name, "torch.nn.")]
	case strings.HasPrefix(name, "torch.nn.functional."):
		return true
	case strings.HasPrefix(name, "torch.") && v.Kind == project.Callable:
		name = strings.TrimPrefix(name, "torch.")
		if (name == "max" || name == "min" || name == "median") && len(c.Args) == 1 && len(c.Keywords) == 0 {
			return p.OnDevice(c) > 0
		}
		return !severalTensors[name] && !strings.Contains(name, ".") && (creators[name] || oneOfOthers[name] || p.OnDevice(c) > 0)
	}
	return false
}

// returnsOneTensor reports a call of a function or model of the project that returns one tensor, at a place of a tuple
// perhaps.
func (p *SourcePass) returnsOneTensor(c *pysrc.Call, place, depth int) bool {
	s := p.Module.SiteAt(c)
	if s == nil || !p.enters("returns one tensor", c) {
		return false
	}
	defer p.leaves("returns one tensor", c)
	runs := p.Project.Runs(s)
	return len(runs) > 0 && !slices.ContainsFunc(runs, func(fn *project.Function) bool {
		there := p.In(fn.Module)
		return len(fn.Returns()) == 0 || slices.ContainsFunc(fn.Returns(), func(r pysrc.Expr) bool { return !there.partIsOneTensor(r, place, depth+1) })
	})
}

// oneTensorLayers are layers of torch that give one tensor.
var oneTensorLayers = setOfNames("Linear", "Conv1d", "Conv2d", "Conv3d", "Embedding", "LayerNorm", "BatchNorm1d",
	"BatchNorm2d", "Dropout", "ReLU", "GELU", "Softmax", "Sigmoid", "Tanh", "ConvTranspose1d", "ConvTranspose2d")

// oneOfOthers are functions of torch that make one tensor of others, of numbers or of an array.
var oneOfOthers = setOfNames("stack", "cat", "concat", "concatenate", "hstack", "vstack", "zeros_like", "ones_like", "full_like", "empty_like",
	"rand_like", "randn_like", "tensor", "as_tensor", "from_numpy", "matmul", "bmm", "einsum", "where")

// severalTensors are functions of torch that give several tensors, or none.
var severalTensors = setOfNames("split", "chunk", "unbind", "tensor_split", "hsplit", "vsplit", "dsplit", "split_with_sizes",
	"topk", "sort", "max", "min", "median", "mode", "kthvalue", "cummax", "cummin", "aminmax", "meshgrid", "broadcast_tensors",
	"svd", "qr", "lu", "unique", "unique_consecutive", "std_mean", "var_mean", "frexp", "load", "save", "device", "nonzero")

// leftOutByCaller reports a parameter with a default that a call in a step gives nothing for: longest of def mask(lengths, longest=None),
// which the function sets itself then.
func (p *SourcePass) leftOutByCaller(name *pysrc.Name) bool {
	fn := p.Function(name)
	return fn.HasDefault(name.ID) && slices.ContainsFunc(p.Project.Givers(fn), func(s *project.Site) bool { return s.Given(fn, name.ID) == nil })
}

// givenOneTensor reports a parameter of which the function asks for the shape, or for which each training step, or else each call, passes
// one tensor.
func (p *SourcePass) givenOneTensor(name *pysrc.Name, depth int) bool {
	fn := p.Function(name)
	if fn.Def == nil || !fn.HasParameter(name.ID) {
		return false
	}
	if p.hasShape(name) {
		return true
	}
	givers := p.Project.Givers(fn)
	if len(givers) == 0 {
		givers = p.Project.Callers(fn) // of an evaluation
	}
	return len(givers) > 0 && !slices.ContainsFunc(givers, func(s *project.Site) bool {
		given := s.Given(fn, name.ID)
		return given == nil || !p.In(s.Module()).isOneTensor(given, depth+1)
	})
}

// isRowOfTensor reports the variable of a loop over one tensor: of for row in x, and of both of for i, row in enumerate(x).
func (p *SourcePass) isRowOfTensor(name *pysrc.Name, depth int) bool {
	for _, clause := range p.comprehensionAround(name) {
		if storesName(clause.Target, name.ID) {
			items := iterablesOf(clause.Iter)
			return len(items) > 0 && !slices.ContainsFunc(items, func(e pysrc.Expr) bool { return !p.isOneTensor(e, depth+1) })
		}
	}
	loop, ok := p.LoopAround(name).(*pysrc.For)
	if !ok {
		return false
	}
	set := map[string]bool{}
	addStored(loop.Target, set)
	if !set[name.ID] {
		return false
	}
	items := iterablesOf(loop.Iter)
	return len(items) > 0 && !slices.ContainsFunc(items, func(e pysrc.Expr) bool { return !p.isOneTensor(e, depth+1) })
}
