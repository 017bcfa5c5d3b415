package rule

import (
	"slices"

	"saturate/internal/patch"
	"saturate/internal/project"
)

// unfusedOptimizer finds optimizers that launch more kernels than they need.
var unfusedOptimizer = Rule{
	Code: "SAT406", Name: "unfused-optimizer", Severity: Advice, Subject: AboutOptimizer, General: true,
	Areas: []Area{OptimizerArea},
	Asks:  [][]string{{"optimizer=fused"}}, Choice: OptimizerChoice,
	Title: "the optimizer is not fused",
	What: "torch.optim.Adam, AdamW or SGD on a GPU without fused=True. The old AdamW from transformers. " +
		"An optimizer of the project's own that updates one parameter after the other in Python. " +
		"optim=\"adamw_torch\" or \"adamw_hf\" in transformers.",
	Why: "A fused step updates all parameters in a few kernels instead of a dozen passes over memory.",
	Fine: "Parameters on the CPU or sharded as DTensor. Sparse gradients. Gradient clipping by Lightning with " +
		"float16. torch before 2.0; for SGD, before 2.3.",
	Gain:   Range{1.016, 1.12, "1.6 to 3.6% in torchtitan; 12% for Apex's fused AdamW in transformers (2021)"},
	Bad:    "optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)",
	Good:   "optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)",
	Safety: Unsafe,
	Since: []Since{{
		Library: "torch", Version: "2.0", Lacks: "updates one parameter at a time", Then: "pass fused=True",
	}},
	Source: func(p *SourcePass) {
		p.observeOptimizer()
		p.ownOptimizers()
		if !p.runsOnGPU() {
			return
		}
		for _, args := range p.HFArguments() {
			if optim := args.Arg("optim"); (optim.Equals("adamw_hf") || optim.Equals("adamw_torch")) &&
				!bringsOptimizer(p.Project, args.Arg("deepspeed")) {
				r := p.Report(args.Callee(), optim.Confidence()*p.GPU()).Because(optim).
					Saying("transformers is told to use an optimizer that is not fused")
				if hfFuses(p.versions(), !off(args.Arg("fp16"))) {
					r.Fix(Unsafe, "fuse the optimizer", optim.SetTo(`"adamw_torch_fused"`))
				} else {
					r.Advising(hfFusesLater)
				}
			}
		}
		for _, c := range p.CallsTo("transformers.AdamW", "transformers.optimization.AdamW") {
			if !p.EvaluationOnly(c) {
				p.Report(c.Callee(), p.GPU()).At(Warning).AnyVersion().
					Saying("transformers' AdamW updates one parameter at a time in Python").
					Advising("Use torch.optim.AdamW with fused=True; transformers 5 no longer has its own AdamW.")
			}
		}
		for _, c := range p.CallsTo("transformers.Adafactor", "transformers.optimization.Adafactor") {
			if !p.EvaluationOnly(c) && (p.trained() || startsTraining(p.Module)) {
				p.Report(c.Callee(), p.GPU()).At(Warning).AnyVersion().
					Saying("transformers' Adafactor updates one parameter at a time in Python").
					Advising("If memory allows, use torch.optim.AdamW with fused=True. Otherwise torch.optim.Adafactor (torch 2.5) updates all parameters together.")
			}
		}
		if p.sharded() || p.nearCalls("apex.optimizers.*") {
			return
		}
		said := map[any]*Report{} // one finding for the branches of a choice, unless it is known which of them runs
		edits := map[any][]patch.Edit{}
		for _, c := range p.optimizers() {
			if !p.unfused(c) {
				continue
			}
			fused := c.Arg("fused")
			at := any(c.Func)
			if p.Project.Tries {
				at = c.Node
			}
			if first := said[at]; first != nil {
				first.Because(p.At(c.Callee(), "so is this one"))
			} else {
				said[at] = p.Report(c.Callee(), nearlyCertain*p.GPU()).Needing(fusedSince(c.Calls.Name, p.versions())).
					beingLittle(p.littleToUpdate(c)).Because(fused)
			}
			if later := p.notFusedYet(c); later != "" {
				if len(edits[at]) == 0 {
					said[at].Advising("%s", later)
				}
				continue
			}
			if p.nearCalls("apex.amp.initialize") { // which takes the optimizer apart
				said[at].Advising("Use torch.autocast instead of apex.amp, and pass fused=True; or use apex.optimizers.FusedAdam.")
				continue
			}
			if edit := fused.SetTo("True"); !slices.Contains(edits[at], edit) {
				edits[at] = append(edits[at], edit)
			}
		}
		for at, all := range edits {
			said[at].Fix(Unsafe, "fuse the optimizer", all...)
		}
	},
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() {
			return
		}
		p.File.EachMade(func(name string, target, arguments *project.Setting) {
			switch name {
			case "torch.optim.Adam", "torch.optim.AdamW", "torch.optim.SGD":
			default:
				return
			}
			if arguments.Child("fused") != nil || arguments.Child("foreach") != nil {
				return
			}
			p.Report(target, project.Likely).Needing(fusedSince(name, p.Project.VersionsAbove(p.File.Path))).Fix(Unsafe, "fuse the optimizer", target.AddBefore("fused", "True"))
		})
		for _, s := range p.TrainerSettings("optim") {
			if v := s.Value(); (v.Equals("adamw_hf") || v.Equals("adamw_torch")) && !p.replacesOptimizer(s) {
				r := p.Report(s, project.Likely).Saying("transformers is told to use an optimizer that is not fused")
				if fp16 := s.Parent.Child("fp16"); hfFuses(p.Project.VersionsAbove(p.File.Path), fp16 != nil && !off(fp16.Value())) {
					r.Fix(Unsafe, "fuse the optimizer", p.Set(s, `"adamw_torch_fused"`))
				} else {
					r.Advising(hfFusesLater)
				}
			}
		}
	},
}
