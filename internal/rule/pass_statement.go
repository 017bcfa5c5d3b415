package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// statementsIn returns the statements of a training loop, those within others too.
func (p *SourcePass) statementsIn(loop *project.Loop) []pysrc.Stmt {
	var list []pysrc.Stmt
	for _, s := range loop.Body() {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			if x, ok := n.(pysrc.Stmt); ok {
				list = append(list, x)
			}
			return true
		})
	}
	return list
}

// mentions reports whether a name is read in a node.
func mentions(n pysrc.Node, name string) bool {
	found := false
	pysrc.Inspect(n, func(x pysrc.Node) bool {
		if v, ok := x.(*pysrc.Name); ok && v.ID == name && v.Ctx == pysrc.Load {
			found = true
		}
		return !found
	})
	return found
}

// header is the first line of a loop: the place to point at.
func header(loop pysrc.Stmt) Node {
	span := loop.Bounds()
	switch l := loop.(type) {
	case *pysrc.For:
		span.End = l.Iter.Bounds().End
	case *pysrc.While:
		span.End = l.Test.Bounds().End
	}
	return span
}

// underTest reports a node in an arm of an if in its function: one that asks for more than whether this file is the program.
func (p *SourcePass) underTest(n Node) bool {
	found := false
	p.testsAround(n, func(test pysrc.Expr) { found = found || !project.IsMainGuard(test) })
	return found
}

// underTestWithin reports a node in an arm of an if that stands in a loop around it.
func (p *SourcePass) underTestWithin(n Node, loop pysrc.Stmt) bool {
	found := false
	p.testsAround(n, func(test pysrc.Expr) { found = found || loop.Bounds().Contains(int(test.Bounds().Start)) })
	return found
}

// testsAround visits the tests of the ifs around a node in its function.
func (p *SourcePass) testsAround(n Node, visit func(pysrc.Expr)) {
	fn := p.Function(n)
	for id := p.Module.BlockAt(n.Bounds().Start); id >= 0 &&
		p.Module.Block(id).Func == fn; id = p.Module.Block(id).Parent {
		if test, ok := p.Module.Block(id).Owner.(*pysrc.If); ok {
			visit(test.Test)
		}
	}
	at := int(n.Bounds().Start)
	pysrc.Inspect(p.Module.StatementAt(n.Bounds().Start), func(x pysrc.Node) bool {
		if choice, ok := x.(*pysrc.IfExp); ok && (choice.Body.Bounds().Contains(at) || choice.Orelse.Bounds().Contains(at)) {
			visit(choice.Test)
		}
		return x.Bounds().Contains(at)
	})
}

// changesIn reports whether anything that a node reads is set inside a loop.
func (p *SourcePass) changesIn(n pysrc.Node, loop pysrc.Stmt) bool {
	set := map[string]bool{}
	pysrc.Inspect(loop, func(x pysrc.Node) bool {
		switch x := x.(type) {
		case *pysrc.Name:
			if x.Ctx == pysrc.Store {
				set[x.ID] = true
			}
		case *pysrc.Attribute:
			if x.Ctx == pysrc.Store {
				set[pysrc.DottedName(x)] = true
			}
		case *pysrc.Subscript:
			if x.Ctx == pysrc.Store {
				set[pysrc.DottedName(x.Value)] = true // data["train"] = …
			}
		}
		return true
	})
	changes := false
	pysrc.Inspect(n, func(x pysrc.Node) bool {
		switch x := x.(type) {
		case *pysrc.Name:
			changes = changes || set[x.ID]
		case *pysrc.Attribute:
			changes = changes || set[pysrc.DottedName(x)]
		}
		return !changes
	})
	return changes
}
