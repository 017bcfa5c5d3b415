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

// fullPrecision tells whether this module trains with PyTorch on a GPU and
// nothing near it, nor a settings file, speaks of another precision than float32.
func (p *SourcePass) fullPrecision() bool {
	if !p.runsOnGPU() || p.jaxOnly() || len(p.trainingLoopsHere()) == 0 || p.NearSays(precisionWords...) {
		return false
	}
	for _, s := range p.Project.Settings {
		if len(s.Find(".fp16", ".bf16", ".precision", ".mixed_precision", ".use_amp", ".amp", ".fp16_run", ".half")) > 0 &&
			s.Role != project.Test {
			return false
		}
	}
	for _, l := range p.trainingLoopsHere() {
		if optimizes(l.Module) || optimizes(p.Module) {
			return true
		}
	}
	return false
}

// precisionWords are what code says that has thought of precision.
var precisionWords = []string{
	"autocast", "torch.bfloat16", "torch.float16", "torch.half", ".half(", ".bfloat16(", ".double(", "torch.float64",
	"torch.double", "fp16", "bf16",
	"mixed_precision", "GradScaler", "Accelerator", "deepspeed", "DeepSpeed", "apex", "set_default_dtype",
	"LightningModule", "Fabric(", "precision=",
	"use_amp", "cuda.amp", "torch.amp", "args.amp", "config.amp", "speechbrain", "fastai",
}

// trainingAutocasts returns the autocasts that run in every training step and are not switched off.
func (p *SourcePass) trainingAutocasts() []Call {
	var list []Call
	for _, c := range p.CallsTo("torch.amp.autocast") {
		if len(c.Calls.Either) > 0 || c.Calls.Made != nil {
			continue // a function of the project chooses among several
		}
		device, named := c.Arg("device_type").Str()
		if named && device != "cuda" || c.Arg("enabled").IsFalse() || c.ArgAt(0).IsFalse() { // torch.cuda.amp.autocast(False)
			continue
		}
		if way, ok := p.EachStep(c); ok && way.Kind != project.Forward {
			list = append(list, c)
		}
	}
	return list
}
