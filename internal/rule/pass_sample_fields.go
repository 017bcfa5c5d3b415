package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// sampleFields are the fields of a dataset with an element for each sample: the one whose length __len__ gives, and those
// that __init__ makes of it element by element.
func sampleFields(c *project.Class) map[string]bool {
	length, init := c.Method("__len__"), c.Method("__init__")
	if length == nil || length.Def == nil || init == nil || init.Def == nil {
		return nil
	}
	counted := countedField(length.Def)
	if counted == "" {
		return nil
	}
	fields := map[string]bool{counted: true}
	names := map[string]bool{} // variables of __init__ that hold the same
	pysrc.Inspect(init.Def, func(n pysrc.Node) bool {
		targets, value := assigned(n)
		made, ok := value.(pysrc.Expr)
		if !ok || len(targets) != 1 {
			return true
		}
		field := project.FieldOfSelf(targets[0])
		if name, ok := made.(*pysrc.Name); ok && field == counted {
			names[name.ID] = true
		}
		if field != "" && isAttributeOf(targets[0], field) && eachOf(made, fields, names) {
			fields[field] = true
		}
		return true
	})
	return fields
}

// isAttributeOf reports self.field, and no part of it.
func isAttributeOf(e pysrc.Expr, field string) bool {
	a, ok := e.(*pysrc.Attribute)
	return ok && a.Attr == field
}

// countedField is the field of `return len(self.field)`, the only statement of a __len__; or "".
func countedField(length *pysrc.FunctionDef) string {
	if len(length.Body) == 0 {
		return ""
	}
	back, ok := length.Body[len(length.Body)-1].(*pysrc.Return)
	if !ok {
		return ""
	}
	c, ok := back.Value.(*pysrc.Call)
	if !ok || lastName(c.Func) != "len" || len(c.Args) != 1 {
		return ""
	}
	field, ok := c.Args[0].(*pysrc.Attribute)
	if !ok {
		return ""
	}
	return project.FieldOfSelf(field)
}

// eachOf reports a list with an element for each one of such a field: [r.name for r in self.rows].
func eachOf(e pysrc.Expr, fields, names map[string]bool) bool {
	list, ok := e.(*pysrc.ListComp)
	if !ok || len(list.Generators) != 1 || len(list.Generators[0].Ifs) > 0 {
		return false
	}
	return holdsSamples(list.Generators[0].Iter, fields, names)
}

// holdsSamples reports such a field, or a variable that holds the same.
func holdsSamples(e pysrc.Expr, fields, names map[string]bool) bool {
	switch e := e.(type) {
	case *pysrc.Attribute:
		return fields[e.Attr] && isAttributeOf(e, project.FieldOfSelf(e))
	case *pysrc.Name:
		return names[e.ID]
	}
	return false
}

// searchOf is where a node goes through such a field: its loop's header, a comprehension, or self.names.index(x); else nil.
func searchOf(n pysrc.Node, fields map[string]bool) Node {
	over := func(iter pysrc.Expr) bool {
		if c, ok := iter.(*pysrc.Call); ok && lastName(c.Func) == "enumerate" && len(c.Args) > 0 {
			iter = c.Args[0]
		}
		return holdsSamples(iter, fields, nil)
	}
	switch n := n.(type) {
	case *pysrc.For:
		if over(n.Iter) {
			return header(n)
		}
	case *pysrc.ListComp, *pysrc.SetComp, *pysrc.DictComp, *pysrc.GeneratorExp:
		if over(firstIterable(n)) {
			return n
		}
	case *pysrc.Call:
		if method, ok := n.Func.(*pysrc.Attribute); ok && method.Attr == "index" && len(n.Args) == 1 && over(method.Value) {
			return n
		}
	}
	return nil
}
