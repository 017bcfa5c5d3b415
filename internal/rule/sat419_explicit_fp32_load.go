package rule

import (
	"slices"

	"saturate/internal/project"
)

// explicitFP32Load finds frozen weights that are kept in float32.
var explicitFP32Load = Rule{
	Code: "SAT419", Name: "explicit-fp32-load", Severity: Warning, Subject: AboutPrecision,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Title: "frozen weights are loaded in float32",
	What: "from_pretrained(torch_dtype=torch.float32) on a model whose own weights are not trained, as with LoRA; a frozen " +
		"model that is moved to float32 and that each step runs, where the trained one computes in half precision; 4-bit weights " +
		"that compute in float32. Also from_pretrained(…) without a type under an adapter, with transformers before 5.",
	Why: "Frozen weights are only read. In bfloat16 they take half the memory and half the time to read, and the " +
		"adapter can stay in float32.",
	Fine: "Full fine-tuning, which needs float32 weights. GPUs without bfloat16. Decoders that overflow in float16, such as " +
		"the autoencoder of Stable Diffusion XL.",
	Bad:    "model = AutoModel.from_pretrained(name, torch_dtype=torch.float32)\nmodel = get_peft_model(model, lora)",
	Good:   "model = AutoModel.from_pretrained(name, torch_dtype=torch.bfloat16)\nmodel = get_peft_model(model, lora)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		p.observeQuantisation()
		p.quantizedInFloat32()
		p.frozenInFloat32()
		if p.GPU() == 0 || !p.Uses("peft.get_peft_model") || len(p.CallsTo("peft.get_peft_model")) == 0 {
			return
		}
		for _, m := range p.Pretrained() {
			dtype := m.loadedType()
			if dtype.Missing() && p.adapted(m) {
				p.Report(m.Callee(), plausible*p.GPU()).beingLittle(p.littleInFloat32(m)).
					Saying("transformers before 5 loads frozen weights in float32 unless it is told a type").
					Advising("Pass torch_dtype=torch.bfloat16. The adapter can stay in float32.")
			}
			if dtype.Name == "torch.float32" && !p.EvaluationOnly(m) && p.Rare(m) == nil {
				bfloat16, imports := p.Import("torch.bfloat16")
				p.Report(m.Callee(), nearlyCertain*p.GPU()).Because(dtype).
					Fix(Unsafe, "load the frozen weights in bfloat16", append(imports, dtype.SetTo(bfloat16))...)
			}
		}
	},
}

// adapted reports a model that is loaded whole, without quantization, and that get_peft_model freezes and gives an adapter.
func (p *SourcePass) adapted(m pretrained) bool {
	for _, name := range [...]string{"load_in_8bit", "load_in_4bit", "quantization_config"} {
		if v := m.Arg(name); v.Given() && !v.IsFalse() && !v.IsNone() {
			return false
		}
	}
	if _, hidden := m.Node.Unpacks(); hidden || p.EvaluationOnly(m) || p.AtLeast("transformers", "5.0") == project.Yes ||
		p.NearSays(".half()", ".bfloat16()", ".to(torch.bfloat16)", ".to(torch.float16)") {
		return false
	}
	return slices.ContainsFunc(p.CallsTo("peft.get_peft_model"), func(c Call) bool {
		model := c.ArgAt(0)
		return slices.ContainsFunc(append([]Value{model}, model.Either...), func(v Value) bool { return v.Made != nil && v.Made.Node == m.Node })
	})
}

// littleInFloat32 says why frozen weights in float32 cost little, or may not be in float32.
func (p *SourcePass) littleInFloat32(m pretrained) string {
	switch {
	case m.billions > 0 && m.billions < 0.5:
		return "the frozen model is small"
	case p.AtLeast("transformers", "5.0") != project.No:
		return "transformers 5 loads weights in the type that they were stored in"
	}
	return ""
}
