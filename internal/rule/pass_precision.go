package rule

import (
	"slices"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// autocastTo gives the edits that put a forward pass under autocast to a type.
func (p *SourcePass) autocastTo(f forwardPass, name string) []patch.Edit {
	autocast, imports := p.Import("torch.autocast")
	dtype, more := p.Import(name)
	with := "with " + autocast + `("cuda", dtype=` + dtype + "):"
	edits := p.under(with, f.stmts)
	for _, beside := range p.float32Beside(f) {
		edits = append(edits, p.under(with, []pysrc.Stmt{beside})...)
	}
	if len(imports) > 0 {
		more = nil // the same import serves both
	}
	return append(append(edits, imports...), more...)
}

// trainingAutocasts returns the autocasts that run in every training step and are not switched off.
func (p *SourcePass) trainingAutocasts() []Call {
	var list []Call
	for _, c := range p.CallsTo("torch.amp.autocast") {
		if len(c.Calls.Either) > 0 || c.Calls.Made != nil {
			continue // a function of the project chooses among several
		}
		device, named := c.Arg("device_type").Str()
		if named && device != "cuda" || c.enabled().IsFalse() {
			continue
		}
		if way, ok := p.EachStep(c); ok && way.Kind != project.Forward || p.enteredEachStep(c) {
			list = append(list, c)
		}
	}
	return list
}

// enteredEachStep reports a context that every step enters where it has been made before: with context.
func (p *SourcePass) enteredEachStep(c Call) bool {
	found := false
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		with, ok := n.(*pysrc.With)
		if !ok || found {
			return !found
		}
		for _, item := range with.Items {
			if c.Node.Span.Contains(int(item.Context.Bounds().Start)) || !madeBy(p.Eval(item.Context), c.Site) {
				continue
			}
			_, each := p.EachStep(item.Context)
			found = found || each
		}
		return !found
	})
	return found
}

// madeBy reports an object that a call made, or may have.
func madeBy(v Value, made *project.Site) bool {
	return v.Made == made || slices.ContainsFunc(v.Either, func(one Value) bool { return madeBy(one, made) })
}
