package rule

import (
	"saturate/internal/patch"
	"saturate/internal/project"
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
		if way, ok := p.EachStep(c); ok && way.Kind != project.Forward {
			list = append(list, c)
		}
	}
	return list
}
