package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// callsFused reports a function that also has a fused path.
func (p *SourcePass) callsFused(fn *project.Function) bool {
	for _, s := range fn.Sites {
		switch lastName(s.Node.Func) {
		case "scaled_dot_product_attention", "dot_product_attention", "flash_attn_func", "flash_attn_varlen_func", "memory_efficient_attention":
			return true
		}
	}
	return false
}

// servesModules reports a method of a model, or a function that methods of models call, over a few calls: attention(q, k, v, mask).
func (p *SourcePass) servesModules(fn *project.Function, calls int) bool {
	if fn.Class != nil {
		return fn.Class.Derives("torch.nn.Module")
	}
	return calls > 0 && slices.ContainsFunc(p.Project.Callers(fn), func(s *project.Site) bool {
		return s.Func != fn && s.Module().Role != project.Test && p.servesModules(s.Func, calls-1)
	})
}

// threeProjections is where the first of three linear layers is made that a function calls with the same variable;
// nil where it calls fewer.
func (p *SourcePass) threeProjections(fn *project.Function) Node {
	calls := map[string][]*project.Site{}
	for _, s := range fn.Sites {
		made := s.Calls.Made
		if s.Calls.Kind != project.Instance || s.Calls.Name != "torch.nn.Linear" || made == nil || made.Module() != p.Module || len(s.Node.Args) != 1 {
			continue
		}
		if name, ok := s.Node.Args[0].(*pysrc.Name); ok {
			if calls[name.ID] = append(calls[name.ID], made); len(calls[name.ID]) == 3 {
				return calls[name.ID][0].Node
			}
		}
	}
	return nil
}

// attentionWeights is the variable that holds the weights at the end: what the
// softmax is assigned to.
func (p *SourcePass) attentionWeights(c Call) string {
	s, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign)
	if !ok || len(s.Targets) != 1 {
		return ""
	}
	name, ok := s.Targets[0].(*pysrc.Name)
	if !ok {
		return ""
	}
	return name.ID
}

// productOf reports scores: a product with a transposed matrix (q @ k.transpose(-2, -1),
// torch.bmm), scaled, biased or masked, or a variable that was set so. What goes
// through anything else is not the attention that the fused kernel knows.
func (p *SourcePass) productOf(e pysrc.Expr, fn *project.Function, depth int) bool {
	down := func(e pysrc.Expr) bool { return p.productOf(e, fn, depth+1) }
	if depth > 14 {
		return false
	}
	switch x := e.(type) {
	case *pysrc.BinOp:
		switch x.Op {
		case pysrc.MatMult:
			return p.transposes(x.Right, fn)
		case pysrc.Mult, pysrc.Div:
			return down(x.Left) || down(x.Right)
		case pysrc.Add, pysrc.Sub:
			return down(x.Left) || down(x.Right)
		}
	case *pysrc.Call:
		a, method := x.Func.(*pysrc.Attribute)
		switch lastName(x.Func) {
		case "matmul", "bmm", "baddbmm":
			if len(x.Args) == 2 && p.transposes(x.Args[0], fn) && !p.transposes(x.Args[1], fn) {
				return lastName(x.Func) == "bmm" || p.flattened(x.Args[1], fn) // keys whose positions come last already, as a convolution gives them
			}
			return len(x.Args) > 0 && p.transposes(x.Args[len(x.Args)-1], fn)
		case "einsum":
			inputs, output, _ := einsumOf(x)
			return len(inputs) == 2 && multipliesTransposed(inputs[0], inputs[1], output)
		case "masked_fill", "masked_fill_", "float", "div", "div_", "mul", "mul_", "add", "add_", "type_as", "to", "astype":
			return method && down(a.Value)
		case "where": // a mask
			return len(x.Args) == 3 && (down(x.Args[1]) || down(x.Args[2]))
		case "max", "maximum", "clamp": // against overflow: torch.max(scores, lowest)
			return len(x.Args) > 1 && strings.HasPrefix(p.NameOf(x.Func), "torch.") && down(x.Args[0])
		case "view", "reshape", "contiguous":
			if of := reshaped(x); of != nil {
				return down(of)
			}
		default:
			return p.addsTo(x, fn) && down(x.Args[0])
		}
	case *pysrc.Name:
		found := false
		for _, v := range p.assignments(x.ID, fn) {
			if v.Bounds().Start < x.Start && !v.Bounds().Contains(int(x.Start)) && !p.onRequest(v, fn) {
				if !down(v) {
					return false
				}
				found = true
			}
		}
		return found
	}
	return false
}

