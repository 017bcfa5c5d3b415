package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// judges reports pretrained networks that a loss goes through and that nothing trains or freezes: every backward pass computes
// the gradients of their weights.
func (p *SourcePass) judges() {
	if !p.Module.InStep() {
		return
	}
	said := map[*project.Function]bool{}
	for _, s := range p.loadedNetworks() {
		c := Call{s, p}
		if said[c.Func] || p.InLoop(c) || p.frozenWhereMade(c) {
			continue
		}
		names := p.namesOf(c)
		if len(names) == 0 {
			continue
		}
		run, way := p.runOfNames(c.Func, names)
		if run == nil {
			continue
		}
		follow := untouched{p: p, seen: map[string]bool{}}
		if !follow.from(c.Func, c.Node) {
			continue
		}
		said[c.Func] = true
		r := p.Report(c, likely*way.Sure).Because(way, p.At(run, "the loss goes through it"))
		for _, step := range follow.void {
			r.Because(step)
		}
		r.Saying("nothing trains the weights of %s, and each step computes their gradients", p.Short(c.Callee())).
			Advising("Call requires_grad_(False) on it once it is made, and run what needs no gradients, such as the target's features, under torch.no_grad().")
	}
}

// loadedNetworks are the calls that make a network with weights that were trained before: by pretrained=True, weights="DEFAULT", or
// from a file that load_state_dict gets right after, before eval().
func (p *SourcePass) loadedNetworks() (list []*project.Site) {
	for _, c := range p.CallsTo("torchvision.models.*", "timm.create_model", "torch.hub.load", "facenet_pytorch.InceptionResnetV1", "transformers.*.from_pretrained") {
		if c.Calls.Kind != project.Instance && p.wantsWeights(c) {
			list = append(list, c.Site)
		}
	}
	for _, c := range p.MethodCalls("load_state_dict") {
		name := pysrc.DottedName(c.Receiver())
		evaluated := name != "" && slices.ContainsFunc(c.Func.Sites, func(s *project.Site) bool {
			f, ok := s.Node.Func.(*pysrc.Attribute)
			return ok && f.Attr == "eval" && pysrc.DottedName(f.Value) == name
		})
		for _, s := range c.Func.Sites {
			a, ok := p.Module.StatementAt(s.Node.Start).(*pysrc.Assign)
			if evaluated && ok && s.Node.Start < c.Node.Start && pysrc.DottedName(a.Targets[0]) == name && chainStart(a.Value) == s.Node {
				list = append(list, s)
			}
		}
	}
	return list
}

// chainStart is the call that a chain of methods begins with: Network() of Network().to(device).
func chainStart(e pysrc.Expr) *pysrc.Call {
	c, ok := e.(*pysrc.Call)
	if !ok {
		return nil
	}
	if f, ok := c.Func.(*pysrc.Attribute); ok && passesOn[f.Attr] {
		return chainStart(f.Value)
	}
	return c
}

// wantsWeights reports a call that asks for weights that were trained before.
func (p *SourcePass) wantsWeights(c Call) bool {
	for _, key := range [...]string{"pretrained", "weights", "weights_backbone"} {
		if v := c.Arg(key); v.Given() && !v.IsFalse() && !v.IsNone() {
			return true
		}
	}
	return c.Method() == "from_pretrained" || c.Name() == "torch.hub.load" ||
		len(c.Node.Args) > 0 && strings.HasPrefix(c.Name(), "torchvision.") && p.Eval(c.Node.Args[0]).IsTrue()
}

