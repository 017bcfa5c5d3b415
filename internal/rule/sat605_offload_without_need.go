package rule

import "strings"

// offloadWithoutNeed finds DeepSpeed settings that send state over the bus, or wait for it.
var offloadWithoutNeed = Rule{
	Code: "SAT605", Name: "offload-without-need", Severity: Advice, Subject: AboutRanks,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Title: "communication and computation take turns",
	What: "DeepSpeed settings with overlap_comm false at ZeRO stage 1 or higher, or with parameters or optimizer " +
		"offloaded to the CPU for pretrained models with fewer than a billion parameters.",
	Why:    "Without overlap, the GPU waits for each exchange. Offloaded state crosses the bus in every step.",
	Fine:   "Models that do not fit otherwise. overlap_comm needs some memory for its buffers.",
	Advice: "Turn overlap_comm on. Do not offload what fits: move the parameters back first, then the optimizer.",
	Bad:    `"zero_optimization": {"stage": 2, "overlap_comm": false}`,
	Good:   `"zero_optimization": {"stage": 2, "overlap_comm": true}`,
	Safety: Unsafe,
	Settings: func(p *SettingsPass) {
		if p.Framework() != "deepspeed" || p.EvaluationOnly() {
			return
		}
		for _, zero := range p.Find(".zero_optimization") {
			stage, _ := intOf(zero.Child("stage"))
			if overlap := zero.Child("overlap_comm"); overlap != nil && overlap.Value().IsFalse() && stage >= 1 {
				p.Report(overlap, likely).Fix(Unsafe, "overlap communication with computation; needs memory for buffers", p.Set(overlap, "True"))
			}
			for _, what := range [...]string{"offload_optimizer", "offload_param"} {
				if device := zero.Child(what).Child("device"); device != nil && device.Value().Equals("cpu") && p.trainsSmall() {
					p.Report(device, probable).Saying("the state of a small model is kept in host memory and crosses the bus in every step")
				}
			}
		}
	},
}

// trainsSmall reports whether the names of all pretrained models of the project
// tell of fewer than a billion parameters.
func (p *SettingsPass) trainsSmall() bool {
	eval, known := p.Project.NewEval(), false
	for _, m := range p.Project.Modules {
		for _, s := range m.Sites {
			if s.Method() != "from_pretrained" || !strings.Contains(s.Calls.Name, "Model") {
				continue
			}
			name, _ := eval.ArgumentAt(s, 0).Str()
			size := billionsOf(name)
			if size == 0 || size >= 1 {
				return false
			}
			known = true
		}
	}
	return known
}
