package rule

import (
	"iter"
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// keptInFields reports losses that a step adds, with their graph, to a list of its object: self.losses.append(loss) in
// a training_step that returns the loss, or in a function that differentiates it.
func (p *SourcePass) keptInFields() {
	for _, c := range p.MethodCalls("append", "extend") {
		if !p.mayStep(c) {
			continue
		}
		k, ok := keepingOf(p.Module.StatementAt(c.Node.Start))
		class := p.Class(c)
		if !ok || class == nil || c.Func.Def == nil || p.withoutGradients(c) {
			continue
		}
		field := fieldKept(k.into)
		if field == "" || !listOf(class, field) || emptied(c.Func, field) {
			continue
		}
		at := slices.IndexFunc(k.values, func(e pysrc.Expr) bool { return p.isLossOf(e, c.Func) })
		if at < 0 {
			continue
		}
		if way, ok := p.EachStep(c); ok {
			p.Report(k.statement, way.Sure*nearlyCertain).Because(way).
				Fix(Safe, "detach the loss from its graph", p.InsertAfter(k.values[at], ".detach()"))
		}
	}
}

// fieldKept is the field of an object that holds a list, or lists under keys: losses of self.losses["train"].
func fieldKept(into pysrc.Expr) string {
	if part, ok := into.(*pysrc.Subscript); ok {
		into = part.Value
	}
	return project.FieldOfSelf(into)
}

// keptByHelpers reports losses that a step hands, with their graph, to a function that keeps what it is given:
// meter.update(loss) with self.sum += value.
func (p *SourcePass) keptByHelpers() {
	for _, s := range p.Module.Sites {
		fn := s.Calls.Func
		if fn == nil || fn.Def == nil || s.Calls.Kind != project.Callable || !fn.Method() || !p.mayStep(s) || p.withoutGradients(s) {
			continue
		}
		for name, value := range givenTo(s, fn) {
			if !p.isLossOf(value, s.Func) {
				continue
			}
			at := p.keptBy(fn, name)
			if at == nil {
				continue
			}
			if way, ok := p.EachStep(s); ok {
				p.Report(s, way.Sure*likely).Because(way, p.In(fn.Module).At(at, "it is kept here")).
					Fix(Safe, "detach the loss from its graph", p.InsertAfter(value, ".detach()"))
			}
			break
		}
	}
}

// givenTo goes over the arguments of a call under the names of the parameters that get them.
func givenTo(s *project.Site, fn *project.Function) iter.Seq2[string, pysrc.Expr] {
	return func(yield func(string, pysrc.Expr) bool) {
		for _, a := range fn.Def.Args.All() {
			if e := s.Given(fn, a.Name); e != nil && !yield(a.Name, e) {
				return
			}
		}
		if rest := fn.Def.Args.Kwarg; rest != nil {
			for _, k := range s.Node.Keywords {
				if k.Name != "" && !fn.HasParameter(k.Name) && !yield(rest.Name, k.Value) {
					return
				}
			}
		}
	}
}

// isLossOf reports a value with the graph of a step: a variable that a function differentiates, or that a trainer's hook
// returns for it to differentiate, as it was computed; and what that function computes with its model before it goes back.
func (p *SourcePass) isLossOf(value pysrc.Expr, fn *project.Function) bool {
	loss, ok := value.(*pysrc.Name)
	if !ok {
		return !keepsGraphs(fn) && slices.ContainsFunc(fn.Sites, goesBack) && p.hasGraph(value, 0)
	}
	said := p.Module.SaidLast(loss)
	if said == nil || callsNamed(said, "detach") || callsNamed(said, "item") || callsNamed(said, "float") {
		return false
	}
	if slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		return goesBack(s) && mentions(s.Node, loss.ID) && s.Node.Keyword("retain_graph") == nil
	}) {
		return true
	}
	if !keepsGraphs(fn) && slices.ContainsFunc(fn.Sites, goesBack) && p.hasGraph(loss, 0) {
		return true
	}
	hook := fn.BaseName() == "training_step" && fn.Class.Derives("lightning.pytorch.LightningModule") ||
		fn.BaseName() == "compute_loss" && fn.Class.Derives("transformers.Trainer")
	return hook && slices.ContainsFunc(fn.Returns(), func(r pysrc.Expr) bool { return mentions(r, loss.ID) })
}

// listOf reports a field that another method of the class sets to an empty list or deque.
func listOf(class *project.Class, field string) bool {
	found := false
	for _, fn := range class.Methods {
		if fn.Def == nil {
			continue
		}
		pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
			a, ok := n.(*pysrc.Assign)
			if !ok || len(a.Targets) != 1 || pysrc.DottedName(a.Targets[0]) != "self."+field {
				return true
			}
			switch v := a.Value.(type) {
			case *pysrc.List:
				found = found || len(v.Elts) == 0
			case *pysrc.Call:
				found = found || lastName(v.Func) == "list" || lastName(v.Func) == "deque"
			}
			return true
		})
	}
	return found
}

// emptied reports a function that itself empties a list of its object, or computes with it: several losses of one step.
func emptied(fn *project.Function, field string) bool {
	uses := 0
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Attribute); ok && pysrc.DottedName(a) == "self."+field {
			uses++
		}
		return true
	})
	return uses > 1
}
