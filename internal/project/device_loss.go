package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// What backward is called on is a tensor with a graph, and so is what it was computed from: of total = (adv + 2 * rec).mean() and
// total.backward(), adv and rec, whoever gave them.

// inLoss reports a variable of a function that what it calls backward on is computed from.
func (p *Project) inLoss(s *Scope, name string) bool {
	f := functionOf(s)
	if f == nil {
		return false
	}
	parts, known := p.losses.Load(f)
	if !known {
		w := lossWalk{s.outermost(f), map[string]bool{}}
		for _, site := range f.Sites {
			if a, ok := site.Node.Func.(*pysrc.Attribute); ok && a.Attr == "backward" {
				w.differentiated(site.Node, a)
			}
		}
		parts, _ = p.losses.LoadOrStore(f, w.parts)
	}
	return parts.(map[string]bool)[name]
}

// outermost is the scope of a function, of one in it.
func (s *Scope) outermost(f *Function) *Scope {
	for s.Parent != nil && functionOf(s.Parent) == f {
		s = s.Parent
	}
	return s
}

type lossWalk struct {
	scope *Scope
	parts map[string]bool
}

// differentiated takes what a call of backward goes back from: loss.backward(), scaler.scale(loss).backward(),
// accelerator.backward(loss).
func (w *lossWalk) differentiated(call *pysrc.Call, method *pysrc.Attribute) {
	from := method.Value
	if len(call.Args) > 0 {
		from = call.Args[0]
	}
	if scaled, ok := from.(*pysrc.Call); ok && len(scaled.Args) == 1 && lastName(scaled.Func) == "scale" {
		from = scaled.Args[0]
	}
	w.tensor(from)
}

// tensor takes an expression that is known to be a tensor of a graph.
func (w *lossWalk) tensor(x pysrc.Expr) {
	switch x := x.(type) {
	case *pysrc.Name:
		if w.parts[x.ID] {
			return
		}
		w.parts[x.ID] = true
		for b := w.scope.last(x.ID); b != nil; b = b.prior {
			if (b.Kind == Assigned || b.Kind == Augmented) && b.path == 0 && b.Value != nil {
				w.tensor(b.Value)
			}
		}
	case *pysrc.UnaryOp:
		w.tensor(x.Operand)
	case *pysrc.BinOp:
		w.operands(x)
	case *pysrc.Call:
		w.called(x)
	}
}

// operands takes the sides of an operation that are tensors as well: both of a sum, one of a product where the other is a number.
func (w *lossWalk) operands(x *pysrc.BinOp) {
	for _, side := range [2][2]pysrc.Expr{{x.Left, x.Right}, {x.Right, x.Left}} {
		name, isName := side[0].(*pysrc.Name)
		switch {
		case isPlainNumber(side[1]):
			w.tensor(side[0])
		case x.Op == pysrc.Add && (!isName || w.isComputed(name)):
			w.tensor(side[0])
		}
	}
}

// isComputed reports a variable that is set to the results of calls which give no numbers of the host.
func (w *lossWalk) isComputed(name *pysrc.Name) bool {
	b := w.scope.last(name.ID)
	for ; b != nil; b = b.prior {
		switch value := b.Value.(type) {
		case *pysrc.Call:
			if b.Kind != Assigned || toHost[lastName(value.Func)] {
				return false
			}
		case *pysrc.BinOp, *pysrc.Constant, *pysrc.UnaryOp: // loss = 0, before parts are added
		default:
			return false
		}
	}
	return w.scope.last(name.ID) != nil
}

// toHost are functions whose result is a number of the host.
var toHost = setOf("float", "int", "len", "item", "numpy", "tolist", "round", "sqrt", "exp", "time", "get", "getfloat", "pow")

// isPlainNumber reports a number that is written out, or a setting: 0.5, args.weight, config["weight"], self.weight.
func isPlainNumber(x pysrc.Expr) bool {
	switch x := x.(type) {
	case *pysrc.Constant:
		_, number := pysrc.FloatValue(x)
		return number
	case *pysrc.Attribute:
		_, of := x.Value.(*pysrc.Name)
		return of
	case *pysrc.Subscript:
		_, key := pysrc.StringValue(x.Slice)
		return key
	}
	return false
}

// lossMethods are methods of tensors that a loss is put together by, beside those that tell a tensor from all else.
var lossMethods = setOf("div", "mul", "add", "sub", "neg", "abs", "square", "log", "clone", "to", "cuda", "half", "double", "nanmean", "div_", "mul_")

// called takes what a call computes a tensor from: the receiver of loss.mean(), the parts of sum([a, b]) and torch.stack([a, b]).
func (w *lossWalk) called(x *pysrc.Call) {
	if a, ok := x.Func.(*pysrc.Attribute); ok && (tensorMethods[a.Attr] || lossMethods[a.Attr]) {
		if of, isName := a.Value.(*pysrc.Name); !isName || w.scope.last(of.ID) != nil {
			w.tensor(a.Value)
			return
		}
	}
	name := pysrc.DottedName(x.Func)
	if len(x.Args) == 0 || name != "sum" && !strings.HasPrefix(name, "torch.") {
		return
	}
	parts := elements(x.Args[0])
	if len(parts) == 0 && slices.Contains([]string{"torch.mean", "torch.sum"}, name) {
		parts = []pysrc.Expr{x.Args[0]}
	}
	for _, part := range parts {
		w.tensor(part)
	}
}
