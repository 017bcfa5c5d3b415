package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// storesOnHost reports parts of a tensor of the host that a step sets to values of the GPU: boxes[i] = encode(…). Each
// assignment copies, and the host waits for it.
func (p *SourcePass) storesOnHost() {
	if !p.runsOnGPU() || p.jaxOnly() {
		return
	}
	said := map[*project.Function]*Report{}
	for _, set := range p.Module.Assignments {
		part, ok := set.Target.(*pysrc.Subscript)
		if !ok || !p.mayStep(part) {
			continue
		}
		if _, plain := part.Value.(*pysrc.Name); !plain {
			continue
		}
		a, ok := p.Module.StatementAt(part.Start).(*pysrc.Assign)
		if !ok || len(a.Targets) != 1 || a.Targets[0] != set.Target {
			continue
		}
		way, ok := p.EachStep(part)
		if !ok || p.createsOnGPU(way) {
			continue
		}
		made := p.hostTensorOf(part.Value)
		if made == nil || p.OnDevice(a.Value) < likely {
			continue
		}
		if r := said[p.Function(part)]; r != nil {
			r.Too(p.At(part, "and here"))
			continue
		}
		said[p.Function(part)] = p.Report(part, likely*way.Sure).Because(way, *made).
			Saying("%s is on the host, so that each assignment copies a GPU tensor and waits", p.Short(part.Value)).
			Advising("Create it on the GPU, with device= of the tensor that it is filled from.")
	}
}

// createsOnGPU reports a program that has tensors created on the GPU where nothing says where.
func (p *SourcePass) createsOnGPU(way project.Path) bool {
	const device, kind = "set_default_device", "set_default_tensor_type"
	return p.NearSays(device, kind) || way.Root != nil && way.Root.Module != p.Module && p.In(way.Root.Module).NearSays(device, kind)
}

// createdOnGPU reports a tensor that torch makes there for that reason; arrays of NumPy are not.
func (p *SourcePass) createdOnGPU(e pysrc.Expr, way project.Path) bool {
	made, ok := e.(*pysrc.Call)
	if !ok {
		return false
	}
	name := p.NameOf(made.Func)
	return strings.HasPrefix(name, "torch.") && name != "torch.from_numpy" && p.createsOnGPU(way)
}

// hostTensorOf is the place where a variable, or what all callers give for a parameter, is created as a tensor of the
// host; nil when it is not.
func (p *SourcePass) hostTensorOf(e pysrc.Expr) *project.Step {
	name, ok := e.(*pysrc.Name)
	if !ok {
		return nil
	}
	if values := p.Module.SaidEither(name); len(values) > 0 {
		return p.freshOnHost(values)
	}
	fn := p.Function(name)
	if !fn.HasParameter(name.ID) {
		return nil
	}
	var made *project.Step
	for _, s := range p.Project.Givers(fn) {
		given, ok := s.Given(fn, name.ID).(*pysrc.Name)
		if !ok {
			return nil
		}
		in := p.In(s.Module())
		if made = in.freshOnHost(in.Module.SaidEither(given)); made == nil {
			return nil
		}
	}
	return made
}

// freshOnHost is the place of a call that makes a tensor of given sizes on the host, if each of the values is one.
func (p *SourcePass) freshOnHost(values []pysrc.Expr) *project.Step {
	var step *project.Step
	for _, v := range values {
		c, ok := v.(*pysrc.Call)
		if !ok || !p.makesTensor(c) || c.Keyword("device") != nil {
			return nil
		}
		at := p.At(c, "created on the host")
		step = &at
	}
	return step
}
