package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// fp16WithoutScaler finds float16 training whose small gradients become zero.
var fp16WithoutScaler = Rule{
	Code: "SAT403", Name: "fp16-without-scaler", Severity: Error, Subject: AboutPrecision,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Title: "float16 gradients are not scaled",
	What:  "A training step under float16 autocast (the default of autocast on a GPU) without a GradScaler nearby.",
	Why: "Gradients below 6e-8 become zero in float16. A GradScaler scales the loss to keep them; bfloat16 has " +
		"the range of float32 and needs none.",
	Fine:   "Accelerate, Lightning, DeepSpeed and the transformers Trainer, which scale the loss themselves.",
	Advice: "Use dtype=torch.bfloat16, or torch.amp.GradScaler on GPUs without bfloat16.",
	Bad:    "with torch.autocast(\"cuda\"):\n    loss = model(x)\nloss.backward()",
	Good:   "with torch.autocast(\"cuda\", dtype=torch.bfloat16):\n    loss = model(x)\nloss.backward()",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		for _, c := range p.trainingAutocasts() {
			dtype := c.Arg("dtype")
			if autocastType(c) != "float16" || p.Under(c, "torch.no_grad", "torch.inference_mode") ||
				p.half().scaled || p.half().governed || p.NearSays("loss_scale") {
				continue
			}
			way, _ := p.EachStep(c)
			if slices.ContainsFunc(way.Steps(), func(s *project.Site) bool { return p.In(s.Module()).scalesLoss(s) }) {
				continue
			}
			bfloat16, imports := p.Import("torch.bfloat16")
			p.Report(c.Callee(), nearlyCertain*way.Sure).Because(way, dtype).
				Fix(Unsafe, "compute in bfloat16", append(imports, dtype.SetTo(bfloat16))...)
		}
	},
}

// scalesLoss reports a backward of what a scaler gives, wherever that was made: scaler.scale(loss).backward(). One that is made to be
// off gives the loss as it is.
func (p *SourcePass) scalesLoss(backward *project.Site) bool {
	of, ok := backward.Node.Func.(*pysrc.Attribute)
	if !ok {
		return false
	}
	scaled, ok := p.onceSaid(of.Value).(*pysrc.Call)
	if !ok || len(scaled.Args) != 1 {
		return false
	}
	scale, ok := scaled.Func.(*pysrc.Attribute)
	if !ok || scale.Attr != "scale" {
		return false
	}
	scaler := p.Eval(scale.Value)
	if made := scaler.Made; made != nil && scaler.IsInstance("torch.amp.GradScaler") {
		return !(Call{made, p.In(made.Module())}).enabled().IsFalse()
	}
	return !scaler.IsNone()
}
