package rule

import "saturate/internal/project"

// tf32Off finds float32 training that leaves the tensor cores unused.
var tf32Off = Rule{
	Code: "SAT404", Name: "tf32-off", Severity: Warning, Subject: AboutPrecision,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Title: "float32 matrix products do not use the tensor cores",
	What: "float32 training on a GPU where nothing nearby sets the precision of matrix products " +
		"(set_float32_matmul_precision, allow_tf32, fp32_precision).",
	Why: "Since torch 1.12, matrix products use full float32 by default. TF32 rounds their inputs to 10 bits of " +
		"mantissa and runs them on tensor cores.",
	Fine: "Solvers and geometry that need float32. GPUs before Ampere. Training entirely in bfloat16. " +
		"Convolutions use TF32 by default.",
	Gain:   Range{1.0, 3.8, "32.9 to 125 items/s in milabench, at least 2× on 34 of 100 kernels; one user of sd-scripts saw 20%"},
	Bad:    "model = Net().to(\"cuda\")",
	Good:   "torch.set_float32_matmul_precision(\"high\")\nmodel = Net().to(\"cuda\")",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		if p.AtLeast("torch", "1.12") == project.No || !p.fullPrecision() ||
			p.NearSays("float32_matmul_precision", "allow_tf32", "fp32_precision", "tf32", "use_deterministic_algorithms") ||
			!p.NearSays("Linear(", "MultiheadAttention", "Transformer", "transformers", "LSTM(", "GRU(") {
			return // convolutions use TF32 by default
		}
		placed := p.modelPlaced()
		if placed == nil {
			return
		}
		set, imports := p.Import("torch.set_float32_matmul_precision")
		p.Report(placed, nearlyCertain*p.GPU()).
			Fix(Unsafe, "allow TF32", append(imports, p.LineBefore(placed, set+`("high")`))...)
	},
}
