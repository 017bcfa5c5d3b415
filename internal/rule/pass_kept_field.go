package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// keptInFields reports losses that a step adds, with their graph, to a list of its object: self.losses.append(loss) in
// a training_step that returns the loss, or in a function that differentiates it.
func (p *SourcePass) keptInFields() {
	for _, c := range p.MethodCalls("append") {
		field := project.FieldOfSelf(c.Receiver())
		class := p.Class(c)
		if len(c.Node.Args) != 1 || field == "" || class == nil || c.Func.Def == nil || p.withoutGradients(c) {
			continue
		}
		loss, ok := c.Node.Args[0].(*pysrc.Name)
		if !ok || !p.isLossOf(loss, c.Func) || !listOf(class, field) || emptied(c.Func, field) {
			continue
		}
		if way, ok := p.EachStep(c); ok {
			p.Report(p.Module.StatementAt(c.Node.Start), way.Sure*nearlyCertain).Because(way).
				Fix(Safe, "detach the loss from its graph", p.InsertAfter(loss, ".detach()"))
		}
	}
}

// isLossOf reports a variable that a function differentiates, or that a trainer's hook returns for it to differentiate;
// as it was computed, and not detached.
func (p *SourcePass) isLossOf(loss *pysrc.Name, fn *project.Function) bool {
	said := p.Module.SaidLast(loss)
	if said == nil || callsNamed(said, "detach") || callsNamed(said, "item") || callsNamed(said, "float") {
		return false
	}
	if slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		return s.Method() == "backward" && mentions(s.Node, loss.ID) && s.Node.Keyword("retain_graph") == nil
	}) {
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
