package project

import (
	"maps"
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// mostHelping is how many calls may lie between a function that evaluates and what only helps it.
const mostHelping = 4

// findEvaluating finds the functions that look at what a model does and learn nothing from it: they switch it to evaluation and
// run it, or run it in a loop without gradients, and get to no training step. What only they call evaluates, too.
func (p *Project) findEvaluating() {
	p.evaluating, p.evaluators = map[*Function]bool{}, map[*Class]bool{}
	learns := p.learning()
	for _, m := range p.Modules {
		for _, f := range m.Functions {
			if f.Def != nil && !learns[f] && !f.isAskedByLibrary() && !f.updates() && (p.runsSwitched(f) || p.runsWithoutGradients(f)) {
				p.evaluating[f] = true
			}
		}
	}
	for range mostHelping {
		var more []*Function
		for f := range maps.Clone(p.evaluating) { // what runs a closure that evaluates
			if up := f.Outer; up != nil && up.Def != nil && !learns[up] && !up.updates() {
				p.evaluating[up] = true
			}
		}
		for _, m := range p.Modules {
			for _, f := range m.Functions {
				users := f.callers()
				if f.Def != nil && len(users) > 0 && !p.evaluating[f] && !learns[f] && len(users) <= mostCallers && (f.Class == nil || p.methods[f.Def.Name] == f && !commonMethods[f.Def.Name]) &&
					!slices.ContainsFunc(users, func(s *Site) bool { return s.Func != f && !p.evaluates(s.Func) }) {
					more = append(more, f)
				}
			}
		}
		p.findEvaluators()
		for _, f := range more {
			p.evaluating[f] = true
		}
	}
}

// findEvaluators finds the classes of which only functions that evaluate make objects.
func (p *Project) findEvaluators() {
	for _, m := range p.Modules {
		for _, c := range m.Classes {
			init := c.Methods["__init__"]
			if users := init.callers(); init != nil && len(users) > 0 && !c.Derives("torch.nn.Module") &&
				!slices.ContainsFunc(users, func(s *Site) bool { return s.Calls.Kind != Type || !p.evaluates(s.Func) }) {
				p.evaluators[c] = true
			}
		}
	}
}

// asksOf are functions that ask something of a model and do not run it.
var asksOf = setOf("isinstance", "hasattr", "getattr", "setattr", "len", "print", "type", "id", "copy.deepcopy", "deepcopy")

// evaluates reports a function that evaluates, or one inside of such a function.
func (p *Project) evaluates(f *Function) bool {
	for ; f != nil; f = f.Outer {
		if p.evaluating[f] || f.Class != nil && p.evaluators[f.Class] {
			return true
		}
	}
	return false
}

// learning are the functions from which calls lead to a training step or start a trainer.
func (p *Project) learning() map[*Function]bool {
	learns := map[*Function]bool{}
	var queue []*Function
	add := func(f *Function) {
		for ; f != nil && !learns[f]; f = f.Outer {
			learns[f] = true
			queue = append(queue, f)
			if f.Def == nil && f.Lambda == nil {
				break
			}
		}
	}
	for _, m := range p.Modules {
		for _, s := range m.Sites {
			if isStep(s) || s.startsTrainer() {
				add(s.Func)
			}
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, s := range queue[0].callers() {
			add(s.Func)
		}
	}
	return learns
}

// updates reports a function that changes weights itself, wherever the gradients come from.
func (f *Function) updates() bool {
	return slices.ContainsFunc(f.Sites, func(s *Site) bool {
		switch s.Method() {
		case "zero_grad", "backward":
			return true
		case "step":
			return len(s.Node.Args) == 0
		}
		return false
	})
}

// isAskedByLibrary reports a method of a model that torch calls, in training too.
func (f *Function) isAskedByLibrary() bool {
	return f.Def.Name == "__init__" || f.Class != nil && (f.Def.Name == "forward" || f.Def.Name == "__call__") && f.Class.Derives("torch.nn.Module")
}

// runsSwitched reports a function that switches a model to evaluation and runs it then, and does not switch it to training before.
func (p *Project) runsSwitched(f *Function) bool {
	for _, s := range f.Sites {
		switch s.Method() {
		case "train":
			if len(s.Node.Args) == 0 {
				return false
			}
		case "eval":
			model := pysrc.DottedName(s.Node.Func.(*pysrc.Attribute).Value)
			if len(s.Node.Args) > 0 || model == "" || !mayBeModule(s.Calls) {
				continue
			}
			if slices.ContainsFunc(f.Sites, func(after *Site) bool {
				return after.Node.Start > s.Node.End && runsNamed(after, model) && p.repeats(after)
			}) {
				return true
			}
		}
	}
	return false
}

// repeats reports a call in a loop, or one whose function is called in loops.
func (p *Project) repeats(s *Site) bool {
	looped := func(s *Site) (found bool) {
		s.Module().Around(s.Node.Start, func(owner pysrc.Node) bool {
			switch owner.(type) {
			case *pysrc.For, *pysrc.While, *pysrc.ListComp, *pysrc.SetComp, *pysrc.DictComp, *pysrc.GeneratorExp:
				found = true
			}
			return !found
		})
		return found
	}
	return looped(s) || len(s.Func.callers()) > 0 && !slices.ContainsFunc(s.Func.callers(), func(user *Site) bool { return !looped(user) })
}

// mayBeModule reports a method of a torch module, or of something unknown.
func mayBeModule(method *Value) bool {
	return method.Kind == Unknown || method.Func != nil || method.Self != nil || strings.HasPrefix(method.Name, "torch.") || method.Class != nil
}

// runsNamed reports a call of what has a name, of a method of it that computes, or of what is given it.
func runsNamed(s *Site, model string) bool {
	called := pysrc.DottedName(s.Node.Func)
	if called == model {
		return true
	}
	if method, of := strings.CutPrefix(called, model+"."); of {
		return !tensorMethods[method] && !modelMethods[method] && !weightsOf[method] && !movesModel[method] && method != "load_state_dict"
	}
	return !wrapsModel[called] && !asksOf[called] && s.Calls.Kind != Type && slices.ContainsFunc(s.Node.Args, func(x pysrc.Expr) bool { return pysrc.DottedName(x) == model })
}

// runsWithoutGradients reports a function that runs a model in a loop without gradients.
func (p *Project) runsWithoutGradients(f *Function) bool {
	return slices.ContainsFunc(f.Sites, func(s *Site) bool {
		if !overItems(s.Module().LoopAround(s)) {
			return false
		}
		if f := s.Calls.Func; f != nil && f.Def != nil && f.givesNoGraph() {
			return true
		}
		return (s.Calls.IsInstance("torch.nn.Module") || p.UsedAsModel(s.Module(), s.Node.Func)) && s.Module().withoutGradients(s.Node.Start)
	})
}

// givesNoGraph reports a function all of whose results are computed under no_grad, though not all of it is.
func (f *Function) givesNoGraph() bool {
	return len(f.returns) > 0 && !slices.ContainsFunc(f.returns, func(r pysrc.Expr) bool {
		_, calls := r.(*pysrc.Call)
		return !calls || !f.Module.withoutGradients(r.Bounds().Start)
	})
}

// overItems reports a loop over what holds items, and not over numbers.
func overItems(loop pysrc.Stmt) bool {
	over, ok := loop.(*pysrc.For)
	if !ok {
		return false
	}
	c, called := over.Iter.(*pysrc.Call)
	return !called || lastName(c.Func) != "range"
}
