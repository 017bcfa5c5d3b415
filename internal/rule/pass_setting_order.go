package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// setHere is one place of a function that sets a variable, a field or a key, or adds to it.
type setHere struct {
	key   string
	value pysrc.Expr
	end   int32 // of the value, behind which it is set
	block project.BlockID
	adds  bool // it keeps what was there before
}

// settingsIn are the places of a function that set something, in the order of the source.
func (p *SourcePass) settingsIn(fn *project.Function) (list []setHere) {
	var body pysrc.Node = p.Module.File.Module
	if fn.Def != nil {
		body = fn.Def
	}
	addIn := func(block project.BlockID, target, value pysrc.Expr, adds bool) {
		if value == nil || p.Module.FunctionAt(target.Bounds().Start) != fn {
			return
		}
		for _, t := range leavesOf(target) {
			if key := p.keyOf(t); key != "" {
				list = append(list, setHere{key, value, max(value.Bounds().End, target.Bounds().End), block, adds})
			}
		}
	}
	add := func(target, value pysrc.Expr, adds bool) {
		addIn(p.Module.BlockAt(target.Bounds().Start), target, value, adds)
	}
	pysrc.Inspect(body, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.Assign:
			for _, t := range x.Targets {
				add(t, x.Value, false)
			}
		case *pysrc.AnnAssign:
			add(x.Target, x.Value, false)
		case *pysrc.AugAssign:
			add(x.Target, x.Value, true)
		case *pysrc.For:
			if len(x.Body) > 0 { // code that is being written may have none
				addIn(p.Module.BlockAt(x.Body[0].Bounds().Start), x.Target, x.Iter, false)
			}
		case *pysrc.With:
			for _, item := range x.Items {
				if item.Vars != nil {
					add(item.Vars, item.Context, false)
				}
			}
		case *pysrc.Call:
			if a, ok := x.Func.(*pysrc.Attribute); ok && len(x.Args) == 1 && (a.Attr == "append" || a.Attr == "extend" || a.Attr == "update") {
				add(a.Value, x.Args[0], true)
			}
		}
		return true
	})
	return list
}

// leavesOf are the single targets of (a, b), *rest = value.
func leavesOf(target pysrc.Expr) (list []pysrc.Expr) {
	if s, ok := target.(*pysrc.Starred); ok {
		target = s.Value
	}
	parts := elementsOf(target)
	if len(parts) == 0 {
		return []pysrc.Expr{target}
	}
	for _, e := range parts {
		list = append(list, leavesOf(e)...)
	}
	return list
}
