package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// trainedPart is a model or a part of one whose weights an optimizer gets: self.head in a class, head in a function.
type trainedPart struct {
	in   any    // the *project.Class or *project.Function that the name belongs to
	name string // self.head, head, model.head
}

// untrained reports a call of a model on what training takes from its data, where every optimizer near gets the weights of
// other models only: the model stays as it is, though nothing says so.
func (p *SourcePass) untrained(s *project.Site) bool {
	name := pysrc.DottedName(s.Node.Func)
	if name == "" {
		return false
	}
	if s.Func.Class != nil && strings.HasPrefix(name, "self.") {
		if s.Func.Class.Derives("transformers.Trainer") {
			return besideTrained(s.Func.Class, name)
		}
		parts, closed := p.trainedParts()
		return closed && leavesOut(parts, s.Func.Class, name)
	}
	return p.untrainedIn(s.Func, name, 0)
}

// besideTrained reports a model of a transformers trainer besides the one that it trains: a teacher, a judge. The optimizer that
// the trainer makes gets the weights of its model only.
func besideTrained(trainer *project.Class, name string) bool {
	return name != "self.model" && name != "self.model_wrapped" && !strings.HasPrefix(name, "self.model.") && trainer.Method("create_optimizer") == nil &&
		trainer.Method("create_optimizer_and_scheduler") == nil
}

// untrainedIn is untrained for a variable of a function, or a parameter that all its callers give such a variable.
func (p *SourcePass) untrainedIn(fn *project.Function, name string, depth int) bool {
	if fn.HasParameter(name) {
		callers := p.Project.Callers(fn)
		return depth < 3 && len(callers) > 0 && !slices.ContainsFunc(callers, func(s *project.Site) bool {
			given := pysrc.DottedName(s.Given(fn, name))
			return given == "" || !p.In(s.Module()).untrainedIn(s.Func, given, depth+1)
		})
	}
	parts, closed := p.trainedParts()
	return closed && leavesOut(parts, fn, name) && !p.builtInto(fn, name, parts) && !p.madeOf(fn, name, parts)
}

// madeOf reports a variable that a function makes of a trained model: net = torch.compile(model) if compiled else model.
func (p *SourcePass) madeOf(fn *project.Function, name string, parts []trainedPart) bool {
	return slices.ContainsFunc(p.assignsOf(fn), func(a *pysrc.Assign) bool {
		return slices.ContainsFunc(a.Targets, func(t pysrc.Expr) bool { return storesName(t, name) }) &&
			slices.ContainsFunc(parts, func(part trainedPart) bool { return part.in == any(fn) && mentionsName(a.Value, part.name) })
	})
}

// leavesOut reports parts of an owner of which none is the named one, holds it or belongs to it.
func leavesOut(parts []trainedPart, owner any, name string) bool {
	known := false
	for _, part := range parts {
		if !sameOwner(part.in, owner) {
			continue
		}
		known = true
		if part.name == name || strings.HasPrefix(name, part.name+".") || strings.HasPrefix(part.name, name+".") {
			return false
		}
	}
	return known
}

// sameOwner reports one function, or a class and one that it derives from.
func sameOwner(a, b any) bool {
	if a == b {
		return true
	}
	derived, ok := a.(*project.Class)
	base, is := b.(*project.Class)
	return ok && is && derived.Derives(base.FullName())
}

// builtInto reports a variable that a function gives to what makes a trained model: Classifier(backbone).
func (p *SourcePass) builtInto(fn *project.Function, name string, parts []trainedPart) bool {
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		assign, ok := p.Module.StatementAt(s.Node.Start).(*pysrc.Assign)
		if !ok || !slices.ContainsFunc(argumentsOf(s.Node), func(e pysrc.Expr) bool { return mentions(e, name) }) {
			return false
		}
		return slices.ContainsFunc(parts, func(part trainedPart) bool {
			return part.in == any(fn) && slices.ContainsFunc(assign.Targets, func(t pysrc.Expr) bool { return storesName(t, part.name) })
		})
	})
}

// trainedWeights are the models whose weights the optimizers near a module get. They are not closed where one gets
// something that cannot be followed.
type trainedWeights struct {
	parts  []trainedPart
	closed bool
}

func (p *SourcePass) trainedParts() ([]trainedPart, bool) {
	if p.shared.trained == nil {
		parts, closed := p.findTrainedParts()
		p.shared.trained = &trainedWeights{parts, closed}
	}
	return p.shared.trained.parts, p.shared.trained.closed
}

