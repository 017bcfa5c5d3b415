package rule

// clippedBetweenSteps finds gradients that are clipped more often than they are used.
var clippedBetweenSteps = Rule{
	Code: "SAT327", Name: "clipped-between-steps", Severity: Advice, Subject: AboutGradients,
	Areas: []Area{ComputeArea},
	Title: "gradients are clipped in every step, though the optimizer runs only every few steps",
	What: "clip_grad_norm_ or clip_grad_value_ in each step of a training loop whose optimizer runs behind a test such as " +
		"(step + 1) % 4 == 0.",
	Why: "Each call reads every gradient, and writes it if it clips. Between two steps of the optimizer only the last call " +
		"is needed; those before also clip a part of the sum.",
	Fine:   "A loop whose optimizer runs in every step.",
	Advice: "Clip directly before optimizer.step(), behind the same test.",
	Bad:    "loss.backward()\nclip_grad_norm_(model.parameters(), 1.0)\nif (i + 1) % 4 == 0:\n    optimizer.step()",
	Good:   "loss.backward()\nif (i + 1) % 4 == 0:\n    clip_grad_norm_(model.parameters(), 1.0)\n    optimizer.step()",
	Source: func(p *SourcePass) {
		for _, loop := range p.TrainingLoops() {
			gathers := p.gathers(loop)
			if gathers == nil {
				continue
			}
			for _, s := range loop.Func.Sites {
				if clips[lastName(s.Node.Func)] && s.Calls.Func == nil && loop.Bounds().Contains(int(s.Node.Start)) && !p.underTest(s) {
					p.Report(s.Node, likely*max(p.GPU(), perhaps)).Because(p.At(gathers, "the optimizer runs here"))
					break
				}
			}
		}
	},
}

var clips = setOfNames("clip_grad_norm_", "clip_grad_norm", "clip_grad_value_")
