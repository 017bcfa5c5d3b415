package rule

import "saturate/internal/project"

// foreachDisabled finds optimizers that are told to take one tensor at a time.
var foreachDisabled = Rule{
	Code: "SAT407", Name: "foreach-disabled", Severity: Warning, Subject: AboutOptimizer,
	Areas: []Area{OptimizerArea}, NeedsGPU: true,
	Title: "the optimizer updates one tensor at a time",
	What:  "foreach=False passed to an optimizer of torch or to clip_grad_norm_, on a GPU, without fused=True.",
	Why: "Each tensor then has its own kernels: a step launches thousands of small ones, and the GPU waits for " +
		"the host.",
	Fine:   "Too little memory for the temporary copies of foreach (about the size of the parameters).",
	Bad:    "torch.optim.AdamW(model.parameters(), foreach=False)",
	Good:   "torch.optim.AdamW(model.parameters())",
	Safety: Safe,
	Source: func(p *SourcePass) {
		for _, c := range append(p.Constructions("torch.optim.Optimizer"), p.CallsTo("torch.nn.utils.clip_grad_norm_")...) {
			foreach := c.Arg("foreach")
			if !foreach.IsFalse() || c.Arg("fused").IsTrue() || !p.runsOnGPU() || p.EvaluationOnly(c) {
				continue
			}
			r := p.Report(c.Callee(), foreach.Confidence()*p.GPU()).Because(foreach)
			if foreach.Origin.How == project.InPlace {
				r.Fix(Safe, "use the default of torch", foreach.SetTo("None"))
			} else {
				r.Fix(Safe, "update all tensors together", foreach.SetTo("True"))
			}
		}
	},
}
