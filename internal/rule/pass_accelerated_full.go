package rule

import "saturate/internal/project"

// acceleratedFull reports Accelerators that compute in float32. One that is told nothing takes what accelerate launch says, from a
// file of each user, and float32 without it: that costs nobody who has such a file.
func (p *SourcePass) acceleratedFull() {
	for _, c := range p.CallsTo("accelerate.Accelerator") {
		v := p.acceleratedIn(c)
		if p.EvaluationOnly(c) || p.Module.Role == project.Test {
			continue
		}
		left := p.leftToCallers(c, v)
		switch {
		case v.Equals("no") && !left:
			p.Report(c.Callee(), likely*v.Confidence()*p.GPU()).Because(v).Fix(Unsafe, "compute in bfloat16", v.SetTo(`"bf16"`))
		case (v.Missing() || v.Equals("no") || v.IsNone()) && !p.acceleratedElsewhere():
			r := p.Report(c.Callee(), likely*p.GPU()).Because(v).Saying("the model is trained in float32 unless accelerate's own settings say otherwise").
				Advising("Pass mixed_precision=\"bf16\" to Accelerator, or start the program with accelerate launch --mixed_precision bf16.")
			if left {
				r.Small("who calls it may choose the precision")
				continue
			}
			r.Small("accelerate launch may choose the precision").Fix(Unsafe, "compute in bfloat16", v.SetTo(`"bf16"`))
		}
	}
}

// acceleratedElsewhere reports a program that gets half precision in another way: settings of Accelerate or DeepSpeed in the project, an
// autocast, or weights of such a type.
func (p *SourcePass) acceleratedElsewhere() bool {
	for _, s := range p.Project.Settings {
		if f := s.Framework(); (f == "accelerate" || f == "deepspeed") && s.Role != project.Test {
			return true
		}
	}
	return len(p.trainingAutocasts()) > 0 || p.namesHalf() || p.Uses("accelerate.DeepSpeedPlugin", "accelerate.utils.DeepSpeedPlugin")
}
