package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// attentionWeightsUnused finds nn.MultiheadAttention that computes weights nobody reads.
var attentionWeightsUnused = Rule{
	Code: "SAT417", Name: "attention-weights-unused", Severity: Warning, Subject: AboutAttention,
	Areas: []Area{ComputeArea},
	Title: "attention computes weights that nothing reads",
	What: "A call of nn.MultiheadAttention without need_weights=False whose second result is unused, in training. Also one that " +
		"functions hand on to callers which leave it unread.",
	Why: "With need_weights (the default) the layer computes, normalizes and averages the L×L weights in " +
		"memory. Without it, it uses scaled_dot_product_attention.",
	Fine:   "The weights are read.",
	Bad:    "out, _ = self.attention(x, x, x)",
	Good:   "out, _ = self.attention(x, x, x, need_weights=False)",
	Safety: Unsafe,
	Since: []Since{{
		Library: "torch", Version: "2.0", Lacks: "computes them in any case", Then: "pass need_weights=False",
	}},
	Source: func(p *SourcePass) {
		said := map[*project.Function]*Report{}
		var left []Call
		for _, s := range p.Module.Sites {
			if s.Calls.Kind != project.Instance || !s.Calls.IsInstance("torch.nn.MultiheadAttention") || s.Calls.Class != nil {
				continue
			}
			call := Call{s, p}
			need := call.Arg("need_weights")
			if !need.Missing() || len(s.Node.Args) > 4 || !p.firstOnly(s.Node) {
				continue
			}
			way, ok := p.EachStep(call)
			if g := p.Rare(call); !ok && g != nil && g.Kind == project.Off {
				left = append(left, call)
			}
			if ok {
				said[s.Func] = p.Report(call.Callee(), way.Sure).Because(way).Fix(Unsafe, "do not compute the weights", need.SetTo("False"))
			}
		}
		for _, call := range left { // a branch that is switched off now, beside one that is not
			if r := said[call.Func]; r != nil {
				r.Too(p.At(call.Callee(), "so does this branch, which is switched off"))
			}
		}
	},
}

// firstOnly reports a call of whose two results only the first is used: x, _ = f(…), f(…)[0].
func (p *SourcePass) firstOnly(c *pysrc.Call) bool {
	stmt := p.Module.StatementAt(c.Start)
	if s, ok := stmt.(*pysrc.Assign); ok && s.Value == pysrc.Expr(c) && len(s.Targets) == 1 {
		t, ok := s.Targets[0].(*pysrc.Tuple)
		if !ok || len(t.Elts) != 2 {
			return false
		}
		name, ok := t.Elts[1].(*pysrc.Name)
		return ok && p.unread(name, 0)
	}
	first := false
	p.Inspect(stmt, func(n pysrc.Node) bool {
		if s, ok := n.(*pysrc.Subscript); ok && s.Value == pysrc.Expr(c) {
			i, isInt := pysrc.IntValue(s.Slice)
			first = isInt && i == 0
		}
		return !first
	})
	return first
}

// reads reports a variable that its function reads anywhere.
func (p *SourcePass) reads(name *pysrc.Name) bool {
	fn := p.Function(name)
	if fn.Def == nil {
		return true
	}
	found := false
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		if id, ok := n.(*pysrc.Name); ok && id.ID == name.ID && id.Ctx == pysrc.Load {
			found = true
		}
		return !found
	})
	return found
}
