package rule

import (
	"slices"

	"saturate/internal/project"
)

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
	Gain:     Range{1.0, 3.8, "from 32.9 to 125 items/s in milabench, at least 2× on 34 of 100 kernels; one user of sd-scripts saw 20%"},
	Bad:      "model = Net().to(\"cuda\")",
	Good:     "torch.set_float32_matmul_precision(\"high\")\nmodel = Net().to(\"cuda\")",
	Safety:   Unsafe,
	Settings: func(p *SettingsPass) { p.deniedTF32() },
	Source: func(p *SourcePass) {
		old := p.AtLeast("torch", "1.7") == project.No
		if !old && p.AtLeast("torch", "1.12") == project.No {
			return // these versions use TF32 by default
		}
		p.trainerTF32()
		p.deniedTF32()
		if !p.fullPrecision() || !p.multipliesMatrices() || p.tooSmall() {
			return // convolutions use TF32 by default
		}
		off, decided := p.tf32()
		if decided {
			return
		}
		placed := p.modelPlaced()
		if off != nil && len(p.nearDenied()) > 0 {
			return // reported where it is switched off
		}
		if placed == nil {
			call := p.modelCalled()
			if call == nil || off != nil || p.uncompilable() || p.learnsByActing() ||
				p.Function(call) == p.Module.Main && len(p.Module.ImportedBy) > 0 { // another module puts the model on the GPU, or a helper does
				return
			}
			r := p.Report(call.Func, nearlyCertain*p.GPU()).Advising("Call torch.set_float32_matmul_precision(\"high\") once, before training begins.")
			if old {
				needsTF32(r)
			}
			return
		}
		if old {
			needsTF32(p.Report(placed, likely*p.GPU()))
			return
		}
		set, imports := p.Import("torch.set_float32_matmul_precision")
		r := p.Report(placed, nearlyCertain*p.GPU())
		if off != nil { // by a switch
			r.Because(*off)
			if edit := off.SetTo("True"); edit.Path != "" {
				r.Fix(Unsafe, "allow TF32", edit)
			}
			return
		}
		r.Fix(Unsafe, "allow TF32", append(imports, p.LineBefore(placed, set+`("high")`))...)
	},
}

// needsTF32 says that the project requires a version of torch from before TF32.
func needsTF32(r *Report) {
	r.At(Advice).Saying("float32 matrix products do not use the tensor cores, and the required torch version cannot").
		Advising("First require torch 1.12 or later. Then call torch.set_float32_matmul_precision(\"high\") once, before training begins.")
}

// trainerTF32 reports trainers of Lightning that compute in float32, where nothing decides on TF32.
func (p *SourcePass) trainerTF32() {
	trainers := p.fullPrecisionTrainers()
	if len(trainers) == 0 || !p.multipliesMatrices() {
		return
	}
	if off, decided := p.tf32(); decided || off != nil || trainers[0].Arg("deterministic").IsTrue() {
		return
	}
	c := trainers[0]
	set, imports := p.Import("torch.set_float32_matmul_precision")
	p.Report(c.Callee(), likely*p.GPU()).Because(c.Arg("precision")).
		Fix(Unsafe, "allow TF32", append(imports, p.LineBefore(c.Node, set+`("high")`))...)
}

// multipliesMatrices reports whether the network near this module spends its time in matrix products. The linear layers
// of a convolutional network are its head, and what its loss multiplies is small.
func (p *SourcePass) multipliesMatrices() bool {
	if p.nearCalls("torch.nn.MultiheadAttention", "torch.nn.Transformer", "torch.nn.TransformerEncoderLayer", "torch.nn.TransformerDecoderLayer",
		"torch.nn.LSTM", "torch.nn.GRU", "torch.nn.RNN", "torch.nn.Bilinear", "transformers.*", "timm.create_model", "diffusers.*") {
		return true
	}
	if p.nearCalls(multiplyingModels...) {
		return true
	}
	convolves := p.nearCalls("torch.nn.Conv1d", "torch.nn.Conv2d", "torch.nn.Conv3d", "torchvision.models.*")
	if !convolves && p.nearCalls("torch.nn.Linear", "torch.nn.LazyLinear") {
		return true
	}
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		near := p.In(m)
		return slices.ContainsFunc(near.CallsTo("torch.nn.functional.linear", "torch.matmul", "torch.bmm", "torch.einsum"), func(c Call) bool {
			class := near.Class(c)
			if convolves && (class == nil || !class.Derives("torch.nn.Module")) {
				return false
			}
			_, hot := near.Hot(c)
			return hot // and not in what only generates
		})
	})
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