// scoresOf is the product of queries and keys that a softmax is taken of, the softmax where it is not seen.
func (p *SourcePass) scoresOf(softmax Call, fn *project.Function) Node {
	var found Node = softmax
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		e, ok := n.(pysrc.Expr)
		if ok && found == Node(softmax) && e.Bounds().Start < softmax.Node.End {
			switch x := e.(type) {
			case *pysrc.BinOp:
				ok = x.Op == pysrc.MatMult
			case *pysrc.Call:
				name := lastName(x.Func)
				ok = name == "matmul" || name == "bmm" || name == "baddbmm" || name == "einsum"
			default:
				ok = false
			}
			if ok && p.productOf(e, fn, 0) {
				found = e
			}
		}
		return found == Node(softmax)
	})
	return found
}

// addsTo reports a call of a function of the project that gives its first argument back with something added: a bias.
func (p *SourcePass) addsTo(c *pysrc.Call, fn *project.Function) bool {
	callee := p.Eval(c.Func).Func
	if callee == nil || callee.Def == nil || callee.Class != nil || len(c.Args) < 2 || len(callee.Def.Args.Args) < 2 {
		return false
	}
	scores, returned, adds := callee.Def.Args.Args[0].Name, false, false
	in := p.In(callee.Module)
	in.Inspect(callee.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Return:
			returned = n.Value != nil && mentionsName(n.Value, scores)
		case *pysrc.BinOp:
			adds = adds || n.Op == pysrc.Add && mentionsName(n.Left, scores)
		}
		return true
	})
	return returned && adds
}

// transposes reports a transposed matrix, or a variable that holds one. Normalised keys are left out: that is
// attention by cosines, mostly between channels.
func (p *SourcePass) transposes(e pysrc.Expr, fn *project.Function) bool {
	if name, ok := e.(*pysrc.Name); ok {
		return slices.ContainsFunc(p.assignments(name.ID, fn), isTransposed)
	}
	return isTransposed(e)
}

func isTransposed(e pysrc.Expr) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Attribute); ok {
			switch a.Attr {
			case "transpose", "T", "mT", "permute", "swapaxes", "t":
				found = true
			}
		}
		return !found
	})
	return found && !callsNamed(e, "normalize")
}

// assignments returns what a function, or the top level, assigns to a name.
func (p *SourcePass) assignments(name string, fn *project.Function) []pysrc.Expr {
	var list []pysrc.Expr
	var body pysrc.Node = p.Module.File.Module
	if fn.Def != nil {
		body = fn.Def
	}
	p.Inspect(body, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Assign); ok {
			for _, t := range a.Targets {
				if id, ok := t.(*pysrc.Name); ok && id.ID == name {
					list = append(list, a.Value)
				}
			}
		}
		return true
	})
	return list
}

