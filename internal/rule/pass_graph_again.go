package rule

import (
	"slices"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// keptGraphs reports backward passes that keep their graph for a reason that has a cheaper answer.
func (p *SourcePass) keptGraphs(c Call, way project.Path) {
	keep := c.Node.Keyword("retain_graph")
	passes := passesOf(c.Func)
	at := slices.Index(passes, c.Site)
	switch {
	case at < 0:
	case p.carriesGraph(c):
		if p.backwards() == 1 && !callsNamedIn(c.Func, "detach", "detach_", "repackage_hidden", "data") {
			p.Report(c, likely*way.Sure).Because(way).
				Saying("each backward pass goes through all steps before it: the state that one step hands to the next is not detached").
				Advising("Detach the state after each step, and remove retain_graph=True.")
		}
	case at == len(passes)-1 && at > 0 && p.LoopAround(c) == p.LoopAround(passes[at-1]):
		p.Report(c, probable*way.Sure).Because(way).Saying("the graph is kept after the last backward pass of the step").
			Fix(Unsafe, "free the graph", removeKeyword(p, c, keep)...)
	case at < len(passes)-1 && p.sameGradients(c.Site, passes[at+1]):
		p.Report(c, probable*way.Sure).Because(way, p.At(passes[at+1], "the next backward pass")).
			Saying("two backward passes go through one graph").
			Advising("Add the losses and go back once: the gradients are the same.")
	case at < len(passes)-1:
		if other := p.madeByOther(c, passes[at+1]); other != nil {
			p.Report(c, probable*way.Sure).Because(way, p.At(other, "this model is not trained by this loss")).
				Saying("the backward pass goes through %s too, whose gradients are thrown away", p.Short(other.Func)).
				Advising("Give this loss a detached value, and remove retain_graph=True.")
			return
		}
		fallthrough
	default:
		if p.graphDies(c, passes[at+1:]) {
			p.Report(c, probable*way.Sure).Because(way).Saying("the graph is kept after a backward pass, and nothing goes through it again").
				Fix(Unsafe, "free the graph", removeKeyword(p, c, keep)...)
		}
	}
}

// passesOf are the backward passes of a function, in the order of the source.
func passesOf(fn *project.Function) (list []*project.Site) {
	for _, s := range fn.Sites {
		if goesBack(s) {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *project.Site) int { return int(a.Node.Start - b.Node.Start) })
	return list
}

func removeKeyword(p *SourcePass, c Call, keep *pysrc.Keyword) []patch.Edit {
	if keep == nil || len(c.Node.Keywords) != 1 || len(c.Node.Args) != 0 {
		return nil
	}
	return []patch.Edit{p.Replace(keep, "")}
}

// callsNamedIn reports a function that calls one of the methods or functions, or reads an attribute of the name.
func callsNamedIn(fn *project.Function, names ...string) bool {
	found := false
	if fn.Def == nil {
		return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool { return slices.Contains(names, lastName(s.Node.Func)) })
	}
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		if e, ok := n.(pysrc.Expr); ok && slices.Contains(names, lastName(e)) {
			found = true
		}
		return !found
	})
	return found
}

// sameGradients reports two backward passes of one block between which nothing asks for gradients: they only add up.
func (p *SourcePass) sameGradients(first, second *project.Site) bool {
	if first.Block != second.Block || first.Method() != second.Method() {
		return false
	}
	between := false
	for _, s := range p.Module.StatementsAfter(first.Node.Start) {
		if s.Bounds().Start > second.Node.Start {
			break
		}
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch x := n.(type) {
			case *pysrc.Attribute:
				switch x.Attr {
				case "grad", "step", "zero_grad", "unscale_", "zero_", "named_parameters", "parameters":
					between = true
				}
			case *pysrc.For, *pysrc.While, *pysrc.If:
				between = true
			}
			return !between
		})
	}
	return !between
}

// madeByOther is the call of a model in what a loss was computed of, where the optimizer that steps next does not have that
// model's weights: a discriminator's loss that goes back through the generator. The value must be needed again afterwards.
func (p *SourcePass) madeByOther(c Call, next *project.Site) *pysrc.Call {
	var stepped []string
	for _, s := range c.Func.Sites {
		if s.Method() == "step" && s.Node.Start > c.Node.Start && s.Node.Start < next.Node.Start {
			stepped = append(stepped, pysrc.DottedName(s.Node.Func.(*pysrc.Attribute).Value))
		}
	}
	if len(stepped) != 1 || c.Func.Def == nil {
		return nil
	}
	weights := p.weightsOf(stepped[0])
	if weights == "" {
		return nil
	}
	needed := namesRead(c.Node)
	var found *pysrc.Call
	for _, a := range slices.Backward(assignsIn(c.Func, c.Node.Start)) {
		if !slices.ContainsFunc(a.Targets, func(t pysrc.Expr) bool { return storesAny(t, needed) }) {
			continue
		}
		made, ok := a.Value.(*pysrc.Call)
		if ok && (p.isModelCall(made) || p.isModel(made.Func)) && !p.withoutGradients(made) && len(a.Targets) == 1 {
			name := pysrc.DottedName(a.Targets[0])
			model := pysrc.DottedName(made.Func)
			if name != "" && model != "" && !strings.Contains(weights, model+".") && p.readAfter(c.Func, name, next) {
				found = made
			}
		}
		for name := range namesRead(undetached(a.Value)) {
			needed[name] = true
		}
	}
	return found
}

// weightsOf is the source of what an optimizer is given, or nothing.
func (p *SourcePass) weightsOf(optimizer string) string {
	found := ""
	for _, c := range p.optimizers() {
		if stmt, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign); ok && len(stmt.Targets) == 1 &&
			pysrc.DottedName(stmt.Targets[0]) == optimizer && len(c.Node.Args) > 0 {
			found = p.Text(c.Node.Args[0])
		}
	}
	return found
}

// readAfter reports a variable that a function reads after the first backward pass, before the next one.
func (p *SourcePass) readAfter(fn *project.Function, name string, next *project.Site) bool {
	needed := namesRead(next.Node)
	for _, a := range slices.Backward(assignsIn(fn, next.Node.Start)) {
		if slices.ContainsFunc(a.Targets, func(t pysrc.Expr) bool { return storesAny(t, needed) }) {
			for read := range namesRead(a.Value) {
				needed[read] = true
			}
		}
	}
	return needed[name]
}

// assignsIn are the assignments of a function before an offset.
func assignsIn(fn *project.Function, before int32) (list []*pysrc.Assign) {
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Assign); ok && a.End <= before {
			list = append(list, a)
		}
		return true
	})
	return list
}

// undetached is an expression without what it detaches.
func undetached(e pysrc.Expr) pysrc.Expr {
	if endsGraph(e) {
		return &pysrc.Constant{}
	}
	if c, ok := e.(*pysrc.Call); ok {
		list := &pysrc.List{}
		for _, arg := range c.Args {
			list.Elts = append(list.Elts, undetached(arg))
		}
		if a, ok := c.Func.(*pysrc.Attribute); ok {
			list.Elts = append(list.Elts, undetached(a.Value))
		}
		return list
	}
	if b, ok := e.(*pysrc.BinOp); ok {
		return &pysrc.List{Elts: []pysrc.Expr{undetached(b.Left), undetached(b.Right)}}
	}
	return e
}
