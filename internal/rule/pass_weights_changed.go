package rule

import "saturate/internal/pysrc"

// loopsOverGroups are the loops over the parameters of an optimizer's groups, outside classes of optimizers: for p in group["params"].
func (p *SourcePass) loopsOverGroups() (list []*pysrc.For) {
	if !p.Module.InStep() || !p.Module.Says("param_groups") {
		return nil
	}
	for _, fn := range p.Module.Functions {
		if fn.Def == nil || !fn.InStep() {
			continue
		}
		pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
			if loop, ok := n.(*pysrc.For); ok && overGroup(loop.Iter) {
				list = append(list, loop)
			}
			return true
		})
	}
	return list
}

// overGroup reports the parameters of a group: group["params"].
func overGroup(e pysrc.Expr) bool {
	of, ok := e.(*pysrc.Subscript)
	if !ok {
		return false
	}
	key, _ := pysrc.StringValue(of.Slice)
	return key == "params"
}

// changesWeights reports a loop over the weights of one model, or of an optimizer, that changes each of them: a decay that the loop takes
// itself, a limit, noise.
func (p *SourcePass) changesWeights(loop *pysrc.For) bool {
	over, ok := loop.Iter.(*pysrc.Call)
	if !overGroup(loop.Iter) && (!ok || lastName(over.Func) != "parameters" && lastName(over.Func) != "named_parameters") {
		return false
	}
	turns := namesStored(loop.Target)
	// w and w.data, but not w.grad
	isWeight := func(e pysrc.Expr) bool {
		return turns[rootName(e)] && (pysrc.DottedName(e) == rootName(e) || pysrc.DottedName(e) == rootName(e)+".data")
	}
	changes, other := false, false
	for _, s := range loop.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch x := n.(type) {
			case *pysrc.Attribute:
				other = other || x.Attr == "grad" && x.Ctx == pysrc.Load && !overGroup(loop.Iter)
			case *pysrc.Assign: // w.data = w.data.add(…)
				to, field := x.Targets[0].(*pysrc.Attribute)
				changes = changes || field && to.Attr == "data" && isWeight(to) && computesOnWeight(x.Value, isWeight)
			case *pysrc.AugAssign:
				changes = changes || isWeight(x.Target) && rootName(x.Target) != pysrc.DottedName(x.Target)
			case *pysrc.Call:
				if a, ok := x.Func.(*pysrc.Attribute); ok && isWeight(a.Value) {
					changes = changes || changesValues[a.Attr]
				}
			}
			return !other
		})
	}
	return changes && !other
}

// changesValues are methods that compute a weight anew from what it was.
var changesValues = setOfNames("mul_", "div_", "add_", "sub_", "clamp_", "clamp_min_", "clamp_max_", "clip_", "addcmul_", "lerp_", "sign_", "round_")

// computesOnWeight reports a product, sum or method of a weight.
func computesOnWeight(e pysrc.Expr, isWeight func(pysrc.Expr) bool) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.BinOp:
			found = found || isWeight(x.Left) || isWeight(x.Right)
		case *pysrc.Call:
			a, ok := x.Func.(*pysrc.Attribute)
			found = found || ok && isWeight(a.Value) && changesValues[a.Attr+"_"]
		}
		return !found
	})
	return found
}