// weightedSum follows the weights from their softmax to the product with the values: through a dropout, a mask or a
// cast, to other variables, too. It returns the variables, and no product where anything else becomes of the weights.
func (p *SourcePass) weightedSum(weights string, softmax *pysrc.Call, fn *project.Function) (names []string, product pysrc.Expr) {
	names = []string{weights}
	holds := func(e pysrc.Expr) bool {
		return slices.ContainsFunc(names, func(name string) bool { return mentionsName(e, name) })
	}
	other, turned := false, false // turned: the keys come first, so that the values stand before the weights
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Assign:
			if n.Start <= softmax.Start || len(n.Targets) != 1 {
				return true
			}
			name, ok := n.Targets[0].(*pysrc.Name)
			if !ok || (slices.Contains(names, name.ID) || holds(n.Value)) && p.onRequest(n, fn) {
				return true
			}
			keeps := holds(n.Value) && p.changesLittle(n.Value)
			if keeps && !slices.Contains(names, name.ID) {
				names = append(names, name.ID)
			}
			turned = turned || keeps && isTransposed(n.Value)
			other = other || product == nil && slices.Contains(names, name.ID) && !keeps && !n.Bounds().Contains(int(softmax.Start)) &&
				!holdsSoftmax(n.Value) && !isProduct(n.Value, holds, turned)
		case pysrc.Expr:
			if product == nil && n.Bounds().Start > softmax.Start && isProduct(n, holds, turned) {
				product = n
			}
		}
		return true
	})
	if other || product != nil && p.usedAgain(names, product, fn) {
		return names, nil
	}
	return names, product
}

// productAround is the product with the values that the weights go into where they are computed: scores.softmax(-1) @ v.
func (p *SourcePass) productAround(softmax Call) (product pysrc.Expr) {
	var holds func(e pysrc.Expr) bool
	holds = func(e pysrc.Expr) bool { // self.drop(scores.softmax(-1)).to(v.dtype)
		if e == pysrc.Expr(softmax.Node) {
			return true
		}
		c, ok := e.(*pysrc.Call)
		if !ok || !p.changesLittle(c) {
			return false
		}
		of, method := c.Func.(*pysrc.Attribute)
		return len(c.Args) > 0 && holds(c.Args[0]) || method && holds(of.Value)
	}
	s := p.Module.StatementAt(softmax.Node.Start)
	if s == nil {
		return nil
	}
	pysrc.Inspect(s, func(n pysrc.Node) bool {
		if e, ok := n.(pysrc.Expr); ok && product == nil && isProduct(e, holds, false) {
			product = e
		}
		return product == nil
	})
	return product
}

// usedAgain reports weights that a call is given behind their product with the values: relative positions of the values,
// a loss. A dropout or a cast of them and a print are not meant.
func (p *SourcePass) usedAgain(names []string, product pysrc.Expr, fn *project.Function) bool {
	found := false
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		c, ok := n.(*pysrc.Call)
		if !ok || c.Start <= product.Bounds().End || found || p.changesLittle(c) || lastName(c.Func) == "print" {
			return !found
		}
		found = slices.ContainsFunc(c.Args, func(a pysrc.Expr) bool {
			name, ok := a.(*pysrc.Name)
			return ok && slices.Contains(names, name.ID)
		})
		return !found
	})
	return found
}

// reshaped is the x of x.view(…), x.contiguous() and torch.reshape(x, …), nil for other calls.
func reshaped(c *pysrc.Call) pysrc.Expr {
	a, ok := c.Func.(*pysrc.Attribute)
	if !ok || a.Attr != "view" && a.Attr != "reshape" && a.Attr != "contiguous" && a.Attr != "permute" && a.Attr != "transpose" {
		return nil
	}
	if module, ok := a.Value.(*pysrc.Name); ok && module.ID == "torch" {
		if len(c.Args) == 0 {
			return nil
		}
		return c.Args[0]
	}
	return a.Value
}

// changesLittle reports what leaves the weights as they are, except for a dropout, a mask, a type or their shape:
// self.drop(w), w.view(…).
func (p *SourcePass) changesLittle(e pysrc.Expr) bool {
	if product, ok := e.(*pysrc.BinOp); ok && product.Op == pysrc.Mult { // w * mask
		return isNameReshaped(product.Left) && isNameReshaped(product.Right)
	}
	c, ok := e.(*pysrc.Call)
	if !ok {
		return false
	}
	if of, ok := reshaped(c).(*pysrc.Name); ok && of != nil {
		return true
	}
	if layer, made := c.Func.(*pysrc.Call); made { // nn.Dropout(rate)(w)
		return project.HasWord(lastName(layer.Func), "dropout")
	}
	return project.HasWord(lastName(c.Func), "dropout", "drop", "do", "to", "type", "float") || lastName(c.Func) == "masked_fill" ||
		p.Eval(c.Func).IsInstance("torch.nn.Dropout")
}