// namesOf are the variables and fields that hold a network, or parts of it, in the function that makes it.
func (p *SourcePass) namesOf(c Call) map[string]bool {
	names := map[string]bool{}
	holds := func(e pysrc.Expr) bool {
		found := false
		pysrc.Inspect(e, func(n pysrc.Node) bool {
			x, ok := n.(pysrc.Expr)
			found = found || n == pysrc.Node(c.Node) || ok && names[pysrc.DottedName(x)]
			return !found
		})
		return found
	}
	add := func(e pysrc.Expr) {
		if name := pysrc.DottedName(e); name != "" {
			names[name] = true
		}
	}
	p.Inspect(p.bodyOf(c.Node), func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.Assign:
			if holds(x.Value) {
				for _, t := range x.Targets {
					add(t)
				}
			}
		case *pysrc.Call: // self.first.add_module(str(i), layers[i])
			if f, ok := x.Func.(*pysrc.Attribute); ok && (f.Attr == "add_module" || f.Attr == "append") && slices.ContainsFunc(x.Args, holds) {
				add(f.Value)
			}
		}
		return true
	})
	return names
}

// frozenWhereMade reports ….requires_grad_(False) in the statement that makes a network.
func (p *SourcePass) frozenWhereMade(c Call) bool {
	stmt := p.Module.StatementAt(c.Node.Start)
	return slices.ContainsFunc(c.Func.Sites, func(s *project.Site) bool {
		return s.Method() == "requires_grad_" && stmt != nil && stmt.Bounds().Contains(int(s.Node.Start))
	})
}

// runOfNames is a call in a step that runs what the names hold with gradients on, in the function that makes it or in another
// method of its class.
func (p *SourcePass) runOfNames(fn *project.Function, names map[string]bool) (*pysrc.Call, project.Path) {
	fns := []*project.Function{fn}
	if fn.Class != nil && fn.BaseName() == "__init__" {
		fns = nil
		for _, m := range fn.Class.Methods {
			if m != fn {
				fns = append(fns, m)
			}
		}
		slices.SortFunc(fns, func(a, b *project.Function) int { return int(a.Bounds().Start - b.Bounds().Start) })
	}
	for _, in := range fns {
		if !in.InStep() || decoratedWithoutGradients(in) {
			continue
		}
		over := loopedOver(in, names)
		for _, s := range in.Sites {
			name := pysrc.DottedName(s.Node.Func)
			if len(s.Node.Args) == 0 || !over[name] && !belongsTo(name, names) || p.withoutGradients(s) {
				continue
			}
			if way, ok := p.EachStep(s); ok && p.givesGraph(s, 0) {
				return s.Node, way
			}
		}
	}
	return nil, project.Path{}
}

// belongsTo reports one of the names, or a part of it: self.vgg.features.
func belongsTo(name string, names map[string]bool) bool {
	for have := range names {
		if rest, ok := strings.CutPrefix(name, have); ok && (rest == "" || rest[0] == '.' && !runsNothing[lastPart(rest)]) {
			return true
		}
	}
	return false
}

// runsNothing are the methods of a module that compute nothing.
var runsNothing = setOfNames("to", "cuda", "eval", "train", "load_state_dict", "state_dict", "register_buffer", "append", "add_module")

// loopedOver are the variables that go over the layers of what the names hold: for layer in self.layers.
func loopedOver(fn *project.Function, names map[string]bool) map[string]bool {
	over := map[string]bool{}
	if fn.Def == nil {
		return over
	}
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		if loop, ok := n.(*pysrc.For); ok {
			pysrc.Inspect(loop.Iter, func(n pysrc.Node) bool {
				if e, ok := n.(pysrc.Expr); ok && names[pysrc.DottedName(e)] {
					addStored(loop.Target, over)
				}
				return true
			})
		}
		return true
	})
	return over
}

// givesGraph reports a run with gradients on whose result keeps its graph in the function around it, and in one of those that lead to it.
func (p *SourcePass) givesGraph(run *project.Site, depth int) bool {
	g := graphUses{p: p, fn: run.Func, seen: map[string]bool{}}
	if p.withoutGradients(run) || decoratedWithoutGradients(run.Func) || g.endsOf(run.Node) != nil {
		return false
	}
	callers := p.Project.Callers(run.Func)
	return depth > 4 || len(callers) == 0 || slices.ContainsFunc(callers, func(s *project.Site) bool { return p.In(s.Module()).givesGraph(s, depth+1) })
}
