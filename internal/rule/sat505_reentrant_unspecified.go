package rule

// reentrantUnspecified finds checkpoints that leave their kind to a default that is going away.
var reentrantUnspecified = Rule{
	Code: "SAT505", Name: "reentrant-unspecified", Severity: Advice, Subject: AboutMemory,
	Areas: []Area{ComputeArea},
	Title: "checkpoint uses its old reentrant form",
	What:  "torch.utils.checkpoint.checkpoint without use_reentrant.",
	Why: "The reentrant form recomputes the whole segment even if the backward pass needs a part of it, runs " +
		"autograd inside autograd, and does not work with the static graph of DDP.",
	Fine:   "Code that relies on the reentrant form. Pass use_reentrant=True there.",
	Bad:    "checkpoint(block, x)",
	Good:   "checkpoint(block, x, use_reentrant=False)",
	Safety: Unsafe,
	Since:  []Since{{Library: "torch", Version: "1.11"}},
	Source: func(p *SourcePass) {
		for _, c := range p.CallsTo("torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential") {
			if reentrant := c.Arg("use_reentrant"); reentrant.Missing() && !p.EvaluationOnly(c) {
				p.Report(c.Callee(), nearlyCertain).Small("both forms compute the same; what the other one saves is rarely seen").
					Fix(Unsafe, "use the non-reentrant form", reentrant.SetTo("False"))
			}
		}
	},
}
