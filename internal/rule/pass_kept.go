package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// keptOnTheWay reports a place that is reached only until its result is kept, in the place's function or in one on the
// way: if self.table is None: self.table = …, if key not in tables: tables[key] = ….
func (p *SourcePass) keptOnTheWay(way project.Path, c Call) bool {
	if p.keptAround(c) {
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
	for id := p.Module.BlockAt(n.Bounds().Start); id >= 0 && p.Module.Block(id).Func == fn; id = p.Module.Block(id).Parent {
		if branch, ok := p.Module.Block(id).Owner.(*pysrc.If); ok && setsAsked(branch) {
			return true
		}
	}
	return false
}

// setsAsked reports an if that sets what its test asks for. A test such as labels is not None asks for an input.
func setsAsked(branch *pysrc.If) bool {
	asked := map[string]bool{}
	pysrc.Inspect(branch.Test, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Compare:
			switch n.Ops[0] {
			case pysrc.Is, pysrc.IsNot, pysrc.Eq, pysrc.NotEq:
				asked[pysrc.DottedName(n.Left)] = true
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
