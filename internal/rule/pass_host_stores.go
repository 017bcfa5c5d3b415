package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// hostPartsStored reports parts of GPU tensors that every step sets to a tensor of the host, which is copied first:
// gain[2:6] = torch.tensor(x.shape), mask[rows] = torch.ones(n).
func (p *SourcePass) hostPartsStored() {
	said := map[*project.Function]*Report{}
	for _, part := range p.StepSubscripts() {
		if part.Ctx != pysrc.Store {
			continue
		}
		assign, ok := p.Module.StatementAt(part.Start).(*pysrc.Assign)
		if !ok || len(assign.Targets) != 1 || assign.Targets[0] != pysrc.Expr(part) {
			continue
		}
		made := p.tensorOfHost(assign.Value)
		if made == nil || p.OnDevice(part.Value) < likely {
			continue
		}
		way, ok := p.EachStep(part)
		if !ok || p.createsOnGPU(way) {
			continue
		}
		few := p.besideWaits(made)
		if r := said[p.Function(part)]; r != nil {
			r.Too(p.At(made, "and here")).also(few)
			continue
		}
		said[p.Function(part)] = p.Report(made, way.Sure*p.OnDevice(part.Value)).Because(way).
			Saying("%s is created on the host and copied into %s in every step", p.Short(made), p.Short(part.Value)).
			Advising("Make it with device=, or set the part to numbers that Python knows: gain[2] = width.").
			Beside(few)
	}
}

// tensorOfHost is the call that makes the tensor which an expression is, perhaps a part of it or in another shape, where the
// host makes it of numbers; nil for anything else, also for a single number, which travels with the kernel.
func (p *SourcePass) tensorOfHost(e pysrc.Expr) *pysrc.Call {
	for {
		switch x := e.(type) {
		case *pysrc.Subscript:
			e = x.Value
			continue
		case *pysrc.Call:
			if method, ok := x.Func.(*pysrc.Attribute); ok && reshapes[method.Attr] {
				e = method.Value
				continue
			}
			name := p.NameOf(x.Func)
			if x.Keyword("device") != nil || len(x.Args) == 0 {
				return nil
			}
			if name == "torch.tensor" && (p.isNumber(x.Args[0]) || shapeOf(x.Args[0]) == nil && !isNumberList(x.Args[0])) {
				return nil
			}
			if name == "torch.tensor" || p.makesTensor(x) {
				return x
			}
		}
		return nil
	}
}
