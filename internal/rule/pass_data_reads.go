package rule

import (
	"saturate/internal/pysrc"
)

// dataReads reports loss.data[0], by which programs for torch before 0.4 read a loss or a part of it in every step.
func (p *SourcePass) dataReads() {
	losses := map[pysrc.Stmt]map[string]bool{}
	said := map[pysrc.Stmt]*Report{}
	for _, s := range p.StepSubscripts() {
		data, ok := s.Value.(*pysrc.Attribute)
		if !ok || s.Ctx != pysrc.Load || data.Attr != "data" || !isZero(s.Slice) {
			continue
		}
		name, ok := data.Value.(*pysrc.Name)
		loop := p.LoopAround(s)
		if !ok || loop == nil {
			continue
		}
		if losses[loop] == nil {
			losses[loop] = p.lossesOf(loop)
		}
		way, each := p.EachStep(s)
		if !losses[loop][name.ID] || !each {
			continue
		}
		if r := said[loop]; r != nil {
			r.Too(p.At(s, "and here"))
			continue
		}
		said[loop] = p.Report(s, likely*way.Sure).Because(way).Saying("%s waits for the GPU in every step", p.Short(s))
	}
}

// lossesOf are the variables of a loop that are differentiated, and those that are added up to one.
func (p *SourcePass) lossesOf(loop pysrc.Stmt) map[string]bool {
	names := map[string]bool{}
	var add func(e pysrc.Expr, depth int)
	add = func(e pysrc.Expr, depth int) {
		switch x := e.(type) {
		case *pysrc.BinOp:
			add(x.Left, depth)
			add(x.Right, depth)
		case *pysrc.Name:
			if names[x.ID] || depth > 3 {
				return
			}
			names[x.ID] = true
			if value := p.Module.SaidLast(x); value != nil {
				add(value, depth+1)
			}
		}
	}
	for _, c := range p.MethodCalls("backward") {
		if loop.Bounds().Contains(int(c.Node.Start)) {
			add(c.Receiver(), 0)
		}
	}
	return names
}
