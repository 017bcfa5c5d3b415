package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// keeping is a statement that adds values to something that may outlive the step: a sum, a list, a dict of lists.
type keeping struct {
	statement pysrc.Stmt
	into      pysrc.Expr
	values    []pysrc.Expr
}

// keepingOf is what a statement keeps: total += x, total = total + x, list.append((step, x)), logs["loss"].append(x).
func keepingOf(s pysrc.Stmt) (k keeping, ok bool) {
	k.statement = s
	switch s := s.(type) {
	case *pysrc.AugAssign:
		k.into, k.values = s.Target, heldBy(s.Value, nil)
		return k, s.Op == pysrc.Add
	case *pysrc.Assign:
		name := ""
		if len(s.Targets) == 1 {
			name = pysrc.DottedName(s.Targets[0])
		}
		if name == "" || !mentionsDotted(s.Value, name) {
			return k, false
		}
		k.into = s.Targets[0]
		k.values = slices.DeleteFunc(heldBy(s.Value, nil), func(e pysrc.Expr) bool { return mentionsDotted(e, name) })
		return k, accumulates(s.Value)
	case *pysrc.ExprStmt:
		c, call := s.Value.(*pysrc.Call)
		if !call || len(c.Args) != 1 {
			return k, false
		}
		f, method := c.Func.(*pysrc.Attribute)
		if !method || f.Attr != "append" && f.Attr != "extend" && f.Attr != "appendleft" {
			return k, false
		}
		k.into, k.values = f.Value, heldBy(c.Args[0], nil)
		return k, true
	}
	return k, false
}

// accumulates reports an expression that adds to what it is assigned to: total + x, torch.cat([all, x]).
func accumulates(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.BinOp:
		return x.Op == pysrc.Add
	case *pysrc.IfExp:
		return accumulates(x.Body) || accumulates(x.Orelse)
	case *pysrc.Call:
		switch lastName(x.Func) {
		case "cat", "concat", "concatenate", "stack", "hstack", "vstack":
			return true
		}
	}
	return false
}

// heldBy are the values that an expression holds on to: the parts of a tuple, a dict, a sum.
func heldBy(e pysrc.Expr, list []pysrc.Expr) []pysrc.Expr {
	all := func(parts []pysrc.Expr) []pysrc.Expr {
		for _, part := range parts {
			list = heldBy(part, list)
		}
		return list
	}
	switch x := e.(type) {
	case *pysrc.Tuple:
		return all(x.Elts)
	case *pysrc.List:
		return all(x.Elts)
	case *pysrc.Dict:
		return all(x.Values)
	case *pysrc.BinOp:
		return heldBy(x.Right, heldBy(x.Left, list))
	case *pysrc.IfExp:
		return heldBy(x.Orelse, heldBy(x.Body, list))
	case *pysrc.Call:
		if accumulates(x) {
			return all(x.Args)
		}
		if name, ok := x.Func.(*pysrc.Name); ok && name.ID == "dict" {
			for _, k := range x.Keywords {
				list = heldBy(k.Value, list)
			}
			return list
		}
	}
	return append(list, e)
}

// keptBy reports a function of the project that keeps what it is given as a parameter, as it is, in a field of its object
// or of its module: def update(self, value): self.sum += value. It is the place where it does.
func (p *SourcePass) keptBy(fn *project.Function, parameter string) pysrc.Stmt {
	if fn.Def == nil || decoratedWithoutGradients(fn) {
		return nil
	}
	names := map[string]bool{parameter: true}
	var found pysrc.Stmt
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.For: // for key, value in values.items()
			if names[rootName(n.Iter)] {
				for name := range namesStored(n.Target) {
					names[name] = true
				}
			}
		case *pysrc.Assign:
			if stores(n.Targets, names) {
				delete(names, parameter) // it is something else from here on: value = value.item()
			}
		case pysrc.Stmt:
			if k, ok := keepingOf(n); ok && found == nil && keptOutside(fn, k.into) &&
				slices.ContainsFunc(k.values, func(e pysrc.Expr) bool { return isOneOf(e, names) }) {
				found = n
			}
		}
		return found == nil
	})
	if found != nil && p.In(fn.Module).withoutGradients(found) {
		return nil
	}
	return found
}

// isOneOf reports one of the variables itself.
func isOneOf(e pysrc.Expr, names map[string]bool) bool {
	name, ok := e.(*pysrc.Name)
	return ok && names[name.ID]
}

// keptOutside reports a target that outlives the call of its function: a field of its object, or of its module.
func keptOutside(fn *project.Function, into pysrc.Expr) bool {
	return fn.Self() != "" && rootName(into) == fn.Self()
}
