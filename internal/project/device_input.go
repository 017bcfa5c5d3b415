package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// inputOfModel is the confidence that a parameter of a model's forward is a tensor on the device, if the source does
// not show what is passed: forward uses it in ways that only work for tensors.
func (e *Eval) inputOfModel(b *Binding) float64 {
	fn := b.Scope.Func
	if fn == nil || fn.Def == nil || fn.Class == nil || fn.BaseName() != "forward" || b.Name == fn.Self() ||
		HasWord(lastName(b.annotation()), "int", "float", "bool", "str") || !fn.Class.Derives("torch.nn.Module") {
		return 0
	}
	if v := e.p.hot[fn]; v == nil || v.via != nil {
		if site, given := e.p.stepGives(fn, b.Name); v == nil || given != nil && !e.isUnknown(given, site.scope()) {
			return 0
		}
	}
	if slices.Contains(e.computed(fn), b.Name) {
		return Likely
	}
	return 0
}

// isUnknown reports an expression of which nothing is known, neither its class nor where it comes from: what a library gives.
func (e *Eval) isUnknown(x pysrc.Expr, sc *Scope) bool {
	switch x.(type) {
	case *pysrc.Name, *pysrc.Attribute, *pysrc.Subscript, *pysrc.Call:
		v := e.expr(x, sc)
		return v.Unknown() && len(v.Either) == 0
	}
	return false
}

// computed are the names that a function uses as tensors: it reads their size, reshapes them, or passes them to torch
// or to a layer.
func (e *Eval) computed(fn *Function) []string {
	if names, known := e.inputs[fn]; known {
		return names
	}
	names := []string{}
	add := func(x pysrc.Expr) {
		if n, ok := x.(*pysrc.Name); ok && !slices.Contains(names, n.ID) {
			names = append(names, n.ID)
		}
	}
	for _, s := range fn.Sites {
		if a, ok := s.Node.Func.(*pysrc.Attribute); ok && tensorMethods[a.Attr] {
			add(a.Value)
		}
		name := s.Calls.Name
		layer := s.Calls.Kind == Instance && s.Calls.IsInstance("torch.nn.Module")
		if !layer && (!computesTensor(name) || strings.HasPrefix(name, "torch.nn.init") || !strings.HasPrefix(name, "torch.nn.functional.") && makesTensor[LastOf(name)]) {
			continue
		}
		if len(s.Node.Args) > 0 {
			add(s.Node.Args[0])
		}
	}
	e.inputs[fn] = names
	return names
}

// tensorMethods are methods that tensors have and numbers, lists and dicts do not.
var tensorMethods = setOf("size", "dim", "view", "reshape", "permute", "transpose", "unsqueeze", "squeeze", "contiguous",
	"detach", "new_zeros", "new_ones", "new_tensor", "masked_fill", "masked_select", "expand", "repeat_interleave", "float",
	"long", "flatten", "softmax", "sigmoid", "clamp", "matmul", "bmm", "mean", "sum", "eq", "ne", "lt", "gt", "gather",
	"scatter_", "chunk", "type_as", "numel", "expand_as", "repeat", "masked_fill_", "index_select", "argmax", "topk", "norm",
	"unfold", "backward", "requires_grad_")

// IsTensorMethod reports a method that tensors have, also to move them and to change their type.
func IsTensorMethod(name string) bool {
	return tensorMethods[name] || name == "to" || name == "cuda" || name == "cpu" || name == "item" || name == "sqrt"
}

// makesTensor are torch functions whose first argument is not a tensor, or is one on the host.
var makesTensor = setOf("tensor", "as_tensor", "from_numpy", "zeros", "ones", "full", "empty", "arange", "range", "eye",
	"linspace", "logspace", "rand", "randn", "randint", "randperm", "is_tensor", "Tensor", "FloatTensor", "LongTensor",
	"Size", "Generator", "device", "manual_seed", "no_grad", "autocast", "save", "load", "hann_window", "hamming_window",
	"set_grad_enabled", "checkpoint", "is_grad_enabled")
