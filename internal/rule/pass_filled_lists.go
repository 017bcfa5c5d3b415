package rule

import (
	"saturate/internal/pysrc"
)

// filledByNumber reports lists that nested loops fill number by number in every step and that a tensor is made of:
// for i in range(n): for j in range(n): rows.append(i). One finding for each loop.
func (p *SourcePass) filledByNumber() {
	for _, c := range p.CallsTo("torch.tensor", "torch.FloatTensor", "torch.LongTensor", "torch.IntTensor", "torch.Tensor", "torch.as_tensor") {
		name, ok := firstArg(c.Node).(*pysrc.Name)
		if !ok {
			continue
		}
		for _, s := range c.Func.Sites {
			if s.Method() != "append" || s.Node.Start > c.Node.Start || !isNamed(s.Node.Func.(*pysrc.Attribute).Value, name.ID) {
				continue
			}
			inner, ok := p.LoopAround(s).(*pysrc.For)
			if !ok || !isRange(inner.Iter) || p.isTrainingLoop(inner) {
				continue
			}
			outer, ok := p.LoopAround(inner).(*pysrc.For)
			if !ok || !isRange(outer.Iter) || p.isTrainingLoop(outer) {
				continue
			}
			if last, ok := p.LoopAround(outer).(*pysrc.For); ok && isRange(last.Iter) && !p.takesSteps(last) {
				outer = last
			}
			way, ok := p.EachStep(c)
			if !ok {
				continue
			}
			p.Report(header(outer), way.Sure*likely).Because(way, p.At(s, "one number in each iteration")).
				Saying("Python fills %s number by number in every step", name.ID).
				Advising("Make it with torch.arange, repeat_interleave, meshgrid or nonzero on the GPU; and once for each size, if nothing else decides it.")
			break
		}
	}
}
