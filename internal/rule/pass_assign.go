package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// assigned returns what a statement, comprehension or append sets, and from what.
func assigned(n pysrc.Node) (targets []pysrc.Expr, value pysrc.Node) {
	switch n := n.(type) {
	case *pysrc.Assign:
		return n.Targets, n.Value
	case *pysrc.AugAssign:
		return []pysrc.Expr{n.Target}, n.Value
	case *pysrc.AnnAssign:
		if n.Value != nil {
			return []pysrc.Expr{n.Target}, n.Value
		}
	case *pysrc.For:
		return []pysrc.Expr{n.Target}, n.Iter
	case *pysrc.Comprehension:
		return []pysrc.Expr{n.Target}, n.Iter
	case *pysrc.WithItem:
		if n.Vars != nil {
			return []pysrc.Expr{n.Vars}, n.Context
		}
	case *pysrc.Call: // list.append(value)
		if a, ok := n.Func.(*pysrc.Attribute); ok && (a.Attr == "append" || a.Attr == "extend") && len(n.Args) == 1 {
			if name, ok := a.Value.(*pysrc.Name); ok {
				return []pysrc.Expr{name}, n.Args[0]
			}
		}
	}
	return nil, nil
}

// stores reports targets that set one of the names, or a part of one.
func stores(targets []pysrc.Expr, names map[string]bool) bool {
	found := false
	for _, t := range targets {
		pysrc.Inspect(t, func(n pysrc.Node) bool {
			if v, ok := n.(*pysrc.Name); ok && names[v.ID] && v.ID != "self" {
				found = true
			}
			return !found
		})
	}
	return found
}

// assignedIn returns what a function assigns to a variable.
func assignedIn(fn *project.Function, name string) []pysrc.Expr {
	var list []pysrc.Expr
	if fn.Def == nil {
		return nil
	}
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		targets, value := assigned(n)
		if value, ok := value.(pysrc.Expr); ok && stores(targets, map[string]bool{name: true}) {
			list = append(list, value)
		}
		return true
	})
	return list
}

// use is a place where a variable is read, and the expression around it.
type use struct {
	name   *pysrc.Name
	parent pysrc.Node
}

// usesOf returns the reads of a variable behind an offset of a function, without
// those that only ask for its size.
func (p *SourcePass) usesOf(name string, fn *project.Function, from int32) []use {
	var list []use
	pysrc.InspectPath(fn.Def, func(n pysrc.Node, path []pysrc.Node) bool {
		if x, ok := n.(*pysrc.Name); ok && x.ID == name && x.Ctx == pysrc.Load && x.Start >= from {
			if parent := path[len(path)-1]; !asksSize(parent) {
				list = append(list, use{x, parent})
			}
		}
		return true
	})
	return list
}

func asksSize(n pysrc.Node) bool {
	switch n := n.(type) {
	case *pysrc.Attribute:
		switch n.Attr {
		case "shape", "size", "ndim", "dim", "numel", "dtype":
			return true
		}
	case *pysrc.Call:
		return lastName(n.Func) == "len"
	}
	return false
}

func storesName(target pysrc.Node, name string) bool {
	found := false
	pysrc.Inspect(target, func(n pysrc.Node) bool {
		if id, ok := n.(*pysrc.Name); ok && id.Ctx == pysrc.Store && id.ID == name {
			found = true
		}
		return !found
	})
	return found
}
