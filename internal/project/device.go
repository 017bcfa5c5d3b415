package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// OnDevice is the confidence that an expression is a tensor of the device that
// trains: a model's output, a loss, a batch that was moved, and what is computed
// from them. Whether the device is a GPU is another question.
func (e *Eval) OnDevice(m *Module, x pysrc.Expr) float64 {
	e.steps = mostSteps
	return e.tensor(x, m.blocks[m.BlockAt(x.Bounds().Start)].Scope, 0)
}

const deepestTensor = 12

func (e *Eval) tensor(x pysrc.Expr, sc *Scope, depth int) float64 {
	if e.steps--; depth > deepestTensor || e.steps <= 0 {
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
			return max(down(x.Value), 0.9)
		}
		if isSelf(x.Value) {
			if endsInWord(x.Attr, "loss", "losses", "logits") { // not loss_top_k
				return Likely
			}
			return 0
		}
		return down(x.Value)
	case *pysrc.Subscript:
		return down(x.Value)
	case *pysrc.Call:
		return e.tensorCall(x, sc, depth)
	case *pysrc.BinOp:
		return max(down(x.Left), down(x.Right))
	case *pysrc.UnaryOp:
		return down(x.Operand)
	case *pysrc.Compare:
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
	}
	return 0
}

func (e *Eval) tensorName(x *pysrc.Name, sc *Scope, depth int) float64 {
	holder, b := sc.find(x.ID)
	if b == nil {
		return 0
	}
	if callsBackward(holder, x.ID) {
		return Certain
	}
	best := 0.0
	var room [8]*Binding
	for _, b := range holder.reaching(room[:0], x.ID, sc, x.Start) {
		from := b.Scope.Module.blocks[b.Block].Scope
		switch b.Kind {
		case Assigned, Augmented:
			if e.busy[b] {
				continue
			}
			e.busy[b] = true
			best = max(best, e.tensorPart(b.Value, b.path, from, depth+1))
			delete(e.busy, b)
		case Iterated:
			best = max(best, e.tensorElement(b.Value, b.path, from, depth+1))
		case Parameter:
			if endsInWord(x.ID, "loss", "losses", "logits") { // not logits_to_keep
				best = max(best, 0.7)
			}
			best = max(best, e.tensorGiven(b, depth+1))
		}
	}
	return best
}

// tensorGiven is tensor for what a training step gives a function of the project for a parameter, by the call
// through which it reaches that function.
func (e *Eval) tensorGiven(b *Binding, depth int) float64 {
	fn := b.Scope.Func
	v := e.p.hot[fn]
	if fn == nil || fn.Def == nil || v == nil || v.via == nil || e.busy[b] || HasWord(lastName(b.annotation()), "int", "float", "bool", "str") {
		return 0
	}
	if lastName(v.via.Node.Func) != fn.BaseName() && !slices.Contains(v.via.Calls.functions(), fn) {
		return 0 // handed on as a function, whose caller has arguments of its own
	}
	given := v.via.ArgumentNode(b.Name, slices.Index(positional(fn, true), b.Name))
	if given == nil {
		return 0
	}
	e.busy[b] = true
	defer delete(e.busy, b)
	return e.tensor(given, v.via.scope(), depth)
}

// tensorElement is tensor for what a loop over an iterable gives: dr of for dr, dg in zip(real, made). What is
// known by its name alone may hold anything.
func (e *Eval) tensorElement(x pysrc.Expr, part trail, sc *Scope, depth int) float64 {
	call, ok := x.(*pysrc.Call)
	if !ok {
		return 0.9 * e.tensor(x, sc, depth)
	}
	switch lastName(call.Func) {
	case "enumerate":
		if len(call.Args) == 0 || part.first() != 1 {
			return 0
		}
		return e.tensorElement(call.Args[0], part.rest(), sc, depth)
	case "zip":
		if i := part.first(); i >= 0 && i < len(call.Args) {
			return e.tensorElement(call.Args[i], part.rest(), sc, depth)
		}
		return 0
	case "items", "values":
		a, ok := call.Func.(*pysrc.Attribute)
		if !ok || a.Attr == "items" && part.first() != 1 {
			return 0
		}
		return 0.9 * e.tensor(a.Value, sc, depth)
	}
	return 0.9 * e.tensor(x, sc, depth)
}

