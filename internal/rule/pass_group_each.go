package rule

import "saturate/internal/pysrc"

// groupsOfOne reports optimizers that get a group for each parameter: they take one group at a time, so that neither foreach
// nor fused has more than one tensor to update at once.
func (p *SourcePass) groupsOfOne() {
	for _, c := range p.MethodCalls("parameters", "named_parameters") {
		var within pysrc.Node = p.Module.StatementAt(c.Node.Start)
		var names map[string]bool
		if loop, ok := within.(*pysrc.For); ok {
			if !loop.Iter.Bounds().Contains(int(c.Node.Start)) {
				continue
			}
			names = targetsOf(loop)
		} else if comp := comprehensionOver(within, c.Node); comp != nil {
			within, names = comp, storedIn(comp)
		} else {
			continue
		}
		if group := groupOfOne(within, names); group != nil && !p.EvaluationOnly(c) && p.Rare(c) == nil {
			r := p.Report(group, likely*p.GPU()).Saying("each parameter is a group of its own, so that the optimizer updates one tensor at a time").
				Advising("Collect the parameters with the same options in one group: one list for those that decay, one for the others.")
			for _, o := range p.optimizers() {
				if o.Func == c.Func {
					r.Because(p.At(o.Callee(), "the optimizer that gets them"))
				}
			}
		}
	}
}

// comprehensionOver is the list that a statement makes by going over what a call gives; nil where there is none.
func comprehensionOver(statement pysrc.Node, call *pysrc.Call) (found *pysrc.ListComp) {
	pysrc.Inspect(statement, func(n pysrc.Node) bool {
		if comp, ok := n.(*pysrc.ListComp); ok && len(comp.Generators) == 1 && comp.Generators[0].Iter.Bounds().Contains(int(call.Start)) {
			found = comp
		}
		return found == nil
	})
	return found
}

// groupOfOne is {"params": [p], …} for a p among the names, nil where there is none.
func groupOfOne(within pysrc.Node, names map[string]bool) (found *pysrc.Dict) {
	pysrc.Inspect(within, func(n pysrc.Node) bool {
		group, ok := n.(*pysrc.Dict)
		if !ok || found != nil {
			return found == nil
		}
		for i, key := range group.Keys {
			if text, _ := pysrc.StringValue(key); key == nil || text != "params" {
				continue
			}
			list, several := group.Values[i].(*pysrc.List)
			if several && len(list.Elts) != 1 {
				continue
			}
			one := group.Values[i]
			if several {
				one = list.Elts[0]
			}
			if name, ok := one.(*pysrc.Name); ok && names[name.ID] {
				found = group
			}
		}
		return found == nil
	})
	return found
}