// isNameReshaped reports a variable, in another shape perhaps.
func isNameReshaped(e pysrc.Expr) bool {
	if c, ok := e.(*pysrc.Call); ok {
		e = reshaped(c)
	}
	return isName(e)
}

// holdsSoftmax reports another arm that computes the weights.
func holdsSoftmax(e pysrc.Expr) bool { return callsNamed(e, "softmax") }

// isProduct reports a matrix product whose first side holds the weights: w @ v, torch.bmm(w, v), an einsum over the
// keys. The weights stand on the second side where they are transposed there, or were before (turned).
func isProduct(e pysrc.Expr, holds func(pysrc.Expr) bool, turned bool) bool {
	switch x := e.(type) {
	case *pysrc.BinOp:
		return x.Op == pysrc.MatMult && holds(x.Left)
	case *pysrc.Call:
		switch lastName(x.Func) {
		case "matmul", "bmm":
			if a, ok := x.Func.(*pysrc.Attribute); ok && len(x.Args) == 1 {
				return holds(a.Value)
			}
			return len(x.Args) == 2 && (holds(x.Args[0]) || lastName(x.Func) == "bmm" && holds(x.Args[1]) && (turned || isTransposed(x.Args[1])))
		case "einsum":
			inputs, output, operands := einsumOf(x)
			if len(inputs) != 2 || len(operands) != 2 {
				return false
			}
			if holds(operands[1]) {
				inputs[0], inputs[1] = inputs[1], inputs[0]
			} else if !holds(operands[0]) {
				return false
			}
			return sumsOverKeys(inputs[0], inputs[1], output)
		}
	}
	return false
}

// kept reports a name that a function returns, or keeps in an attribute or a list.
func (p *SourcePass) kept(name string, fn *project.Function) bool {
	found := false
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Return:
			found = found || n.Value != nil && holdsName(n.Value, name) && !p.onRequest(n, fn) && !p.droppedBefore(n, name, fn) &&
				!p.unreadResult(n.Value, name, fn)
		case *pysrc.Assign:
			for _, t := range n.Targets {
				if _, attr := t.(*pysrc.Attribute); attr {
					found = found || mentionsName(n.Value, name)
				}
			}
		case *pysrc.Call:
			if lastName(n.Func) == "append" && len(n.Args) == 1 {
				found = found || mentionsName(n.Args[0], name)
			}
		}
		return !found
	})
	return found
}

// mentionsName reports a name anywhere in an expression; holdsName reports it as
// the expression itself or a part of a tuple or dict.
func mentionsName(e pysrc.Node, name string) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if id, ok := n.(*pysrc.Name); ok && id.ID == name {
			found = true
		}
		return !found
	})
	return found
}

func holdsName(e pysrc.Expr, name string) bool {
	switch x := e.(type) {
	case *pysrc.Name:
		return x.ID == name
	case *pysrc.Tuple:
		for _, part := range x.Elts {
			if holdsName(part, name) {
				return true
			}
		}
	case *pysrc.Dict:
		for _, part := range x.Values {
			if holdsName(part, name) {
				return true
			}
		}
	case *pysrc.Call:
		found := false // outside of a product that uses it up
		pysrc.Inspect(x, func(n pysrc.Node) bool {
			if e, ok := n.(pysrc.Expr); ok && isProduct(e, func(e pysrc.Expr) bool { return mentionsName(e, name) }, true) {
				return false
			}
			id, ok := n.(*pysrc.Name)
			found = found || ok && id.ID == name
			return !found
		})
		return found
	case *pysrc.IfExp:
		return holdsName(x.Body, name) || holdsName(x.Orelse, name)
	}
	return false
}

