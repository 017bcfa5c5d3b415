package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// deepestOrigin is how many variables, parameters and operations a tensor is followed through to where it was made.
const deepestOrigin = 8

// keptOnHost reports a tensor of the host that a step reads but did not make, and what is taken of it: a variable of the
// module, one from before the loop, a parameter that gets one.
func (p *SourcePass) keptOnHost(e pysrc.Expr, depth int) bool {
	if depth > deepestOrigin {
		return false
	}
	switch x := e.(type) {
	case *pysrc.Subscript:
		return p.keptOnHost(x.Value, depth+1)
	case *pysrc.Attribute:
		return p.heldOnHost(x, depth)
	case *pysrc.Call:
		a, ok := x.Func.(*pysrc.Attribute)
		return ok && reshapes[a.Attr] && p.keptOnHost(a.Value, depth+1)
	case *pysrc.Name:
		if value := p.madeBeforeSteps(x); value != nil {
			return p.filledOnHost(value, depth+1)
		}
		return p.givenFromHost(x, depth)
	}
	return false
}

// madeBeforeSteps is what a variable was set to once, outside the training loop around it; nil for anything else.
func (p *SourcePass) madeBeforeSteps(name *pysrc.Name) pysrc.Expr {
	if value := p.Module.SaidOutside(name); value != nil {
		return value
	}
	value := p.Module.SaidOnce(name)
	loop := p.LoopAround(name)
	if value == nil || loop == nil || loop.Bounds().Contains(int(value.Bounds().Start)) {
		return nil
	}
	return value
}

// givenFromHost reports a parameter for which the training step passes a tensor that the host keeps.
func (p *SourcePass) givenFromHost(name *pysrc.Name, depth int) bool {
	fn := p.Function(name)
	if fn.Def == nil || !fn.HasParameter(name.ID) || storesName(fn.Def, name.ID) {
		return false
	}
	site, given := p.Project.StepGives(p.Module, name)
	if given == nil || p.In(site.Module()).LoopAround(site) == nil {
		return false
	}
	return p.In(site.Module()).keptOnHost(given, depth+1)
}

// keptCopies reports tensors that stay on the host though every step copies them, or a part of them, to the GPU: one
// finding for each function.
func (p *SourcePass) keptCopies() {
	said := map[*project.Function]*Report{}
	for _, c := range p.MethodCalls("to", "cuda") {
		if _, hot := p.Hot(c); !hot {
			continue
		}
		if p.createsOnGPU(project.Path{}) {
			return
		}
		device, _ := targetDevice(c.Node)
		from := c.Receiver()
		if c.Method() == "to" && !p.anyDevice(device) || p.OnDevice(from) >= likely || p.isModel(from) ||
			p.heldOnHost(from, 0) || p.madeOnHost(from) != nil || !p.keptOnHost(from, 0) {
			continue
		}
		way, ok := p.EachStep(c)
		if !ok || p.keptOnTheWay(way, c) || p.rebinds(c) {
			continue
		}
		few := p.besideWaits(from)
		if r := said[c.Func]; r != nil {
			r.Too(p.At(c, "and here")).also(few)
			continue
		}
		said[c.Func] = p.Report(c, way.Sure*likely).Because(way).
			Saying("%s stays on the host and is copied in every step", p.Short(from)).
			Advising("Move the tensor to the GPU once, before the loop: with .to(device), or as a buffer of the module. If it does not " +
				"fit there, pin it and copy with non_blocking=True.").
			Beside(few)
	}
}

// rebinds reports table = table.to(device), which moves it once.
func (p *SourcePass) rebinds(c Call) bool {
	a, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign)
	return ok && len(a.Targets) == 1 && a.Value == pysrc.Expr(c.Node) && pysrc.DottedName(a.Targets[0]) != "" &&
		pysrc.DottedName(a.Targets[0]) == pysrc.DottedName(c.Receiver())
}
