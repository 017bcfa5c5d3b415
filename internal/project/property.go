package project

import "saturate/internal/pysrc"

// followPropertiesOfOthers tells of the properties that a function reads of other objects than its own: print(meter.average) computes it.
func (p *Project) followPropertiesOfOthers(e *Eval, v *visit, limit *Block, reach func(*visit)) {
	if len(p.properties) == 0 || v.fn.Def == nil && v.loop == nil {
		return
	}
	m := v.fn.Module
	var body []pysrc.Stmt
	if v.loop != nil {
		body = v.loop.Body()
	} else {
		body = v.fn.Def.Body
	}
	for _, s := range body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.FunctionDef, *pysrc.ClassDef, *pysrc.Lambda:
				return false
			case *pysrc.Attribute:
				if n.Ctx != pysrc.Load || !p.properties[n.Attr] || IsSelf(n.Value) || m.isUnreached(n.Start) || m.guardWithin(n.Start, limit).Cold() {
					return true
				}
				e.steps = mostSteps
				of := e.expr(n.Value, m.scopeAt(n))
				if of.Kind != Instance || of.Class == nil {
					return true
				}
				f := of.Class.Method(n.Attr)
				if f == nil || f == v.fn || !f.decorated("property") {
					return true
				}
				via := &Site{Node: &pysrc.Call{Span: n.Span, Func: n}, Func: v.fn, Block: m.BlockAt(n.Start), Calls: nothing}
				from := v
				if v.loop != nil {
					from = &visit{root: v.root, kind: v.kind, fn: v.fn, loop: v.loop, sure: v.sure}
				}
				reach(&visit{root: v.root, kind: v.kind, fn: f, from: from, via: via, sure: v.sure * Likely, depth: v.depth + 1, cache: v.cache})
			}
			return true
		})
	}
}