func (p *SourcePass) findTrainedParts() (parts []trainedPart, closed bool) {
	closed = true
	for _, m := range p.Near() {
		in := p.In(m)
		for _, c := range in.CallsTo("torch.optim.*", "transformers.AdamW", "apex.optimizers.*", "bitsandbytes.optim.*") {
			if c.Calls.Kind != project.Type || strings.Contains(c.Name(), "lr_scheduler") || strings.Contains(c.Name(), "swa_utils") {
				continue
			}
			given := c.ArgumentNode("params", 0)
			if given == nil || !in.weightsIn(given, 0, func(of pysrc.Expr) { parts = append(parts, in.partsGiven(of, 0)...) }) {
				closed = false
			}
		}
	}
	return parts, closed && len(parts) > 0
}

// partsOf is the part that an expression names, as seen by its function, its class and the class of the model it belongs to.
func (p *SourcePass) partsOf(of pysrc.Expr) (parts []trainedPart) {
	name, fn := pysrc.DottedName(of), p.Function(of)
	if name == "" {
		return nil
	}
	if fn.Class != nil && (name == "self" || strings.HasPrefix(name, "self.")) {
		return []trainedPart{{fn.Class, name}}
	}
	parts = append(parts, trainedPart{fn, name})
	whole := of
	for { // model of model.encoder.head
		a, ok := whole.(*pysrc.Attribute)
		if !ok {
			break
		}
		whole = a.Value
	}
	if v := p.Eval(whole); v.Class != nil && v.Kind == project.Instance {
		parts = append(parts, trainedPart{v.Class, "self" + strings.TrimPrefix(name, pysrc.DottedName(whole))})
	}
	return parts
}

// partsGiven is partsOf, also as the callers of its function name a parameter: make_optimizer(classifier).
func (p *SourcePass) partsGiven(of pysrc.Expr, depth int) []trainedPart {
	parts, fn := p.partsOf(of), p.Function(of)
	name, ok := of.(*pysrc.Name)
	if !ok || depth > 2 || !fn.HasParameter(name.ID) {
		return parts
	}
	for _, s := range p.Project.Callers(fn) {
		if given := s.Given(fn, name.ID); given != nil && pysrc.DottedName(given) != "" {
			parts = append(parts, p.In(s.Module()).partsGiven(given, depth+1)...)
		}
	}
	return parts
}

// weightsIn visits the models whose weights an expression collects: a.parameters(), list(a.parameters()) + …, groups, chains
// and filters of them. It reports whether all of the expression was followed.
func (p *SourcePass) weightsIn(e pysrc.Expr, depth int, visit func(pysrc.Expr)) bool {
	if depth > 6 {
		return false
	}
	all := func(list []pysrc.Expr) bool {
		return !slices.ContainsFunc(list, func(x pysrc.Expr) bool { return !p.weightsIn(x, depth+1, visit) })
	}
	switch x := e.(type) {
	case *pysrc.Call:
		switch lastName(x.Func) {
		case "parameters", "named_parameters":
			f, ok := x.Func.(*pysrc.Attribute)
			if ok && pysrc.DottedName(f.Value) != "" {
				visit(f.Value)
				return true
			}
			return false
		case "list", "tuple", "chain", "from_iterable", "iter", "sum":
			return len(x.Args) > 0 && all(x.Args)
		case "filter":
			return len(x.Args) == 2 && p.weightsIn(x.Args[1], depth+1, visit)
		case "dict":
			k := x.Keyword("params")
			return k != nil && p.weightsIn(k.Value, depth+1, visit)
		}
	case *pysrc.BinOp:
		return all([]pysrc.Expr{x.Left, x.Right})
	case *pysrc.List:
		return all(x.Elts)
	case *pysrc.Tuple:
		return all(x.Elts)
	case *pysrc.Starred:
		return p.weightsIn(x.Value, depth+1, visit)
	case *pysrc.ListComp:
		return p.weightsIn(x.Generators[0].Iter, depth+1, visit)
	case *pysrc.GeneratorExp:
		return p.weightsIn(x.Generators[0].Iter, depth+1, visit)
	case *pysrc.Dict:
		for i, key := range x.Keys {
			if text, _ := pysrc.StringValue(key); key != nil && text == "params" {
				return p.weightsIn(x.Values[i], depth+1, visit)
			}
		}
	case *pysrc.Name:
		if said := p.Module.SaidOnce(x); said != nil {
			return p.weightsIn(said, depth+1, visit)
		}
	}
	return false
}
