package rule

import (
	"slices"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// noAutocast finds training loops that compute everything in float32.
var noAutocast = Rule{
	Code: "SAT401", Name: "no-autocast", Severity: Warning, Subject: AboutPrecision,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Asks:  [][]string{{"precision=bf16"}},
	Title: "the model is trained entirely in float32",
	What: "A PyTorch training loop on a GPU that never uses autocast, half or bfloat16, directly or through " +
		"Accelerate, Lightning, DeepSpeed or Apex, or has them switched off.",
	Why: "Matrix products in bfloat16 run on tensor cores several times faster than in float32 and move half the " +
		"bytes.",
	Fine: "Losses that need float32 (keep those outside autocast). Models so small that the host is the limit.",
	Advice: "Run the forward pass and the loss under torch.autocast(\"cuda\", dtype=torch.bfloat16). The weights " +
		"stay in float32. On GPUs before Ampere, use float16 with a GradScaler.",
	Gain:   Range{1, 4.3, "up to 3× in the PyTorch tuning guide, from 32.9 to 142 items/s in milabench; small models gain nothing"},
	Bad:    "loss = criterion(model(x), y)\nloss.backward()",
	Good:   "with torch.autocast(\"cuda\", dtype=torch.bfloat16):\n    loss = criterion(model(x), y)\nloss.backward()",
	Safety: Unsafe,
	Since: []Since{{
		Library: "torch", Version: "1.6", Lacks: "has no autocast", Then: "run the forward pass and the loss under autocast",
	}},
	Source: func(p *SourcePass) {
		p.observePrecision()
		p.partlyFloat32()
		p.besideAutocast()
		if !p.fullPrecision() || p.half().governed || p.passesMessages() {
			return
		}
		for _, f := range p.ForwardPasses() {
			if p.EvaluationOnly(f.backward) {
				continue
			}
			p.Observe("precision", f.model, "float32 throughout")
			r := p.Report(f.model, f.sure*p.GPU()*nearlyCertain).beingLittle(p.fromSmall())
			if off := p.half().off; len(off) > 0 {
				p.turnOn(r, off)
				continue
			}
			if bound := p.versions().Bound("torch", "1.10"); bound != nil {
				r.Advising("Run the forward pass and the loss under torch.cuda.amp.autocast(), with a GradScaler: %s autocasts to float16.", bound)
				continue
			}
			if p.nearCalls("torch.nn.BCELoss", "torch.nn.functional.binary_cross_entropy") {
				r.Advising("BCELoss does not run under autocast: replace it with BCEWithLogitsLoss on the values before the sigmoid. Then run the forward pass under torch.autocast(\"cuda\", dtype=torch.bfloat16).")
				continue
			}
			if f.stmts != nil {
				r.Fix(Unsafe, "run the forward pass in bfloat16", p.autocastTo(f, "torch.bfloat16")...)
				if p.AtLeast("torch", "2.3") != project.No {
					r.Fix(Unsafe, "run the forward pass in float16 with a GradScaler, for GPUs before Ampere", p.scaledHalf(f)...)
				}
			}
		}
	},
}

// partlyFloat32 reports settings files that switch mixed precision off for a program which others switch it on for.
func (p *SourcePass) partlyFloat32() {
	if !p.runsOnGPU() || len(p.trainingLoopsHere()) == 0 || p.half().governed || len(p.half().partly) == 0 {
		return
	}
	for _, c := range p.trainingAutocasts() {
		off := offInSettings(c.enabled())
		if len(off) == 0 || p.EvaluationOnly(c) {
			continue
		}
		r := p.Report(c.Callee(), likely*p.GPU()).Saying("the model is trained entirely in float32 by some settings: they switch mixed precision off").
			Advising("Turn mixed precision on in them, too.")
		for _, v := range off {
			r.Because(v)
		}
		return
	}
}

// turnOn says which switches leave half precision off, and turns them on where they are values that can be edited.
func (p *SourcePass) turnOn(r *Report, off []Value) {
	r.OfSwitch().Saying("the model is trained entirely in float32: mixed precision is switched off")
	var edits []patch.Edit
	for i, v := range off {
		if i == 0 || v.Origin != off[i-1].Origin {
			r.Because(v)
		}
		if edit := v.SetTo("True"); !slices.Contains(edits, edit) {
			edits = append(edits, edit)
		}
	}
	if apex := p.half().apex; len(apex) > 0 {
		r.Because(apex[0]).Advising("Run the forward pass and the loss under torch.autocast(\"cuda\", dtype=torch.bfloat16), and drop apex.amp: its float16 needs a loss scale, and it is no longer maintained.")
		return
	}
	if v := off[0]; v.Origin.How == project.ByOption && v.Origin.Span.Start == v.Origin.Span.End {
		r.Advising("Start it with the option that turns mixed precision on.")
		return
	}
	r.Advising("Turn mixed precision on where it is switched off.")
	if slices.ContainsFunc(off, isComparison) {
		return // what is compared decides
	}
	if p.half().scaled || allBfloat16(p.half().casts) || len(edits) == 1 { // float16 needs its scaler turned on with it
		r.Fix(Unsafe, "turn mixed precision on", edits...)
	}
}

func isComparison(v Value) bool {
	_, is := v.Expr.(*pysrc.Compare)
	return is
}

func allBfloat16(casts []Call) bool {
	return len(casts) > 0 && !slices.ContainsFunc(casts, func(c Call) bool { return autocastType(c) != "bfloat16" })
}
