package offline

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// inOrder visits a node and what is below it in the order in which Python works it out: what is assigned before
// what it is assigned to, the iterable of a comprehension before its element.
func inOrder(n pysrc.Node, visit func(pysrc.Node) bool) {
	if !visit(n) {
		return
	}
	each := func(x pysrc.Node) { inOrder(x, visit) }
	expr := func(x pysrc.Expr) {
		if x != nil {
			inOrder(x, visit)
		}
	}
	comprehension := func(list []*pysrc.Comprehension, elements ...pysrc.Expr) {
		for _, g := range list {
			expr(g.Iter)
			expr(g.Target)
			for _, test := range g.Ifs {
				expr(test)
			}
		}
		for _, e := range elements {
			expr(e)
		}
	}
	switch n := n.(type) {
	case *pysrc.Assign:
		expr(n.Value)
		for _, t := range n.Targets {
			expr(t)
		}
	case *pysrc.AnnAssign:
		expr(n.Value)
		if n.Value != nil {
			expr(n.Target)
		}
	case *pysrc.For:
		expr(n.Iter)
		expr(n.Target)
		for _, s := range append(slices.Clone(n.Body), n.Orelse...) {
			each(s)
		}
	case *pysrc.NamedExpr:
		expr(n.Value)
		expr(n.Target)
	case *pysrc.ListComp:
		comprehension(n.Generators, n.Elt)
	case *pysrc.SetComp:
		comprehension(n.Generators, n.Elt)
	case *pysrc.GeneratorExp:
		comprehension(n.Generators, n.Elt)
	case *pysrc.DictComp:
		comprehension(n.Generators, n.Key, n.Value)
	default:
		pysrc.Children(n, each)
	}
}

// localNames are the parameters and variables of a function.
func localNames(fn *project.Function) map[string]bool {
	names := map[string]bool{}
	if a := fn.Params(); a != nil {
		for _, p := range a.All() {
			names[p.Name] = true
		}
	}
	for outer := fn.Outer; outer != nil && outer.Def != nil; outer = outer.Outer {
		for name := range localNames(outer) {
			names[name] = true
		}
	}
	if fn.Def == nil {
		return names
	}
	for _, s := range fn.Def.Body {
		for name := range stored(s) {
			names[name] = true
		}
	}
	return names
}

// stored are the names that a statement binds.
func stored(root pysrc.Node) map[string]bool {
	names := map[string]bool{}
	pysrc.Inspect(root, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Name:
			if n.Ctx == pysrc.Store {
				names[n.ID] = true
			}
		case *pysrc.FunctionDef:
			names[n.Name] = true
			return false
		case *pysrc.ClassDef:
			names[n.Name] = true
			return false
		case *pysrc.Alias:
			names[strings.SplitN(orElse(n.Asname, n.Name), ".", 2)[0]] = true
		case *pysrc.ExceptHandler:
			if n.Name != "" {
				names[n.Name] = true
			}
		case *pysrc.Lambda, *pysrc.ListComp, *pysrc.SetComp, *pysrc.DictComp, *pysrc.GeneratorExp:
			return false
		}
		return true
	})
	return names
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// loads reports whether a node reads a name.
func loads(root pysrc.Node, name string) bool {
	found := false
	pysrc.Inspect(root, func(n pysrc.Node) bool {
		if x, ok := n.(*pysrc.Name); ok && x.ID == name && x.Ctx != pysrc.Store {
			found = true
		}
		if a, ok := n.(*pysrc.AugAssign); ok {
			if x, ok := a.Target.(*pysrc.Name); ok && x.ID == name {
				found = true
			}
		}
		return !found
	})
	return found
}

// loadedAfter reports whether a function reads a name behind an offset.
func loadedAfter(fn *project.Function, name string, offset int32) bool {
	found := false
	for _, s := range fn.Def.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			if n.Bounds().End <= offset {
				return false
			}
			if x, ok := n.(*pysrc.Name); ok && x.ID == name && x.Ctx != pysrc.Store && x.Start >= offset {
				found = true
			}
			return !found
		})
	}
	return found
}

// moduleNames are the names that the top level of a module binds.
func moduleNames(m *project.Module) map[string]bool {
	names := map[string]bool{}
	for _, s := range m.File.Module.Body {
		for name := range stored(s) {
			names[name] = true
		}
	}
	return names
}

// selfOf is the name by which a method knows its instance, or nothing.
func selfOf(fn *project.Function) string {
	for f := fn; f != nil; f = f.Outer {
		if f.Method() && f.Params() != nil {
			if all := f.Params().All(); len(all) > 0 {
				return all[0].Name
			}
		}
	}
	return ""
}

