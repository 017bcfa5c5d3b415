package rule

// explicitFP32Load finds frozen weights that are kept in float32.
var explicitFP32Load = Rule{
	Code: "SAT419", Name: "explicit-fp32-load", Severity: Warning, Subject: AboutPrecision,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Title: "frozen weights are loaded in float32",
	What: "from_pretrained(torch_dtype=torch.float32) on a model whose own weights are not trained, as with LoRA; a frozen " +
		"model that is moved to float32 and that each step runs, where the trained one computes in half precision; 4-bit weights " +
		"that compute in float32.",
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
			if dtype := m.loadedType(); dtype.Name == "torch.float32" && !p.EvaluationOnly(m) && p.Rare(m) == nil {
				bfloat16, imports := p.Import("torch.bfloat16")
				p.Report(m.Callee(), nearlyCertain*p.GPU()).Because(dtype).
					Fix(Unsafe, "load the frozen weights in bfloat16", append(imports, dtype.SetTo(bfloat16))...)
			}
		}
	},
}
