package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// fullPrecisionOptimizerState finds large models whose optimizer keeps its state in full precision.
var fullPrecisionOptimizerState = Rule{
	Code: "SAT501", Name: "full-precision-optimizer-state", Severity: Advice, Subject: AboutMemory,
	Areas: []Area{OptimizerArea}, NeedsGPU: true,
	Title: "the optimizer keeps 8 bytes of state per parameter of a large model",
	What: "AdamW in full precision on all weights of a pretrained model with at least a billion parameters, on " +
		"one GPU: no LoRA, sharding or 8-bit optimizer.",
	Why: "Adam keeps two 4-byte moments per parameter. In 8 bits they take a quarter, and the freed memory holds " +
		"a larger batch.",
	Fine: "A batch that is already large enough. LoRA, which trains few parameters. Models sharded over GPUs. " +
		"Training from scratch with embeddings that need full precision.",
	Advice: "Use optim=\"adamw_bnb_8bit\" of transformers, or bitsandbytes.optim.AdamW8bit, and raise the batch " +
		"size with the freed memory. Only the larger batch makes it faster.",
	Bad:    "TrainingArguments(per_device_train_batch_size=1)  # a model with 3 billion parameters",
	Good:   `TrainingArguments(per_device_train_batch_size=8, optim="adamw_bnb_8bit")`,
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		size, model := p.billions()
		if size < 1 || p.GPU() == 0 || p.trainsAdapter() || p.sharded() || p.Uses("bitsandbytes.optim.*") {
			return
		}
		for _, args := range p.TrainingArguments() {
			optim := args.Arg("optim")
			name, known := optim.Str()
			if !optim.Missing() && !(known && (name == "adamw_torch" || name == "adamw_torch_fused" || name == "adamw_hf")) {
				continue
			}
			if args.Arg("deepspeed").Given() || args.Arg("fsdp").Given() {
				continue
			}
			p.Report(args.Callee(), likely*optim.Confidence()*p.GPU()).Because(model, optim).
				Fix(Unsafe, "keep the optimizer's state in 8 bits; needs bitsandbytes", optim.SetTo(`"adamw_bnb_8bit"`))
		}
		for _, c := range p.CallsTo("torch.optim.Adam", "torch.optim.AdamW") {
			if !p.EvaluationOnly(c) {
				p.inEightBits(p.Report(c.Callee(), probable*p.GPU()).Because(model), c)
			}
		}
	},
}

// inEightBits repairs an optimizer of torch by that of bitsandbytes, which knows
// its arguments but those that choose among kernels.
func (p *SourcePass) inEightBits(r *Report, c Call) {
	for _, k := range c.Node.Keywords {
		switch k.Name {
		case "lr", "betas", "eps", "weight_decay", "params":
		default:
			return
		}
	}
	if len(c.Node.Args) > 2 || len(c.Node.Args) > 0 && isStarred(c.Node.Args[0]) {
		return
	}
	name, imports := p.Import("bitsandbytes.optim." + project.LastOf(c.Calls.Name) + "8bit")
	// The whole call is replaced, so that no other repair adds what only torch's optimizer takes.
	call := name + p.Text(pysrc.Span{Start: c.Node.Func.Bounds().End, End: c.Node.End})
	r.Fix(Unsafe, "keep the optimizer's state in 8 bits; needs bitsandbytes", append(imports, p.Replace(c.Node, call))...)
}

func isStarred(e pysrc.Expr) bool {
	_, ok := e.(*pysrc.Starred)
	return ok
}
