package rule

import (
	"maps"
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// graphDies reports a backward pass whose graph nothing needs afterwards: no later pass of its function goes through what the loss was
// computed of, and nothing hands it on. A critic's update on generated samples that are detached is one.
func (p *SourcePass) graphDies(c Call, later []*project.Site) bool {
	loss := c.Receiver()
	if c.Func.Def == nil || loss == nil {
		return false
	}
	graph := p.graphNames(c.Func, loss, c.Node.Start)
	if len(graph) == 0 {
		return false
	}
	for name := range graph {
		if slices.ContainsFunc(later, func(s *project.Site) bool { return p.readAfter(c.Func, name, s) }) {
			return false
		}
	}
	return !handsOver(c.Func, graph)
}

// graphNames are the variables with a graph that a loss is computed of, itself among them; none where it is a field, or where one of
// them comes from elsewhere.
func (p *SourcePass) graphNames(fn *project.Function, loss pysrc.Expr, before int32) map[string]bool {
	needed := namesRead(loss)
	if len(needed) != 1 || rootName(loss) == "self" {
		return nil
	}
	graph := namesRead(loss)
	var way []*pysrc.Assign
	for _, a := range slices.Backward(assignsIn(fn, before)) {
		if slices.ContainsFunc(a.Targets, func(t pysrc.Expr) bool { return storesAny(t, needed) }) {
			way = append(way, a)
			for name := range namesRead(undetached(a.Value)) {
				needed[name] = true
			}
		}
	}
	for _, a := range slices.Backward(way) {
		if !endsGraph(a.Value) && (p.mayMakeGraph(a.Value) || mentionsAny(undetached(a.Value), graph)) {
			for _, t := range a.Targets {
				for name := range namesStored(t) {
					graph[name] = true
				}
			}
		}
	}
	if len(way) == 0 || slices.ContainsFunc(slices.Collect(maps.Keys(graph)), fn.HasParameter) {
		return nil
	}
	return graph
}

// mayMakeGraph reports an expression with a call that is neither torch's own nor a method by which a batch is moved or reshaped.
func (p *SourcePass) mayMakeGraph(e pysrc.Expr) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Call); ok {
			f, method := c.Func.(*pysrc.Attribute)
			moves := method && (passesOn[f.Attr] || project.IsTensorMethod(f.Attr) || project.AnswersOnHost(f.Attr) || strings.HasSuffix(f.Attr, "_"))
			found = found || !moves && !strings.HasPrefix(p.NameOf(c.Func), "torch.") || p.isModelCall(c)
		}
		return !found
	})
	return found
}

// handsOver reports variables that a function returns, stores in a field or puts into a collection as they are.
func handsOver(fn *project.Function, names map[string]bool) bool {
	found := false
	has := func(e pysrc.Expr) bool { return e != nil && mentionsAny(undetached(e), names) }
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.Return:
			found = found || has(x.Value)
		case *pysrc.Yield:
			found = found || has(x.Value)
		case *pysrc.Assign:
			found = found || has(x.Value) && slices.ContainsFunc(x.Targets, func(t pysrc.Expr) bool { return len(namesStored(t)) == 0 })
		case *pysrc.Call:
			if name := lastName(x.Func); name == "append" || name == "extend" || name == "update" {
				found = found || slices.ContainsFunc(x.Args, has)
			}
		}
		return !found
	})
	return found
}
