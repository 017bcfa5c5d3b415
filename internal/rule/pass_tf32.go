package rule

import "saturate/internal/project"

// deniedTF32 reports that TF32 is switched off in a program that trains in float32: for the convolutions, which use it by
// default, for matrix products, for both by NVIDIA_TF32_OVERRIDE, or by an argument of transformers.
func (p *SourcePass) deniedTF32() {
	convolutions, products, variables := p.flags("torch.backends.cudnn.allow_tf32"), p.deniedProducts(), p.environment("NVIDIA_TF32_OVERRIDE")
	arguments := p.HFArguments()
	if len(convolutions)+len(products)+len(variables)+len(arguments) == 0 || !p.runsOnGPU() || !p.trains() || !p.trainsInFloat32() {
		return
	}
	for _, f := range convolutions {
		if f.value.IsFalse() && !p.aidIsFine(f.at) && !p.onPurpose(f.at) && p.hasConvolutions() {
			p.Report(f.at, likely*f.value.Confidence()*p.GPU()).Because(f.value).AnyVersion().
				Saying("TF32 is switched off, so float32 convolutions do not use the tensor cores").
				Fix(Unsafe, "allow TF32", f.value.SetTo("True"))
		}
	}
	if off, decided := p.tf32(); len(products) > 0 && off != nil && !decided {
		p.deniedTF32Products(products)
	}
	for _, e := range variables {
		if e.value.Equals("0") && !p.aidIsFine(e.at) && !p.onPurpose(e.at) {
			p.Report(e.at, likely*e.value.Sure).Because(e.because()).AnyVersion().
				Saying("TF32 is switched off for all libraries, so float32 products and convolutions do not use the tensor cores")
		}
	}
	for _, args := range arguments {
		if v := args.Arg("tf32"); v.IsFalse() {
			p.Report(args.Callee(), likely*v.Confidence()*p.GPU()).Because(v).AnyVersion().Saying(productsInFloat32).
				Fix(Unsafe, "allow TF32", v.SetTo("True"))
		}
	}
}

const productsInFloat32 = "TF32 is switched off, so float32 matrix products do not use the tensor cores"

// deniedTF32Products reports where this module switches TF32 off for matrix products.
func (p *SourcePass) deniedTF32Products(places []torchFlag) {
	little := ""
	if !p.multipliesMatrices() && !p.attends() {
		little = convolves
	}
	for _, f := range places {
		if p.aidIsFine(f.at) || p.onPurpose(f.at) {
			continue
		}
		text := "True"
		if _, level := f.value.Str(); level {
			text = `"high"`
		}
		if f.value.Equals("ieee") {
			text = `"tf32"`
		}
		r := p.Report(f.at, likely*f.value.Confidence()*p.GPU()).At(Advice).AnyVersion().beingLittle(little).Because(f.value).Saying(productsInFloat32)
		if edit := f.value.SetTo(text); edit.Path != "" {
			r.Fix(Unsafe, "allow TF32", edit)
		}
	}
}

// deniedTF32 reports tf32: false in settings of a trainer that name no half precision.
func (p *SettingsPass) deniedTF32() {
	if p.EvaluationOnly() || p.Framework() != "transformers" && p.Framework() != "trl" {
		return
	}
	for _, s := range p.TrainerSettings("tf32") {
		bf16, fp16 := s.Parent.Child("bf16"), s.Parent.Child("fp16")
		if s.Value().IsFalse() && saysFalse(bf16) && saysFalse(fp16) && s.Parent.Child("deepspeed") == nil &&
			!p.mentions("bfloat16", "float16", "bf16: true", "load_in") {
			p.Report(s, project.Likely).AnyVersion().Saying(productsInFloat32).Fix(Unsafe, "allow TF32", p.Set(s, "True"))
		}
	}
}

// saysFalse reports a setting that is missing or off.
func saysFalse(s *project.Setting) bool { return s == nil || s.Value().IsFalse() }
