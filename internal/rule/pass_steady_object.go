package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// steadyObjects reports objects of a library that a step builds from values that never change: a spectrogram, a metric, a
// loss with weights of its own. A torch.nn loss without tensors costs next to nothing.
func (p *SourcePass) steadyObjects() {
	if !p.runsOnGPU() || p.jaxOnly() {
		return
	}
	said := map[*project.Function]*Report{}
	for _, s := range p.Module.Sites {
		if !p.mayStep(s) || !p.isObject(s) || !p.isHot(s) || p.eval.Steady(p.Module, s.Node) != project.Always {
			continue
		}
		c := Call{s, p}
		way, ok := p.EachStep(c)
		if !ok || s.Func.BaseName() == "__init__" || cached(s.Func) || p.keptOnTheWay(way, c) || p.reportsIn(s.Node.Span) {
			continue
		}
		if of := said[s.Func]; of != nil {
			of.Too(p.At(c, "and here"))
			continue
		}
		r := p.Report(c, likely*way.Sure).Because(way).Saying("%s is built in every step but never changes", p.Short(s.Node.Func)).
			Advising("Build it once, in __init__ or before the loop.")
		if said[s.Func] = r; strings.HasPrefix(s.Calls.Name, "torch.") {
			r.Beside(1) // given weights, mostly one for each class
		}
	}
}

// isObject reports the construction of an object that computes: one that is called or moved to a device, or a class of
// torch that is given tensors.
func (p *SourcePass) isObject(s *project.Site) bool {
	if s.Calls.Class != nil || s.Calls.Func != nil || !strings.Contains(s.Calls.Name, ".") {
		return false
	}
	switch library, _, _ := strings.Cut(s.Calls.Name, "."); library {
	case "flax", "haiku", "equinox": // what a compact module makes, it makes where JAX traces it
		return false
	case "joblib": // its workers stay
		return false
	}
	last := s.Calls.Name[strings.LastIndexByte(s.Calls.Name, '.')+1:]
	if last[0] < 'A' || last[0] > 'Z' || strings.HasSuffix(last, "Tensor") {
		return false
	}
	if strings.HasPrefix(s.Calls.Name, "torch.nn.") || strings.HasPrefix(s.Calls.Name, "torch.distributions.") {
		return p.givenTable(s.Node)
	}
	if strings.HasPrefix(s.Calls.Name, "torch.") {
		return false
	}
	return p.movedAtOnce(Call{s, p}) != nil || p.calledHere(s)
}

// givenTable reports a construction that is given a tensor which is filled for it: weight=torch.tensor([1.0, 2.0]).
func (p *SourcePass) givenTable(c *pysrc.Call) bool {
	made := false
	for _, a := range argumentsOf(c) {
		pysrc.Inspect(a, func(n pysrc.Node) bool {
			if call, ok := n.(*pysrc.Call); ok {
				name, torch := strings.CutPrefix(p.NameOf(call.Func), "torch.")
				made = made || torch && (creators[name] || name == "tensor")
			}
			return !made
		})
	}
	return made
}

// calledHere reports an object that its function calls: X(…)(x), and f(x) after f = X(…).
func (p *SourcePass) calledHere(s *project.Site) bool {
	name := p.targetName(Call{s, p}, "")
	for _, other := range s.Func.Sites {
		if other.Node.Func == pysrc.Expr(s.Node) || name != "" && isNamed(other.Node.Func, name) {
			return true
		}
	}
	return false
}
