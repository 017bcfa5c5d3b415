package rule

import "saturate/internal/pysrc"

// penaltyByLoop finds penalties on the weights that a step adds up tensor by tensor.
var penaltyByLoop = Rule{
	Code: "SAT322", Name: "penalty-by-loop", Severity: Advice, Subject: AboutHostCode,
	Areas: []Area{HostArea, ComputeArea},
	Title: "a penalty on the weights is added up one tensor at a time in every step",
	What: "A loop or a comprehension over parameters() that adds the norm or the squares of each tensor to the loss, in every " +
		"training step.",
	Why: "Each tensor takes several small kernels in the forward pass and as many in the backward pass, launched one " +
		"by one. The optimizer adds the same gradient within its own kernels.",
	Fine: "A penalty that weight_decay cannot express, on a few tensors.",
	Advice: "Pass weight_decay to the optimizer; if only some weights are penalized, put them in their own parameter " +
		"group. For other penalties, torch._foreach_norm takes all tensors at once.",
	Bad:  "for w in model.parameters():\n    loss += 0.01 * torch.sum(w ** 2)",
	Good: "torch.optim.Adam(model.parameters(), weight_decay=0.02)",
	Source: func(p *SourcePass) {
		if !p.runsOnGPU() || p.jaxOnly() {
			return
		}
		calls := p.MethodCalls("parameters", "named_parameters")
		calls = append(calls, p.sumsOverWeights()...)
		for _, c := range calls {
			place, added := p.addsPenalty(c)
			if place == nil {
				continue
			}
			way, ok := p.EachStep(place)
			if !ok || p.pointedAt(place.Bounds()) {
				continue
			}
			r := p.Report(place, likely*way.Sure).Because(way)
			if factor, zero := p.factorOf(added); zero {
				r.Because(factor).Saying("a penalty on the weights is computed in every step, but its factor is 0").
					Advising("Compute the penalty only if its factor is not 0, or pass weight_decay to the optimizer instead.")
			}
		}
	},
}

// withArms are statements with those of their conditions: the weights of some names, the first weight.
func withArms(body []pysrc.Stmt) (list []pysrc.Stmt) {
	for _, s := range body {
		if arms, ok := s.(*pysrc.If); ok {
			list = append(list, withArms(arms.Body)...)
			list = append(list, withArms(arms.Orelse)...)
			continue
		}
		list = append(list, s)
	}
	return list
}

// addsPenalty is the loop or comprehension over parameters that adds up a norm of each, and what it adds; nil for others.
func (p *SourcePass) addsPenalty(over Call) (place Node, added pysrc.Expr) {
	stmt := p.Module.StatementAt(over.Node.Start)
	if loop, ok := stmt.(*pysrc.For); ok && loop.Iter.Bounds().Contains(int(over.Node.Start)) {
		if len(loop.Body) > 3 {
			return nil, nil
		}
		for _, s := range withArms(loop.Body) {
			if sum, ok := s.(*pysrc.AugAssign); ok && sum.Op == pysrc.Add && penalizes(sum.Value, namesStored(loop.Target)) && !namesStored(loop.Target)[rootName(sum.Target)] {
				return header(loop), sum.Value
			}
			if sum, ok := s.(*pysrc.Assign); ok && len(sum.Targets) == 1 && mentionsName(sum.Value, rootName(sum.Targets[0])) && penalizes(sum.Value, namesStored(loop.Target)) {
				return header(loop), sum.Value
			}
		}
		return nil, nil
	}
	pysrc.Inspect(stmt, func(n pysrc.Node) bool {
		sum, ok := n.(*pysrc.Call)
		if !ok || !joins[lastName(sum.Func)] || len(sum.Args) != 1 {
			return place == nil
		}
		var elt pysrc.Expr
		var of []*pysrc.Comprehension
		switch x := sum.Args[0].(type) {
		case *pysrc.GeneratorExp:
			elt, of = x.Elt, x.Generators
		case *pysrc.ListComp:
			elt, of = x.Elt, x.Generators
		}
		if len(of) == 1 && (of[0].Iter.Bounds().Contains(int(over.Node.Start)) || over.Node == sum) && penalizes(elt, namesStored(of[0].Target)) {
			place, added = sum, elt
		}
		return place == nil
	})
	return place, added
}

// sumsOverWeights are calls that join what a comprehension computes of each weight in a list: sum(w.norm() for w in weights).
func (p *SourcePass) sumsOverWeights() (list []Call) {
	for _, c := range p.CallsTo("sum", "torch.stack", "torch.cat") {
		var of []*pysrc.Comprehension
		switch x := firstArg(c.Node).(type) {
		case *pysrc.GeneratorExp:
			of = x.Generators
		case *pysrc.ListComp:
			of = x.Generators
		}
		if len(of) != 1 {
			continue
		}
		if name, ok := of[0].Iter.(*pysrc.Name); ok && p.overWeights(name) {
			list = append(list, c)
		}
	}
	return list
}

// joins are functions that make one value of what a comprehension gives.
var joins = setOfNames("sum", "stack", "cat", "hstack")

// penalizes reports the norm of a weight, or a sum of its squares or sizes: no gradient, and no number that leaves the GPU.
func penalizes(e pysrc.Expr, weights map[string]bool) bool {
	if !mentionsAny(e, weights) {
		return false
	}
	norm, other := false, false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if x, ok := n.(pysrc.Expr); ok {
			switch name := lastName(x); name {
			case "grad", "item", "numel", "nelement", "shape", "data", "detach", "size":
				other = true
			case "norm", "square", "abs", "pow", "l1_loss", "mse_loss":
				norm = true
			}
		}
		if power, ok := n.(*pysrc.BinOp); ok && power.Op == pysrc.Pow {
			norm = true
		}
		return true
	})
	return norm && !other
}

// factorOf is the factor of a product that is known to be 0, as far as constants and defaults tell.
func (p *SourcePass) factorOf(e pysrc.Expr) (Value, bool) {
	product, ok := e.(*pysrc.BinOp)
	if !ok || product.Op != pysrc.Mult {
		return Value{}, false
	}
	for _, side := range []pysrc.Expr{product.Left, product.Right} {
		v := p.Eval(side)
		if n, known := v.Float(); known && n == 0 {
			return v, true
		}
	}
	return Value{}, false
}
