package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// flattened reports what a view of an image as a list of positions gives: self.keys(x).view(b, c, -1).
func (p *SourcePass) flattened(e pysrc.Expr, fn *project.Function) bool {
	if name, ok := e.(*pysrc.Name); ok {
		values := p.assignments(name.ID, fn)
		return len(values) == 1 && p.flattened(values[0], fn)
	}
	c, ok := e.(*pysrc.Call)
	if !ok {
		return false
	}
	switch lastName(c.Func) {
	case "flatten":
		return true
	case "view", "reshape":
		return len(c.Args) > 2
	}
	return false
}

// onlyStored reports weights that a function keeps in fields which nothing of training reads, and nowhere else: self.shown = weights.
func (p *SourcePass) onlyStored(names []string, fn *project.Function) bool {
	holds := func(e pysrc.Expr) bool {
		return e != nil && slices.ContainsFunc(names, func(name string) bool { return holdsName(e, name) })
	}
	stored, elsewhere := false, false
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Return:
			elsewhere = elsewhere || holds(n.Value)
		case *pysrc.Call:
			elsewhere = elsewhere || lastName(n.Func) == "append" && len(n.Args) == 1 && holds(n.Args[0])
		case *pysrc.Assign:
			for _, t := range n.Targets {
				if field, ok := t.(*pysrc.Attribute); ok && slices.ContainsFunc(names, func(name string) bool { return mentionsName(n.Value, name) }) {
					stored = true
					elsewhere = elsewhere || p.readInTraining(field.Attr)
				}
			}
		}
		return !elsewhere
	})
	return stored && !elsewhere
}
