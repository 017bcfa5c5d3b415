package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// OnDevice is the confidence that the value of an expression is on the training device, so that the host must wait to
// read it: a model's output, a loss, a batch that was moved, and values computed from them. Properties that the host
// knows without waiting, such as a tensor's shape, are not on the device. Whether the device is a GPU is a separate
// question.
func (e *Eval) OnDevice(m *Module, x pysrc.Expr) float64 {
	switch x := x.(type) {
	case *pysrc.Call:
		if a, ok := x.Func.(*pysrc.Attribute); ok && hostMethods[a.Attr] || hostFunctions[lastName(x.Func)] {
			return 0
		}
	case *pysrc.Attribute, *pysrc.Subscript:
		if field := FieldOfSelf(x); field != "" && field != "loss" && field != "logits" {
			return e.partOfField(m, x) // self.loss_weight, self.loss_config["a"]: settings more often than tensors
		}
	case *pysrc.BinOp:
		return max(e.OnDevice(m, x.Left), e.OnDevice(m, x.Right))
	case *pysrc.UnaryOp:
		return e.OnDevice(m, x.Operand)
	case *pysrc.Compare:
		return e.comparedOnDevice(m, x)
	case *pysrc.Constant, *pysrc.JoinedStr, *pysrc.Lambda:
		return 0
	}
	if e.askedForNumber(m, x) || m.givenToNumPy(RootName(x)) {
		return 0
	}
	e.steps = mostTensorSteps
	sure := e.tensor(x, m.blocks[m.BlockAt(x.Bounds().Start)].Scope, 0)
	if name, ok := x.(*pysrc.Name); ok && sure < Likely && e.askedForTensor(m, name) {
		return Likely
	}
	if sure == 0 || sure > NearlyCertain {
		return sure
	}
	return e.nameOnDevice(m, x, sure)
}

// comparedOnDevice is OnDevice for a comparison. The host alone answers is and in, and
// compares with texts and None.
func (e *Eval) comparedOnDevice(m *Module, x *pysrc.Compare) float64 {
	best := e.OnDevice(m, x.Left)
	for i, c := range x.Comparators {
		switch x.Ops[i] {
		case pysrc.Is, pysrc.IsNot, pysrc.In, pysrc.NotIn:
			return 0
		}
		if _, text := pysrc.StringValue(c); text || pysrc.IsConst(c, pysrc.None) {
			return 0
		}
		best = max(best, e.OnDevice(m, c))
	}
	return best
}

// nameOnDevice corrects a guess made from a name, by the values assigned to it or passed for it in a training step.
func (e *Eval) nameOnDevice(m *Module, x pysrc.Expr, sure float64) float64 {
	name, plain := x.(*pysrc.Name)
	if plain {
		if value := m.SaidOnce(name); value != nil && !mentionsDotted(value, name.ID) {
			return min(sure, e.OnDevice(m, value))
		}
	} else if name = RootName(x); name == nil || sure >= Likely {
		return sure
	}
	if given, known := e.GivenOnDevice(m, name); known {
		return given
	}
	if sure >= Probable && endsInWord(name.ID, "loss", "logits") {
		return Likely // a parameter of that very name, and not loss_type
	}
	return sure
}

// givenTo is a parameter whose callers are being asked: functions that call each other would be asked without end.
type givenTo struct {
	fn   *Function
	name string
}

// deepestGiven is through how many calls a parameter is followed.
const deepestGiven = 8

// GivenOnDevice is the confidence that a training step passes a tensor on the device for a parameter, if that is known.
func (e *Eval) GivenOnDevice(m *Module, parameter *pysrc.Name) (sure float64, known bool) {
	asked := givenTo{m.FunctionAt(parameter.Start), parameter.ID}
	if _, given := e.p.StepGives(m, parameter); given == nil || e.busy[asked] > 0 || e.givenDeep >= deepestGiven {
		return 0, false
	}
	e.begin(asked)
	e.givenDeep++
	defer func() { e.end(asked); e.givenDeep-- }()
	e.p.eachGiven(asked.fn, asked.name, func(site *Site, given pysrc.Expr) {
		if sure < Likely {
			sure = max(sure, e.OnDevice(site.Module(), given))
		}
	})
	return sure, true
}

// hostMethods are methods of a tensor that do not look at its values, and those whose
// result is no longer on the device.
var hostMethods = setOf(
	"size", "dim", "ndimension", "numel", "nelement", "stride", "storage_offset", "data_ptr", "element_size",
	"is_contiguous", "is_floating_point", "is_complex", "is_pinned", "is_shared", "is_inference", "is_leaf", "get_device",
	"type", "keys", "get", "items", "values", "item", "tolist", "cpu", "numpy", "startswith", "endswith", "__len__",
	"find", "rfind", "lower", "upper", "strip", // of a string
	"num_nodes", "num_edges", "number_of_nodes", "number_of_edges", // of a graph
	"num_parameters", // of a model of transformers
)

// AnswersOnHost reports a method of a tensor whose result is not on the device.
func AnswersOnHost(method string) bool { return hostMethods[method] }

// hostFunctions are functions whose answer about a tensor needs no values.
var hostFunctions = setOf("len", "isinstance", "hasattr", "callable", "type", "id", "is_tensor", "numel")