// onRequest reports what stands under a test of a parameter that is false unless a caller asks for it, if return_attention, or that
// no training step gives: if weights is not None.
func (p *SourcePass) onRequest(n Node, fn *project.Function) bool {
	if guard := p.Rare(n); guard != nil && guard.Kind == project.Off { // if self.output_attention, which defaults leave off
		return true
	}
	found := false
	p.Module.Around(n.Bounds().Start, func(owner pysrc.Node) bool {
		s, ok := owner.(*pysrc.If)
		if !ok {
			return owner != pysrc.Node(fn.Def)
		}
		if len(s.Orelse) > 0 && n.Bounds().Start >= s.Orelse[0].Bounds().Start {
			return true
		}
		switch test := s.Test.(type) {
		case *pysrc.Name:
			value := fn.Params().Default(test.ID)
			found = value != nil && p.Eval(value).IsFalse()
		case *pysrc.Compare:
			found = p.isUnlessGiven(test, fn)
		}
		return !found
	})
	return found
}

// droppedBefore reports a return before which its function drops a variable unless a caller asks for it: if not output_attentions:
// weights = None.
func (p *SourcePass) droppedBefore(at Node, name string, fn *project.Function) bool {
	found := false
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		s, ok := n.(*pysrc.If)
		if !ok || found || s.End > at.Bounds().Start || len(s.Body) != 1 {
			return !found
		}
		drop, ok := s.Body[0].(*pysrc.Assign)
		if !ok || len(drop.Targets) != 1 || !isNamed(drop.Targets[0], name) || !pysrc.IsConst(drop.Value, pysrc.None) {
			return true
		}
		test, ok := s.Test.(*pysrc.UnaryOp)
		if !ok || test.Op != pysrc.Not {
			return true
		}
		asked, ok := test.Operand.(*pysrc.Name)
		if !ok {
			return true
		}
		value := fn.Params().Default(asked.ID)
		found = value != nil && p.Eval(value).IsFalse()
		return !found
	})
	return found
}

// onlyShown reports weights that a function returns beside its result and that callers keep in a field which nothing of
// training reads: x, self.weights = attention(q, k, v).
func (p *SourcePass) onlyShown(names []string, fn *project.Function) bool {
	if p.onlyStored(names, fn) {
		return true
	}
	callers := p.Project.Callers(fn)
	if len(callers) == 0 {
		return false
	}
	at := -1
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		if r, ok := n.(*pysrc.Return); ok {
			if t, ok := r.Value.(*pysrc.Tuple); ok {
				at = slices.IndexFunc(t.Elts, func(e pysrc.Expr) bool {
					name, ok := e.(*pysrc.Name)
					return ok && slices.Contains(names, name.ID)
				})
			}
		}
		return true
	})
	return at > 0 && !slices.ContainsFunc(callers, func(s *project.Site) bool {
		assign, ok := s.Module().StatementAt(s.Node.Start).(*pysrc.Assign)
		if !ok || assign.Value != pysrc.Expr(s.Node) || len(assign.Targets) != 1 {
			return true
		}
		targets, ok := assign.Targets[0].(*pysrc.Tuple)
		if !ok || at >= len(targets.Elts) {
			return true
		}
		field, ok := targets.Elts[at].(*pysrc.Attribute)
		return !ok || p.readInTraining(field.Attr)
	})
}

// readInTraining reports a field of this name that a module which training reaches reads.
func (p *SourcePass) readInTraining(field string) bool {
	for _, m := range p.Project.Modules {
		if !p.Project.Trained(m) || !m.Says(field) {
			continue
		}
		found := false
		pysrc.Inspect(m.File.Module, func(n pysrc.Node) bool {
			a, ok := n.(*pysrc.Attribute)
			found = found || ok && a.Attr == field && a.Ctx == pysrc.Load
			return !found
		})
		if found {
			return true
		}
	}
	return false
}
