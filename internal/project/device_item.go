package project

import (
	"strconv"

	"saturate/internal/pysrc"
)

// tensorItem is tensor for x[…]: of a tuple or dict whose parts are known the part alone, of anything else what x is.
func (e *Eval) tensorItem(x *pysrc.Subscript, sc *Scope, depth int) float64 {
	if key, ok := pysrc.StringValue(x.Slice); ok {
		if sure, known := e.tensorInField(x.Value, key, sc, depth+1); known {
			return sure
		}
	}
	if name, ok := x.Value.(*pysrc.Name); ok {
		key, ok := pysrc.StringValue(x.Slice)
		if sure := e.movedInPlace(name, key, sc, depth+1); sure >= Likely {
			return sure
		}
		if ok {
			if sure, known := e.tensorUnder(name, key, sc, depth+1); known {
				return sure
			}
		} else if at, ok := pysrc.IntValue(x.Slice); ok && at >= 0 && at < 100 {
			return e.tensorPart(name, trail(0).then(int(at)), sc, depth+1)
		}
	}
	if field, ok := x.Value.(*pysrc.Attribute); ok {
		of, held := field.Value.(*pysrc.Name)
		at, number := pysrc.IntValue(x.Slice)
		if held && number && at >= 0 {
			if sure := e.movedInPlace(of, "."+field.Attr+"["+strconv.FormatInt(at, 10)+"]", sc, depth+1); sure >= Likely {
				return sure
			}
		}
	}
	return e.tensor(x.Value, sc, depth+1)
}

// tensorUnder is tensor for what a dict holds under a key, where the function that made the dict shows it.
func (e *Eval) tensorUnder(name *pysrc.Name, key string, sc *Scope, depth int) (sure float64, known bool) {
	holder, _ := sc.find(name.ID)
	if holder == nil {
		return 0, false
	}
	var room [8]*Binding
	for _, b := range holder.reaching(room[:0], name.ID, sc, name.Start) {
		if b.Kind != Assigned || b.path != 0 || !isEmptyContainer(b.Value) {
			dict, ok := b.Value.(*pysrc.Dict)
			if b.Kind != Assigned || b.path != 0 || !ok {
				return 0, false
			}
			for i, k := range dict.Keys {
				if said, ok := pysrc.StringValue(k); ok && said == key {
					sure, known = max(sure, e.tensor(dict.Values[i], b.Scope.Module.blocks[b.Block].Scope, depth)), true
				}
			}
		}
	}
	for _, s := range holder.puts(name.ID) {
		if s.key == key {
			sure, known = max(sure, e.tensor(s.value, s.scope, depth)), true
		}
	}
	return sure, known
}

// tensorStored is tensor for a container that is empty when it is made: what its function puts into it by
// d[key] = x, list.append(x) or d.update(key=x).
func (e *Eval) tensorStored(b *Binding, depth int) float64 {
	before, best := e.steps, 0.0
	room := min(before, mostTensorSteps/10) // the rest is for what stands beside it
	e.steps = room
	for _, s := range b.Scope.puts(b.Name) {
		if best < Probable {
			best = max(best, e.tensor(s.value, s.scope, depth))
		}
	}
	e.steps += before - room
	return best
}

// partAt is the expression at a place of an unpacked value that is written out, nil where it is not: the second [] of
// names, sizes = [], [].
func partAt(x pysrc.Expr, path trail) pysrc.Expr {
	for ; path != 0; path = path.rest() {
		elts, i := elements(x), path.first()
		if i < 0 || i >= len(elts) {
			return nil
		}
		x = elts[i]
	}
	return x
}

// isEmptyContainer reports [], {}, list(), dict(), OrderedDict() and defaultdict(list).
func isEmptyContainer(x pysrc.Expr) bool {
	switch x := x.(type) {
	case *pysrc.List:
		return len(x.Elts) == 0
	case *pysrc.Dict:
		return len(x.Values) == 0
	case *pysrc.Call:
		switch lastName(x.Func) {
		case "list", "dict", "OrderedDict":
			return len(x.Args) == 0 && len(x.Keywords) == 0
		case "defaultdict":
			return true
		}
	}
	return false
}

// put is a value that a function puts into a container, under a key where that is a string.
type put struct {
	value pysrc.Expr
	key   string
	scope *Scope
}

// puts are the values that the scope's function puts into the container of a name.
func (s *Scope) puts(name string) (list []put) {
	f := functionOf(s)
	if f == nil {
		return nil
	}
	m := s.Module
	is := func(x pysrc.Expr) bool {
		n, ok := x.(*pysrc.Name)
		return ok && n.ID == name
	}
	add := func(value pysrc.Expr, key string) {
		list = append(list, put{value, key, m.blocks[m.BlockAt(value.Bounds().Start)].Scope})
	}
	for _, site := range f.Sites {
		a, ok := site.Node.Func.(*pysrc.Attribute)
		if !ok || !is(a.Value) {
			continue
		}
		switch {
		case a.Attr == "append" && len(site.Node.Args) == 1:
			add(site.Node.Args[0], "")
		case a.Attr == "update":
			for _, k := range site.Node.Keywords {
				add(k.Value, k.Name)
			}
			for _, arg := range site.Node.Args {
				if dict, ok := arg.(*pysrc.Dict); ok {
					for i, v := range dict.Values {
						key, _ := pysrc.StringValue(dict.Keys[i])
						add(v, key)
					}
				}
			}
		}
	}
	if f.Def == nil {
		return list
	}
	for _, stmt := range f.Def.Body {
		pysrc.Inspect(stmt, func(n pysrc.Node) bool {
			if _, inner := n.(*pysrc.FunctionDef); inner {
				return false
			}
			if assign, ok := n.(*pysrc.Assign); ok {
				for _, t := range assign.Targets {
					if sub, ok := t.(*pysrc.Subscript); ok && is(sub.Value) {
						key, _ := pysrc.StringValue(sub.Slice)
						add(assign.Value, key)
					}
				}
			}
			return true
		})
	}
	return list
}