// tensorPart is tensor for what a target takes of a value: ni of hidden, ni = encode(x). Of what a function
// of the project returns, a part that the host has computed is none.
func (e *Eval) tensorPart(x pysrc.Expr, part trail, sc *Scope, depth int) float64 {
	for ; part != 0; part = part.rest() {
		elts := elements(x)
		if part.first() < 0 || part.first() >= len(elts) {
			break
		}
		x = elts[part.first()]
	}
	if call, ok := x.(*pysrc.Call); ok && part.first() >= 0 {
		if v := e.expr(call.Func, sc); v.Kind == Callable && v.Func != nil && e.returnsNumber(v.Func, part.first(), depth) {
			return 0
		}
	}
	return e.tensor(x, sc, depth)
}

// returnsNumber reports a function that has a number of the host at that place of a tuple it returns, and
// a tensor in none of them: return x, 0 and return pad(x, rest), rest.
func (e *Eval) returnsNumber(f *Function, place, depth int) bool {
	key := tensorKey{f}
	if e.busy[key] {
		return false
	}
	e.busy[key] = true
	defer delete(e.busy, key)
	found := false
	for _, r := range f.returns {
		elts := elements(r)
		if place >= len(elts) {
			continue
		}
		sc := f.Module.blocks[f.Module.BlockAt(r.Bounds().Start)].Scope
		switch {
		case pysrc.IsConst(elts[place], pysrc.None):
		case isNumber(elts[place], sc, 0):
			found = true
		case e.tensor(elts[place], sc, depth+2) > 0:
			return false
		}
	}
	return found
}

// isNumber reports a number that the host computes itself: a constant, a length, a size, and what is made of them.
func isNumber(x pysrc.Expr, sc *Scope, depth int) bool {
	if depth > deepestTensor {
		return false
	}
	switch x := x.(type) {
	case *pysrc.Constant:
		return true
	case *pysrc.BinOp:
		return isNumber(x.Left, sc, depth+1) && isNumber(x.Right, sc, depth+1)
	case *pysrc.UnaryOp:
		return isNumber(x.Operand, sc, depth+1)
	case *pysrc.Subscript:
		return lastName(x.Value) == "shape"
	case *pysrc.Call:
		switch name := pysrc.DottedName(x.Func); {
		case name == "len" || name == "int" || name == "float" || strings.HasPrefix(name, "math."):
			return true
		case lastName(x.Func) == "size" || lastName(x.Func) == "item" || lastName(x.Func) == "numel":
			return true
		}
	case *pysrc.Name:
		holder, _ := sc.find(x.ID)
		if holder == nil {
			return false
		}
		var room [8]*Binding
		list := holder.reaching(room[:0], x.ID, sc, x.Start)
		for _, b := range list {
			switch {
			case b.Kind == Parameter && HasWord(lastName(b.annotation()), "int", "float"):
			case b.Kind != Assigned && b.Kind != Augmented, b.Value == nil:
				return false
			case b.path != 0 && lastName(b.Value) == "shape": // batch, length = x.shape
			case b.path != 0 || !isNumber(b.Value, b.Scope, depth+1):
				return false
			}
		}
		return len(list) > 0
	}
	return false
}

// callsBackward reports whether the scope's function calls name.backward().
func callsBackward(s *Scope, name string) bool {
	f := functionOf(s)
	if f == nil {
		return false
	}
	for _, site := range f.Sites {
		a, ok := site.Node.Func.(*pysrc.Attribute)
		if !ok || !strings.HasSuffix(a.Attr, "backward") {
			continue
		}
		if n, ok := a.Value.(*pysrc.Name); ok && n.ID == name && len(site.Node.Args) == 0 {
			return true
		}
		for _, arg := range site.Node.Args { // accelerator.backward(loss)
			if n, ok := arg.(*pysrc.Name); ok && n.ID == name {
				return true
			}
		}
		if c, ok := a.Value.(*pysrc.Call); ok && len(c.Args) > 0 { // scaler.scale(loss).backward()
			if n, ok := c.Args[0].(*pysrc.Name); ok && n.ID == name {
				return true
			}
		}
	}
	return false
}

