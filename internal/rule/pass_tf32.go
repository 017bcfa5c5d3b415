package rule

// deniedTF32 reports that TF32 is switched off where it is on by default: for the convolutions of a network that trains in
// float32, and for everything by NVIDIA_TF32_OVERRIDE.
func (p *SourcePass) deniedTF32() {
	if !p.runsOnGPU() || !p.Project.Trains() || !p.fullPrecision() {
		return
	}
	for _, a := range p.AssignsTo("torch.backends.cudnn.allow_tf32") {
		if v := p.Eval(a.Value); v.IsFalse() && !p.aidIsFine(a.Target) && !p.onPurpose(a.Target) && p.hasConvolutions() {
			p.Report(a.Target, likely*v.Confidence()*p.GPU()).Because(v).
				Saying("TF32 is switched off, so float32 convolutions do not use the tensor cores").
				Fix(Unsafe, "allow TF32", v.SetTo("True"))
		}
	}
	for _, e := range p.environment("NVIDIA_TF32_OVERRIDE") {
		if e.value.Equals("0") && !p.aidIsFine(e.at) && !p.onPurpose(e.at) {
			p.Report(e.at, likely*e.value.Sure).Because(e.because()).
				Saying("TF32 is switched off for all libraries, so float32 products and convolutions do not use the tensor cores")
		}
	}
}
