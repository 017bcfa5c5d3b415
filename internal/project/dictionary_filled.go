package project

import "saturate/internal/pysrc"

// filledWith visits what a module puts under keys into a dictionary that starts empty: models = {}; models["unet"] = UNet. Where
// it is not known which key is asked for, each of these classes and functions is possible.
func (e *Eval) filledWith(v Value, visit func(x pysrc.Expr, sc *Scope)) {
	d, ok := v.Expr.(*pysrc.Dict)
	if !ok || len(d.Keys) > 0 || v.Kind != Display || v.more == nil {
		return
	}
	for _, h := range v.more.holdings {
		b, m := h.variable, h.variable.Scope.Module
		for i := range m.changes[b.Name] {
			c := &m.changes[b.Name][i]
			sc := m.blocks[c.block].Scope
			if holder, _ := sc.find(b.Name); holder == b.Scope && c.key != nil && c.value != nil && !m.exclusive(c.block, b.Block) {
				visit(c.value, sc)
			}
		}
	}
}