// Limits on how far a value is followed to find its device.
const (
	deepestTensor   = 30
	mostTensorSteps = 20 * mostSteps
)

func (e *Eval) tensor(x pysrc.Expr, sc *Scope, depth int) float64 {
	if e.steps--; depth > deepestTensor || e.steps <= 0 {
		e.gap.deep, e.gap.long = e.gap.deep || depth > deepestTensor, e.gap.long || e.steps <= 0
		return 0
	}
	down := func(y pysrc.Expr) float64 { return e.tensor(y, sc, depth+1) }
	switch x := x.(type) {
	case *pysrc.Name:
		return e.tensorName(x, sc, depth)
	case *pysrc.Attribute:
		switch x.Attr {
		case "shape", "dtype", "device", "ndim", "requires_grad", "is_cuda", "names", "layout":
			return 0
		case "loss", "logits", "last_hidden_state":
			return max(down(x.Value), NearlyCertain)
		case "grad": // of a parameter, and not jax.grad
			if e.isWeight(x.Value, sc) || strings.HasSuffix(e.expr(x.Value, sc).Name, ".parameters()[]") {
				return Likely
			}
		}
		if sure, known := e.tensorField(x, sc, depth+1); known && (sure > 0 || !IsSelf(x.Value)) {
			return sure
		}
		if IsSelf(x.Value) {
			if endsInWord(x.Attr, lossWords...) { // not loss_top_k
				return Likely
			}
			return 0
		}
		if of, ok := x.Value.(*pysrc.Name); ok {
			if sure := e.movedInPlace(of, "."+x.Attr, sc, depth+1); sure >= Likely && !e.ofModel(x, sc) {
				return sure
			}
		}
		sure := down(x.Value)
		if sure > 0 && e.ofModel(x, sc) {
			return 0 // model.args.beta is a number more often than not
		}
		return sure
	case *pysrc.Subscript:
		return e.tensorItem(x, sc, depth)
	case *pysrc.Call:
		return e.tensorCall(x, sc, depth)
	case *pysrc.BinOp:
		return max(down(x.Left), down(x.Right))
	case *pysrc.UnaryOp:
		return down(x.Operand)
	case *pysrc.Compare:
		if slices.Contains(x.Ops, pysrc.Is) || slices.Contains(x.Ops, pysrc.IsNot) {
			return 0 // of the objects, which the host compares
		}
		best := down(x.Left)
		for _, c := range x.Comparators {
			best = max(best, down(c))
		}
		return best
	case *pysrc.IfExp:
		return max(down(x.Body), down(x.Orelse))
	case *pysrc.NamedExpr:
		return down(x.Value)
	case *pysrc.Await:
		return down(x.Value)
	case *pysrc.ListComp: // batch = [x.to(device) for x in batch]
		return down(x.Elt)
	case *pysrc.DictComp:
		return down(x.Value)
	case *pysrc.Dict: // {"loss": loss}; a number beside it is seldom read as a tensor is
		best := 0.0
		for _, v := range x.Values {
			best = max(best, down(v))
		}
		return best * throughParts
	case *pysrc.GeneratorExp:
		return down(x.Elt)
	case *pysrc.List: // losses = [near, far]
		best := 0.0
		for _, elt := range x.Elts {
			best = max(best, down(elt))
		}
		return best * throughParts
	}
	return 0
}

// isWeight reports the variable of a loop over the weights of a model: for w in model.parameters().
func (e *Eval) isWeight(x pysrc.Expr, sc *Scope) bool {
	name, ok := x.(*pysrc.Name)
	if !ok {
		return false
	}
	_, b := sc.find(name.ID)
	for ; b != nil; b = b.prior {
		if b.Kind != Iterated {
			return false
		}
		found := false
		pysrc.Inspect(b.Value, func(n pysrc.Node) bool {
			if c, ok := n.(*pysrc.Call); ok {
				last := lastName(c.Func)
				found = found || last == "parameters" || last == "named_parameters"
			}
			return !found
		})
		if !found {
			return false
		}
	}
	return true
}

// ofModel reports an attribute of a model that is not one of its tensors, as far as its name tells.
func (e *Eval) ofModel(x *pysrc.Attribute, sc *Scope) bool {
	switch x.Attr {
	case "weight", "bias", "data", "grad":
		return false
	}
	name := dottedRoot(x)
	if name == nil {
		return false
	}
	model := e.expr(name, sc)
	return model.IsInstance("torch.nn.Module") && !strings.HasSuffix(model.Name, ")")
}

// dottedRoot is the Name that a chain of attributes alone starts from, a of a.b.c, or nil.
func dottedRoot(x *pysrc.Attribute) *pysrc.Name {
	if pysrc.DottedName(x) == "" {
		return nil
	}
	return RootName(x)
}

// RootName is the Name that a chain of attributes, subscripts and calls starts from, or nil.
func RootName(x pysrc.Expr) *pysrc.Name {
	for {
		switch y := x.(type) {
		case *pysrc.Name:
			return y
		case *pysrc.Attribute:
			x = y.Value
		case *pysrc.Subscript:
			x = y.Value
		case *pysrc.Call:
			x = y.Func
		default:
			return nil
		}
	}
}
