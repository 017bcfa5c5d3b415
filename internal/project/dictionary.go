package project

import "saturate/internal/pysrc"

// change is a place that puts something into the dictionary that a variable
// holds: d["key"] = value, d.update(other, key=value), d.setdefault("key", value), d |= other.
type change struct {
	block BlockID
	at    int32
	key   pysrc.Expr // of one key; nil where other's are all put in
	value pysrc.Expr // of the key, nil where it is not known
	other pysrc.Expr // a dictionary
	kept  bool       // only where the key is absent
}

func (ix *indexer) change(name pysrc.Expr, c change) {
	of := ""
	if n, ok := name.(*pysrc.Name); ok {
		of = n.ID
	} else if a, ok := name.(*pysrc.Attribute); ok && IsSelf(a.Value) {
		of = fieldChange(a.Attr)
	}
	if of == "" {
		return
	}
	if ix.m.changes == nil {
		ix.m.changes = map[string][]change{}
	}
	c.block = ix.block
	ix.m.changes[of] = append(ix.m.changes[of], c)
}

// changedBy records what a call puts into a dictionary.
func (ix *indexer) changedBy(call *pysrc.Call) {
	f, ok := call.Func.(*pysrc.Attribute)
	switch {
	case !ok:
	case f.Attr == "update":
		for _, a := range call.Args {
			ix.change(f.Value, change{at: call.End, other: a})
		}
		if len(call.Keywords) > 0 {
			ix.change(f.Value, change{at: call.End, other: keywordsOf(call)})
		}
	case f.Attr == "setdefault" && len(call.Args) == 2:
		ix.change(f.Value, change{at: call.End, key: call.Args[0], value: call.Args[1], kept: true})
	}
}

// holding is a variable that holds a dictionary, and where it is read.
type holding struct {
	variable *Binding
	use      *Scope
	at       int32
}

// held notes which variable holds a dictionary, if the module changes it.
func (e *Eval) held(v Value, b *Binding, use *Scope, at int32) Value {
	if _, ok := v.Expr.(*pysrc.Dict); !(ok && v.Kind == Display) && v.Kind != Key && !(v.Kind == Instance && isLoaded(v.Name)) {
		return v
	}
	if len(b.Scope.Module.changes[b.Name]) == 0 {
		return v
	}
	m := v.moreOf()
	m.holdings = append(m.holdings[:len(m.holdings):len(m.holdings)], holding{b, use, at})
	v.more = &m
	return v
}

// entry tells what a dictionary holds under a key: what is written in it, then
// what is put in before it is read. A key set under a condition may be missing.
func (e *Eval) entry(v, key Value) Value {
	return e.afterChanges(v, key, e.afterPuts(v, key, e.written(v.Expr.(*pysrc.Dict), v.scope, key)))
}

// afterChanges tells what a dictionary holds under a key by what variables that hold it put in. What a settings file says is
// changed the same way: options = json.load(file); options["workers"] = 0.
func (e *Eval) afterChanges(v, key, now Value) Value {
	if v.more == nil || key.Kind != Literal {
		return now
	}
	for _, h := range v.more.holdings {
		b, m := h.variable, h.variable.Scope.Module
		for i := range m.changes[b.Name] {
			c := &m.changes[b.Name][i]
			sc := m.blocks[c.block].Scope
			if holder, _ := sc.find(b.Name); holder != b.Scope || c.at < b.At || m.exclusive(c.block, b.Block) {
				continue
			}
			certain := c.block == b.Scope.body()
			if h.use == b.Scope {
				here := m.BlockAt(h.at)
				if sc == b.Scope && c.at > h.at || m.exclusive(c.block, here) {
					continue
				}
				certain = sc == b.Scope && m.holds(c.block, here)
			}
			if !certain && sc == b.Scope {
				runs := e.runs(m, c.block, b)
				if runs == never {
					continue
				}
				certain = runs != maybe
			}
			now = e.once(c, func() Value { return e.changed(now, key, c, sc, certain) })
		}
	}
	return now
}

// changed returns the value of a key after a change.
func (e *Eval) changed(now, key Value, c *change, sc *Scope, always bool) Value {
	next := Value{}
	if c.key == nil {
		next = e.item(e.expr(c.other, sc), key)
		if next.Kind == Unknown && len(next.Either) == 0 {
			return perhaps(now)
		}
	} else if name := e.expr(c.key, sc); name.Kind != Literal {
		return perhaps(now)
	} else if name.Scalar != key.Scalar || c.kept && now.Kind != Missing {
		return now
	} else if c.value != nil {
		if next = e.expr(c.value, sc).via(ByDictionary); next.Kind == Missing {
			next = Value{}
		}
	}
	switch {
	case next.Kind == Missing:
		return now
	case always:
		return next
	}
	return merge([]Value{now, next})
}

// perhaps is the value of a key after an unknown value may have been put in.
func perhaps(now Value) Value {
	if now.Kind == Missing {
		return Value{}
	}
	return now.lessSure(Perhaps)
}

// written tells what a dictionary that is written out holds under a key.
func (e *Eval) written(d *pysrc.Dict, sc *Scope, key Value) Value {
	now := Value{Kind: Missing, Sure: Certain}
	for i, k := range d.Keys {
		if k == nil { // **other
			inner := e.item(e.expr(d.Values[i], sc), key)
			if inner.Kind == Unknown && len(inner.Either) == 0 {
				now = perhaps(now)
			} else if inner.Kind != Missing {
				now = inner
			}
			continue
		}
		name, text := pysrc.StringValue(k)
		n, number := pysrc.IntValue(k)
		if text && key.Scalar.Type == String && name == key.Scalar.Text ||
			number && key.Scalar.Type == Int && n == key.Scalar.Int {
			now = e.expr(d.Values[i], sc).via(ByDictionary)
		}
	}
	return now
}

// keywordsOf is the dictionary that the keywords of a call make.
func keywordsOf(call *pysrc.Call) *pysrc.Dict {
	d := &pysrc.Dict{Span: call.Span}
	for _, k := range call.Keywords {
		var key pysrc.Expr
		if k.Name != "" {
			key = &pysrc.Constant{Span: k.Span, Kind: pysrc.Str, Value: k.Name}
		}
		d.Keys = append(d.Keys, key)
		d.Values = append(d.Values, k.Value)
	}
	return d
}
