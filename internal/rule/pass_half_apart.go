package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// castApart reports a cast to half precision that says nothing of the model which is trained: of what only runs without
// gradients, or of weights that are stored.
func (p *SourcePass) castApart(c Call) bool {
	if p.castToStore(c) {
		return true
	}
	if model := pysrc.DottedName(c.Receiver()); model != "" && p.isModel(c.Receiver()) {
		return p.runsFrozen(model)
	}
	return !p.isModel(c.Receiver()) && p.Under(c, "torch.no_grad", "torch.inference_mode")
}

// runsFrozen reports a model that every call in this module runs without gradients, and that no optimizer gets.
func (p *SourcePass) runsFrozen(model string) bool {
	if slices.ContainsFunc(p.CallsTo("torch.optim.*"), func(c Call) bool { return mentionsDotted(c.Node, model) }) {
		return false
	}
	runs := 0
	for _, s := range p.Module.Sites {
		run := pysrc.DottedName(s.Node.Func) == model
		if f, ok := s.Node.Func.(*pysrc.Attribute); ok && !run {
			run = pysrc.DottedName(f.Value) == model && (encodes[f.Attr] || f.Attr == "generate")
		}
		if !run {
			continue
		}
		if !p.Under(s, "torch.no_grad", "torch.inference_mode") {
			return false
		}
		runs++
	}
	return runs > 0
}

// castToStore reports a cast of a copy of the weights: deepcopy(model).half(), {k: v.half() for k, v in
// model.state_dict().items()}, w.cpu().half(), w.half().cpu().
func (p *SourcePass) castToStore(c Call) bool {
	if callsWithin(c.Receiver(), "deepcopy") || callsWithin(c.Receiver(), "state_dict") || callsNamed(c.Receiver(), "cpu") || p.goesToHost(c) {
		return true
	}
	tensor, ok := c.Receiver().(*pysrc.Name)
	if !ok {
		return false
	}
	ofState := func(target, iter pysrc.Expr) bool {
		return storesName(target, tensor.ID) && callsWithin(iter, "state_dict")
	}
	if loop, ok := p.LoopAround(c).(*pysrc.For); ok && ofState(loop.Target, loop.Iter) {
		return true
	}
	found := false
	p.Inspect(p.Module.StatementAt(c.Node.Start), func(n pysrc.Node) bool {
		turn, ok := n.(*pysrc.Comprehension)
		found = found || ok && ofState(turn.Target, turn.Iter)
		return !found
	})
	return found
}

// goesToHost reports a call whose result the same expression copies to the host: w.half().cpu().
func (p *SourcePass) goesToHost(c Call) bool {
	return slices.ContainsFunc(c.Func.Sites, func(s *project.Site) bool {
		f, ok := s.Node.Func.(*pysrc.Attribute)
		return ok && f.Attr == "cpu" && f.Value == pysrc.Expr(c.Node)
	})
}

// typeToStore reports a type that a variable holds with which tensors only go to the host:
// dtype = torch.half, w.to("cpu", dtype).
func (p *SourcePass) typeToStore(x pysrc.Expr) bool {
	a, ok := p.Module.StatementAt(x.Bounds().Start).(*pysrc.Assign)
	fn := p.Function(x)
	if !ok || len(a.Targets) != 1 || fn.Def == nil {
		return false
	}
	name, ok := a.Targets[0].(*pysrc.Name)
	if !ok {
		return false
	}
	reads, stores := 0, 0
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		read, ok := n.(*pysrc.Name)
		if ok && read.ID == name.ID && read.Ctx == pysrc.Load {
			reads++
		}
		return true
	})
	for _, s := range fn.Sites {
		if s.Method() == "to" && toHost(s.Node) && slices.ContainsFunc(argumentsOf(s.Node), func(e pysrc.Expr) bool { return isNamed(e, name.ID) }) {
			stores++
		}
	}
	return stores > 0 && stores == reads
}

// typeApart reports a type that says nothing of how a model computes: it stands in code that nothing runs, it is looked up
// itself, as in {torch.float16: float}, or results that no training step computes are cast to it, of a metric for example.
func (p *SourcePass) typeApart(x pysrc.Expr) bool {
	at := x.Bounds().Start
	if p.Project.Unused(p.Module, at) {
		return true
	}
	found := false
	pysrc.InspectPath(p.Module.StatementAt(at), func(n pysrc.Node, path []pysrc.Node) bool {
		if n != pysrc.Node(x) || len(path) == 0 {
			return !found
		}
		switch outer := path[len(path)-1].(type) {
		case *pysrc.Dict:
			found = slices.Contains(outer.Keys, x)
		case *pysrc.Call:
			found = p.castsResult(outer)
		}
		return false
	})
	return found
}

// castsResult reports a cast of a variable that no training step gets to, in code which neither trains nor is a part of a model:
// features.to(torch.float16). Weights and inputs that are cast so take a model that is cast, too.
func (p *SourcePass) castsResult(cast *pysrc.Call) bool {
	f, ok := cast.Func.(*pysrc.Attribute)
	if !ok || f.Attr != "to" {
		return false
	}
	fn := p.Function(cast)
	if fn.Def == nil || p.Project.Leads(fn) || fn.Class != nil && fn.Class.Derives("torch.nn.Module") || p.isModel(f.Value) {
		return false
	}
	switch x := f.Value.(type) {
	case *pysrc.Attribute:
		if pysrc.DottedName(x) != "" {
			return false // a weight: layer.weight.data
		}
	case *pysrc.Name:
		if loop, ok := p.LoopAround(cast).(*pysrc.For); ok && storesName(loop.Target, x.ID) && p.overWeights(loop.Iter) {
			return false
		}
	}
	_, each := p.EachStep(cast)
	_, sample := p.PerSample(cast)
	return !each && !sample
}
