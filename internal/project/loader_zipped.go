package project

import "saturate/internal/pysrc"

// goneOver are the values that a loop goes over: one, or all that zip takes from in turn. There are none for a range.
func (m *Module) goneOver(x pysrc.Expr) []pysrc.Expr {
	if over := m.iteratedBehind(x); over != nil {
		return []pysrc.Expr{over}
	}
	c, ok := x.(*pysrc.Call)
	for ok && lastName(c.Func) != "zip" && len(c.Args) > 0 {
		c, ok = c.Args[0].(*pysrc.Call) // enumerate(zip(a, b))
	}
	if !ok {
		return nil
	}
	var list []pysrc.Expr
	for _, a := range c.Args {
		if over := m.iteratedBehind(a); over != nil {
			list = append(list, over)
		}
	}
	return list
}

// useMade notes the use of the loaders that a generator makes itself and hands the batches of on: those who take from it
// take from them.
func (p *Project) useMade(v Value, use Use) {
	if v.Kind != Instance || v.Func == nil || !v.Func.IsGenerator() {
		return
	}
	for _, s := range v.Func.Sites {
		if s.Calls.IsClass("torch.utils.data.DataLoader") {
			p.uses.made[s] |= use
		}
	}
}
