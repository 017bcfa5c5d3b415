package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// keptOnTheWay reports a place that is reached only until its result is kept, in the place's function or in one on the
// way: if self.table is None: self.table = …, if key not in tables: tables[key] = ….
func (p *SourcePass) keptOnTheWay(way project.Path, c Call) bool {
	if p.keptAround(c) || cached(p.Function(c)) {
		return true
	}
	for _, s := range way.Calls {
		if p.In(s.Module()).keptAround(s) || cached(s.Func) {
			return true
		}
	}
	return false
}

// keptAround reports a node under an if that asks whether something is there and then sets it.
func (p *SourcePass) keptAround(n Node) bool {
	fn := p.Function(n)
	if returnsKept(fn) {
		return true
	}
	for id := p.Module.BlockAt(n.Bounds().Start); id >= 0 && p.Module.Block(id).Func == fn; id = p.Module.Block(id).Parent {
		if branch, ok := p.Module.Block(id).Owner.(*pysrc.If); ok && setsAsked(branch, fn) {
			return true
		}
	}
	return false
}

// returnsKept reports a function that starts with returning what it has stored in its object, if that still holds, and
// stores it otherwise: if shape == self.shape: return self.table.
func returnsKept(fn *project.Function) bool {
	if fn.Def == nil || fn.Class == nil {
		return false
	}
	for _, s := range fn.Def.Body {
		branch, ok := s.(*pysrc.If)
		if !ok || len(branch.Body) == 0 {
			continue
		}
		last, ok := branch.Body[len(branch.Body)-1].(*pysrc.Return)
		if !ok {
			continue
		}
		if last.Value == nil && asksForStored(branch.Test, fn) {
			return true
		}
		if field := project.FieldOfSelf(last.Value); field != "" && storesField(fn.Def, field) {
			return true
		}
	}
	return false
}

// asksForStored reports a test for a field that the function stores: if self.table is not None, if n in self.tables.
func asksForStored(test pysrc.Expr, fn *project.Function) bool {
	found := false
	pysrc.Inspect(test, func(n pysrc.Node) bool {
		if e, ok := n.(*pysrc.Attribute); ok {
			field := project.FieldOfSelf(e)
			found = found || field != "" && storesField(fn.Def, field)
		}
		return !found
	})
	return found
}

// storesField reports a function that assigns to a field of its object, or to a part of one.
func storesField(def pysrc.Node, field string) bool {
	found := false
	pysrc.Inspect(def, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Assign); ok {
			for _, t := range a.Targets {
				found = found || project.FieldOfSelf(t) == field
			}
		}
		return !found
	})
	return found
}

// setsAsked reports an if that sets what its test asks for. A test such as labels is not None asks for an input, and what a
// parameter gets where the caller gives nothing is made in each call: if mask is None: mask = ….
func setsAsked(branch *pysrc.If, fn *project.Function) bool {
	asked := map[string]bool{}
	pysrc.Inspect(branch.Test, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Compare:
			switch name := pysrc.DottedName(n.Left); n.Ops[0] {
			case pysrc.Is, pysrc.IsNot, pysrc.Eq, pysrc.NotEq:
				asked[name] = !fn.HasParameter(name) || !pysrc.IsConst(n.Comparators[0], pysrc.None)
			case pysrc.In, pysrc.NotIn:
				asked[pysrc.DottedName(n.Comparators[0])] = true
			}
		case *pysrc.Call:
			if lastName(n.Func) == "hasattr" && len(n.Args) == 2 {
				if name, ok := pysrc.StringValue(n.Args[1]); ok {
					asked[pysrc.DottedName(n.Args[0])+"."+name] = true
				}
			}
		}
		return true
	})
	delete(asked, "")
	found := false
	for _, s := range append(append([]pysrc.Stmt(nil), branch.Body...), branch.Orelse...) {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.Name:
				found = found || n.Ctx == pysrc.Store && asked[n.ID]
			case *pysrc.Attribute:
				found = found || n.Ctx == pysrc.Store && asked[pysrc.DottedName(n)]
			case *pysrc.Subscript:
				found = found || n.Ctx == pysrc.Store && asked[pysrc.DottedName(n.Value)]
			case *pysrc.Call:
				found = found || lastName(n.Func) == "register_buffer" && len(asked) > 0
			}
			return !found
		})
	}
	return found
}