// builtLate are the attributes that functions set where a test asks whether they are there yet: if self.engine is None.
func builtLate(funcs []*project.Function) map[string]bool {
	names := map[string]bool{}
	for _, f := range funcs {
		eachAttributeSet(f, func(a *pysrc.Attribute, asked bool) {
			if asked {
				names[a.Attr] = true
			}
		})
	}
	return names
}

// eachAttributeSet visits the attributes of its object that a method sets, and reports whether a test around asks
// for the same attribute.
func eachAttributeSet(f *project.Function, visit func(a *pysrc.Attribute, asked bool)) {
	self := selfOf(f)
	if self == "" || f.BaseName() == "__init__" {
		return
	}
	pysrc.InspectPath(f.Def, func(n pysrc.Node, path []pysrc.Node) bool {
		a, ok := n.(*pysrc.Attribute)
		if !ok || a.Ctx != pysrc.Store || !isNamed(a.Value, self) {
			return true
		}
		asked := slices.ContainsFunc(path, func(p pysrc.Node) bool {
			test, ok := p.(*pysrc.If)
			return ok && strings.Contains(text(f.Module, test.Test), a.Attr)
		})
		visit(a, asked)
		return true
	})
}

// counts reports an attribute that a method changes by what it was: self.calls += 1.
func counts(c *project.Class, name string) bool {
	found := false
	for _, method := range c.Methods {
		self := selfOf(method)
		pysrc.Inspect(method.Def, func(n pysrc.Node) bool {
			if a, ok := n.(*pysrc.AugAssign); ok && method.BaseName() != "__init__" {
				t, ok := a.Target.(*pysrc.Attribute)
				found = found || ok && t.Attr == name && isNamed(t.Value, self)
			}
			return !found
		})
	}
	return found
}

// setLater is a method that gives an attribute the value of its argument, and that the class itself does not call: the
// training loop tells which epoch it is.
func setLater(c *project.Class, name string) *project.Function {
	if c == nil {
		return nil
	}
	var setter *project.Function
	for _, method := range c.Methods {
		if method.Def == nil || method.BaseName() == "__init__" || calledWithin(c, method.BaseName()) {
			continue
		}
		self := selfOf(method)
		pysrc.Inspect(method.Def, func(n pysrc.Node) bool {
			target, value := binding(n)
			t, ok := target.(*pysrc.Attribute)
			given, plain := value.(*pysrc.Name)
			if ok && plain && t.Attr == name && isNamed(t.Value, self) && method.HasParameter(given.ID) {
				setter = method
			}
			return setter == nil
		})
	}
	return setter
}

// calledWithin reports whether a class calls one of its methods itself.
func calledWithin(c *project.Class, name string) bool {
	for _, method := range c.Methods {
		self := selfOf(method)
		if slices.ContainsFunc(method.Sites, func(s *project.Site) bool {
			a, ok := s.Node.Func.(*pysrc.Attribute)
			return ok && a.Attr == name && isNamed(a.Value, self)
		}) {
			return true
		}
	}
	return false
}

// boundBy are the names that a comprehension or lambda binds for what stands in it.
func boundBy(n pysrc.Node) map[string]bool {
	names := map[string]bool{}
	for _, g := range generatorsOf(n) {
		for name := range stored(g.Target) {
			names[name] = true
		}
	}
	if n, ok := n.(*pysrc.Lambda); ok {
		for _, p := range n.Args.All() {
			names[p.Name] = true
		}
	}
	return names
}

// importedIn are the names that imports inside a function bind.
func importedIn(fn *project.Function) map[string]bool {
	names := map[string]bool{}
	if fn.Def == nil {
		return names
	}
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Alias); ok {
			names[strings.SplitN(orElse(a.Asname, a.Name), ".", 2)[0]] = true
		}
		return true
	})
	return names
}

var builtins = setOf("abs all any ascii bin bool bytearray bytes callable chr complex dict dir divmod enumerate eval filter float format " +
	"frozenset getattr globals hasattr hash hex id int isinstance issubclass iter len list locals map max memoryview min next object oct " +
	"open ord pow print range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip Ellipsis " +
	"NotImplemented Exception ValueError TypeError KeyError IndexError RuntimeError OSError IOError FileNotFoundError AttributeError " +
	"ImportError StopIteration NotImplementedError AssertionError TimeoutError ConnectionError __file__ __name__ __debug__")

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// generatorsOf are the loops of a comprehension.
func generatorsOf(n pysrc.Node) []*pysrc.Comprehension {
	switch n := n.(type) {
	case *pysrc.ListComp:
		return n.Generators
	case *pysrc.SetComp:
		return n.Generators
	case *pysrc.DictComp:
		return n.Generators
	case *pysrc.GeneratorExp:
		return n.Generators
	}
	return nil
}
