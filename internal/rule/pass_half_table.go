package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// onlyOffered reports a type that stands in a dictionary of types from which the program takes another one:
// {"fp32": torch.float32, "bf16": torch.bfloat16}[cfg.dtype], where the settings say fp32.
func (p *SourcePass) onlyOffered(x pysrc.Expr) bool {
	var table *pysrc.Dict
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		d, ok := n.(*pysrc.Dict)
		if ok && slices.Contains(d.Values, x) {
			table = d
		}
		return table == nil
	})
	if table == nil {
		return false
	}
	taken := false
	for _, m := range p.Near() {
		q := p.In(m)
		q.Inspect(m.File.Module, func(n pysrc.Node) bool {
			from, value := q.takenFrom(n)
			if from == nil {
				return true
			}
			if v := q.Eval(from); v.Kind != project.Display || v.Expr != pysrc.Expr(table) {
				return true
			}
			if !fullType(value) {
				taken = false
				table = nil // what is taken may be the type in question
				return false
			}
			taken = true
			return true
		})
		if table == nil {
			return false
		}
	}
	return taken
}

// takenFrom is the dictionary of d[key] and d.get(key), and what is found there.
func (p *SourcePass) takenFrom(n pysrc.Node) (pysrc.Expr, Value) {
	switch n := n.(type) {
	case *pysrc.Subscript:
		if n.Ctx == pysrc.Load {
			return n.Value, p.Eval(n)
		}
	case *pysrc.Call:
		if method, ok := n.Func.(*pysrc.Attribute); ok && method.Attr == "get" && len(n.Args) > 0 {
			return method.Value, p.Eval(n)
		}
	}
	return nil, Value{}
}

// fullType reports a value that is known to be no narrower type: torch.float32, None, or a name that the table lacks.
func fullType(v Value) bool {
	return v.Name == "torch.float32" || v.Name == "torch.float64" || v.IsNone() || v.Missing()
}
