package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// endOfInit returns the last statement of the __init__ of a method's class, if a line after it always runs before the
// method and the attributes that the line reads do not change later. It returns nil if __init__ may return early or
// calls the method itself (self[0]), if a derived class does not call it, or if a derived class or other code sets an
// attribute that is read.
func (p *SourcePass) endOfInit(method *project.Function, read map[string]bool) pysrc.Stmt {
	class, self := method.Class, method.Self()
	init := class.Methods["__init__"]
	if init == nil || init.Def == nil || len(init.Def.Body) == 0 || self == "" || init.Self() != self {
		return nil
	}
	last := init.Def.Body[len(init.Def.Body)-1]
	if _, raises := last.(*pysrc.Raise); raises || returns(init.Def) || initReaches(init, method) {
		return nil
	}
	for _, m := range p.Project.Modules {
		for _, heir := range m.Classes {
			if heir != class && heir.Derives(class.FullName()) && (!callsInit(heir) || setsAny(heir, read)) {
				return nil
			}
		}
		if setsFromOutside(m, read) {
			return nil
		}
	}
	return last
}

// returns reports a return of a function itself, and not of one inside it.
func returns(def *pysrc.FunctionDef) bool {
	found := false
	pysrc.Inspect(def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Return:
			found = true
		case *pysrc.FunctionDef:
			return !found && n == def
		}
		return !found
	})
	return found
}

// initReaches reports whether __init__ calls a method of the object, directly or through other methods, or passes the
// object to code that may.
func initReaches(init, method *project.Function) bool {
	next := []*project.Function{init}
	for at := 0; at < len(next); at++ {
		fn := next[at]
		if fn == method || fn.BaseName() == method.BaseName() {
			return true
		}
		handsOut := false
		pysrc.InspectPath(fn.Def, func(n pysrc.Node, path []pysrc.Node) bool {
			name, ok := n.(*pysrc.Name)
			if !ok || name.ID != fn.Self() || name.Ctx != pysrc.Load {
				return !handsOut
			}
			switch parent := path[len(path)-1].(type) {
			case *pysrc.Attribute:
				if m := init.Class.Method(parent.Attr); m != nil && m.Def != nil && !slices.Contains(next, m) {
					next = append(next, m)
				}
			case *pysrc.Call:
				if parent.Func == pysrc.Expr(name) ||
					!slices.Contains([]string{"super", "__init__", "setattr", "hasattr", "len"}, lastName(parent.Func)) {
					handsOut = true
				}
			default:
				handsOut = true // self[0], x = self
			}
			return !handsOut
		})
		if handsOut {
			return true
		}
		for _, s := range fn.Sites { // super().__init__()
			if to := s.Calls.Func; to != nil && to.Def != nil && to.BaseName() == "__init__" && to.Class != nil &&
				init.Class.Derives(to.Class.FullName()) && !slices.Contains(next, to) {
				next = append(next, to)
			}
		}
	}
	return false
}

// attributesOf are the attributes of the object that expressions read.
func attributesOf(list []pysrc.Expr, self string) map[string]bool {
	names := map[string]bool{}
	for _, e := range list {
		pysrc.Inspect(e, func(n pysrc.Node) bool {
			if a, ok := n.(*pysrc.Attribute); ok && pysrc.DottedName(a.Value) == self {
				names[a.Attr] = true
			}
			return true
		})
	}
	return names
}

// callsInit reports whether a derived class runs the __init__ of its base: it has none of its own, or calls that.
func callsInit(c *project.Class) bool {
	init := c.Methods["__init__"]
	if init == nil {
		return true
	}
	return slices.ContainsFunc(init.Sites, func(s *project.Site) bool { return s.Method() == "__init__" })
}

// setsAny reports a class that sets one of the attributes, for itself or for its objects.
func setsAny(c *project.Class, names map[string]bool) bool {
	found := false
	pysrc.Inspect(c.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Attribute:
			found = found || n.Ctx == pysrc.Store && names[n.Attr]
		case *pysrc.Name:
			found = found || n.Ctx == pysrc.Store && names[n.ID]
		case *pysrc.FunctionDef:
			found = found || names[n.Name] // a property
		}
		return !found
	})
	return found
}

// setsFromOutside reports whether a module sets one of the attributes on an object other than self.
func setsFromOutside(m *project.Module, names map[string]bool) bool {
	return slices.ContainsFunc(m.Assignments, func(a *project.Assignment) bool {
		t, ok := a.Target.(*pysrc.Attribute)
		if !ok || !names[t.Attr] {
			return false
		}
		of := pysrc.DottedName(t.Value)
		return !(a.Func.Method() && of == a.Func.Self() || a.Func.Class != nil && (of == "self" || of == "cls"))
	})
}
