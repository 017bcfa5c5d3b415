package rule

import (
	"cmp"
	"slices"
)

// leftAtDefault is why TF32 that nothing switches off is not said by itself.
const leftAtDefault = "nothing switches it off, and half precision, which the program does without, gains more"

// tf32Off finds float32 training that leaves the tensor cores unused.
var tf32Off = Rule{
	Code: "SAT404", Name: "tf32-off", Severity: Warning, Subject: AboutPrecision, General: true,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Asks:     [][]string{{"precision=tf32"}},
	Argument: &Argument{Flag: "--tf32", Value: "True", Title: "TF32 in the trainer"},
	Title:    "float32 matrix products do not use the tensor cores",
	What: "float32 training on a GPU where nothing nearby sets the precision of matrix products " +
		"(set_float32_matmul_precision, allow_tf32, fp32_precision), or something switches TF32 off, for matrix products or " +
		"convolutions: a flag of torch, tf32=False in transformers, NVIDIA_TF32_OVERRIDE=0.",
	Why: "Since torch 1.12, matrix products use full float32 by default. TF32 rounds their inputs to 10 bits of " +
		"mantissa and runs them on tensor cores.",
	Fine: "Solvers and geometry that need float32. GPUs before Ampere. Training entirely in bfloat16. " +
		"Convolutions use TF32 by default.",
	Gain:   Range{1.0, 3.8, "from 32.9 to 125 items/s in milabench, at least 2× on 34 of 100 kernels; one user of sd-scripts saw 20%"},
	Bad:    "model = Net().to(\"cuda\")",
	Good:   "torch.set_float32_matmul_precision(\"high\")\nmodel = Net().to(\"cuda\")",
	Safety: Unsafe,
	Since: []Since{
		{Library: "torch", Version: "1.7", Lacks: "cannot use them", Then: "set torch.backends.cuda.matmul.allow_tf32 = True"},
		{Library: "torch", Version: "1.12"}, // it is on by default
	},
	Settings: func(p *SettingsPass) { p.deniedTF32() },
	Source: func(p *SourcePass) {
		p.trainerTF32()
		p.deniedTF32()
		if !p.fullPrecision() || !p.multiplies() {
			return // convolutions use TF32 by default
		}
		off, decided := p.tf32()
		if decided || off != nil && len(p.nearDenied()) > 0 {
			return // reported where it is switched off
		}
		little := p.littleInTF32()
		if off == nil {
			little = cmp.Or(little, leftAtDefault)
		}
		placed := p.modelPlaced()
		if placed == nil { // by another module, or a helper
			passes := p.ForwardPasses()
			i := slices.IndexFunc(passes, func(f forwardPass) bool { return !p.EvaluationOnly(f.backward) })
			if i >= 0 && off == nil {
				p.Report(passes[i].model, passes[i].sure*nearlyCertain*p.GPU()).beingLittle(little).
					Advising("Call torch.set_float32_matmul_precision(\"high\") once, before training begins.").afterUpgrade(p)
			}
			return
		}
		r := p.Report(placed, nearlyCertain*p.GPU()).beingLittle(little)
		if off != nil { // by a switch
			r.Because(*off)
			if edit := off.SetTo("True"); edit.Path != "" {
				r.Fix(Unsafe, "allow TF32", edit)
			}
			return
		}
		set, imports := p.Import("torch.set_float32_matmul_precision")
		r.Fix(Unsafe, "allow TF32", append(imports, p.LineBefore(placed, set+`("high")`))...).afterUpgrade(p)
	},
}

// afterUpgrade says of a program for a torch that uses TF32 by default, 1.7 to 1.11, that newer ones do not: those that know newer GPUs.
func (r *Report) afterUpgrade(p *SourcePass) *Report {
	old := p.versions().Bound("torch", "1.12")
	if old == nil || p.versions().Bound("torch", "1.7") != nil {
		return r
	}
	r.finding.Fixes = nil
	return r.AnyVersion().Saying("%s uses TF32 for matrix products, and newer versions do not", old).
		Advising("With torch 1.12 or later, call torch.set_float32_matmul_precision(\"high\") once, before training begins.").
		Small("it costs once torch is upgraded, as newer GPUs require")
}

// trainerTF32 reports trainers of Lightning that compute in float32, where nothing decides on TF32.
func (p *SourcePass) trainerTF32() {
	trainers := p.fullPrecisionTrainers()
	for _, c := range p.CallsTo("lightning.pytorch.Trainer.from_argparse_args") {
		if p.leavesPrecision(c) {
			trainers = append(trainers, c)
		}
	}
	if len(trainers) == 0 || !p.multiplies() {
		return
	}
	if off, decided := p.tf32(); decided || off != nil || trainers[0].Arg("deterministic").IsTrue() {
		return
	}
	c := trainers[0]
	set, imports := p.Import("torch.set_float32_matmul_precision")
	p.Report(c.Callee(), likely*p.GPU()).beingLittle(cmp.Or(p.littleInTF32(), leftAtDefault)).Because(c.Arg("precision")).
		Fix(Unsafe, "allow TF32", append(imports, p.LineBefore(c.Node, set+`("high")`))...).afterUpgrade(p)
}

// tf32 reports whether code near this module decides on TF32: turns it on, asks for determinism, or leaves it to what is
// not known. Where a switch leaves it off, that is off.
func (p *SourcePass) tf32() (off *Value, decided bool) {
	for _, m := range p.Near() {
		q := p.In(m)
		if len(q.CallsTo("torch.use_deterministic_algorithms")) > 0 {
			return nil, true
		}
		for _, c := range q.CallsTo("torch.set_float32_matmul_precision") {
			if by, never := q.neverTaken(c); never {
				off = &by
			} else if level := c.ArgAt(0); level.Equals("highest") {
				off = &level
			} else {
				return nil, true
			}
		}
		for _, f := range q.flags(matrixPrecision...) {
			if !f.value.IsFalse() && !f.value.Equals("ieee") {
				return nil, true
			}
			off = &f.value
		}
	}
	return off, false
}

// multiplyingModels are the models of torchvision that spend their time in matrix products.
var multiplyingModels = []string{
	"torchvision.models.vit_b_16", "torchvision.models.vit_b_32", "torchvision.models.vit_l_16", "torchvision.models.vit_l_32",
	"torchvision.models.vit_h_14", "torchvision.models.swin_t", "torchvision.models.swin_s", "torchvision.models.swin_b",
	"torchvision.models.swin_v2_t", "torchvision.models.swin_v2_s", "torchvision.models.swin_v2_b", "torchvision.models.maxvit_t",
	"torchvision.models.convnext_tiny", "torchvision.models.convnext_small", "torchvision.models.convnext_base", "torchvision.models.convnext_large",
}