func (e *Eval) tensorCall(x *pysrc.Call, sc *Scope, depth int) float64 {
	down := func(y pysrc.Expr) float64 { return e.tensor(y, sc, depth+1) }
	a, isMethod := x.Func.(*pysrc.Attribute)
	if isMethod {
		switch a.Attr {
		case "item", "cpu", "numpy", "tolist", "size", "dim", "numel", "get_device", "get", "keys", "items":
			return 0
		case "cuda":
			return Certain
		case "to":
			return e.movedTo(x, sc, down(a.Value))
		case "gather", "gather_for_metrics", "pad_across_processes": // of an accelerator
			if len(x.Args) == 1 {
				return down(x.Args[0])
			}
		}
	}
	v := e.expr(x.Func, sc)
	for _, w := range append([]Value{v}, v.Either...) {
		switch {
		case w.Kind == Instance && w.IsInstance("torch.nn.Module"):
			return Certain
		case w.Kind == Callable && w.Func != nil:
			if t := e.tensorFunction(w.Func, depth); t > 0 {
				return t
			}
		case strings.HasPrefix(w.Name, "torch.nn.functional."):
			return 0.9
		case strings.HasPrefix(w.Name, "torch.") && w.Kind == Callable && !strings.Contains(w.Name, ").") && !strings.HasPrefix(w.Name, "torch.cuda.") && !strings.HasPrefix(w.Name, "torch.distributed"):
			best := 0.0
			for _, arg := range x.Args {
				best = max(best, down(arg))
				for _, part := range elements(arg) { // torch.stack([a, b])
					best = max(best, down(part))
				}
			}
			if k := x.Keyword("device"); k != nil && best == 0 && !strings.Contains(pysrcText(sc, k.Value), "cpu") {
				best = Likely
			}
			return best
		}
	}
	name := strings.ToLower(lastName(x.Func))
	if v.Unknown() && (HasWord(name, "model", "net", "network", "criterion", "generator", "discriminator", "encoder", "decoder") || strings.HasSuffix(name, "loss") || strings.HasPrefix(name, "loss")) {
		return Likely
	}
	if isMethod && (v.Kind == Unknown || strings.HasSuffix(v.Name, ")."+a.Attr) || strings.HasPrefix(v.Name, "torch.Tensor")) {
		return down(a.Value) // loss.mean(), out.view(-1)
	}
	return 0
}

// movedTo is the confidence that x.to(…) is on the device: not when it only
// changes the type, nor when it goes to the host.
func (e *Eval) movedTo(x *pysrc.Call, sc *Scope, before float64) float64 {
	if len(x.Args) == 0 {
		return max(before, Likely)
	}
	text := pysrcText(sc, x.Args[0])
	switch {
	case strings.Contains(text, "cpu"):
		return 0
	case strings.HasPrefix(text, "torch.") && !strings.HasPrefix(text, "torch.device") || strings.Contains(text, "dtype"):
		return before
	}
	return Certain
}

func pysrcText(sc *Scope, x pysrc.Expr) string {
	s := x.Bounds()
	return string(sc.Module.Text[s.Start:s.End])
}

type tensorKey struct{ f *Function }

// tensorFunction is the confidence that a project function returns such a tensor.
func (e *Eval) tensorFunction(f *Function, depth int) float64 {
	key := tensorKey{f}
	if e.busy[key] {
		return 0
	}
	e.busy[key] = true
	defer delete(e.busy, key)
	best := 0.0
	for _, r := range f.returns {
		sc := f.Module.blocks[f.Module.BlockAt(r.Bounds().Start)].Scope
		for _, part := range append(elements(r), r) {
			best = max(best, e.tensor(part, sc, depth+2)*0.95)
		}
	}
	return best
}
