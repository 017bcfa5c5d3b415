package project

import "saturate/internal/pysrc"

// comprehended looks a key up in a dictionary that a comprehension makes of another one: {k: cfg[k] for k in ("a", "b")},
// {k: getattr(cfg, k) for k in names} and {k: v for k, v in cfg.items() if k != "c"}. It is not known of others.
func (e *Eval) comprehended(x *pysrc.DictComp, sc *Scope, key Value) Value {
	name, text := key.Str()
	if len(x.Generators) != 1 || !text {
		return Value{}
	}
	g := x.Generators[0]
	k, ok := x.Key.(*pysrc.Name)
	if !ok || !e.passes(g.Ifs, k.ID, sc, key) {
		return Value{}
	}
	if target, one := g.Target.(*pysrc.Name); one {
		if target.ID != k.ID {
			return Value{}
		}
		is, known := e.contains(e.expr(g.Iter, sc), key)
		switch {
		case !known:
			return Value{}
		case !is:
			return Value{Kind: Missing, Sure: Certain}
		}
		if v := e.lookedUp(x.Value, k.ID, name, sc); v.Kind != Unknown || len(v.Either) > 0 {
			return v
		}
		if made, ok := x.Value.(*pysrc.Call); ok { // {split: Clips(split) for split in ("train", "val")}
			return e.expr(made, sc)
		}
		return Value{}
	}
	pair, items := elements(g.Target), itemsOf(g.Iter)
	if len(pair) != 2 || items == nil || pysrc.DottedName(pair[0]) != k.ID || pysrc.DottedName(pair[1]) != pysrc.DottedName(x.Value) {
		return Value{}
	}
	return e.item(e.expr(items, sc), key)
}

// passes reports whether the conditions of a comprehension are known to hold for a key.
func (e *Eval) passes(tests []pysrc.Expr, variable string, sc *Scope, key Value) bool {
	for _, t := range tests {
		c, ok := t.(*pysrc.Compare)
		if !ok || len(c.Ops) != 1 || pysrc.DottedName(c.Left) != variable {
			return false
		}
		if is, known := e.comparison(c.Ops[0], key, e.expr(c.Comparators[0], sc)); !known || !is {
			return false
		}
	}
	return true
}

// lookedUp tells what cfg[k], cfg.get(k) and getattr(cfg, k) give for a name.
func (e *Eval) lookedUp(x pysrc.Expr, variable, name string, sc *Scope) Value {
	switch x := x.(type) {
	case *pysrc.Subscript:
		if pysrc.DottedName(x.Slice) == variable {
			return e.item(e.expr(x.Value, sc), stringValue(name))
		}
	case *pysrc.Call:
		f := x.Func
		if method, ok := f.(*pysrc.Attribute); ok && method.Attr == "get" && len(x.Args) > 0 && pysrc.DottedName(x.Args[0]) == variable {
			return e.item(e.expr(method.Value, sc), stringValue(name))
		}
		if pysrc.DottedName(f) == "getattr" && len(x.Args) == 2 && pysrc.DottedName(x.Args[1]) == variable {
			return e.attribute(e.expr(x.Args[0], sc), name)
		}
	}
	return Value{}
}

// itemsOf is the dictionary of d.items(), or nil.
func itemsOf(x pysrc.Expr) pysrc.Expr {
	call, ok := x.(*pysrc.Call)
	if !ok || len(call.Args) > 0 {
		return nil
	}
	if method, ok := call.Func.(*pysrc.Attribute); ok && method.Attr == "items" {
		return method.Value
	}
	return nil
}

// runs reports whether a block runs where the variable is bound, by the conditions around it that are known. A program
// that trains on a GPU has one: if torch.cuda.is_available().
func (e *Eval) runs(m *Module, id BlockID, b *Binding) taken {
	result := always
	for ; id >= 0 && id != b.Block && m.blocks[id].Func == m.blocks[b.Block].Func; id = m.blocks[id].Parent {
		test, ok := m.blocks[id].Owner.(*pysrc.If)
		if !ok {
			result = maybe
			continue
		}
		v := e.expr(test.Test, m.blocks[id].Scope)
		holds, known := v.Truth()
		if v.Name == "torch.cuda.is_available()" {
			holds, known = true, true
		}
		switch {
		case !known:
			result = maybe
		case holds != (m.blocks[id].Arm == Body):
			return never
		}
	}
	return result
}
