package rule

import (
	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// autocastTo gives the edits that put a forward pass under autocast to a type.
func (p *SourcePass) autocastTo(f forwardPass, name string) []patch.Edit {
	autocast, imports := p.Import("torch.autocast")
	dtype, more := p.Import(name)
	edits := p.under("with "+autocast+`("cuda", dtype=`+dtype+"):", f.stmts)
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

// enteredEachStep reports a context that a variable holds and that every step enters: with context.
func (p *SourcePass) enteredEachStep(c Call) bool {
	name := p.variableOf(c)
	found := false
	if name == "" {
		return false
	}
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		with, ok := n.(*pysrc.With)
		if !ok || found {
			return !found
		}
		for _, item := range with.Items {
			if pysrc.DottedName(item.Context) == name {
				_, each := p.EachStep(item.Context)
				found = found || each
			}
		}
		return !found
	})
	return found
}
