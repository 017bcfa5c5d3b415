package rule

import (
	"strings"

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
	Advice: "Keep the state in 8 bits and raise the batch size with the freed memory; only the larger batch makes it " +
		"faster. It needs bitsandbytes (pip install bitsandbytes) or torchao (pip install torchao).",
	Bad:    "TrainingArguments(per_device_train_batch_size=1)  # a model with 3 billion parameters",
	Good:   `TrainingArguments(per_device_train_batch_size=8, optim="adamw_bnb_8bit")`,
	Safety: Unsafe, AtWorst: DisplayOnly,
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
			of := p.eightBits()
			p.Report(args.Callee(), likely*optim.Confidence()*p.GPU()).Because(model, optim).
				Fix(of.safety, of.title, optim.SetTo(`"`+of.trainer+`"`))
		}
		for _, c := range p.CallsTo("torch.optim.Adam", "torch.optim.AdamW") {
			if !p.EvaluationOnly(c) {
				p.inEightBits(p.Report(c.Callee(), probable*p.GPU()).Because(model), c)
			}
		}
	},
}

// eightBit is a library with optimizers that keep their state in 8 bits.
type eightBit struct {
	module  string // that holds them
	trainer string // what transformers calls its AdamW
	title   string
	safety  Safety
}

// eightBits is the library that the program can import. Without one, the repair would only break the program: it is
// shown, with how to get it.
func (p *SourcePass) eightBits() eightBit {
	const what = "keep the optimizer's state in 8 bits"
	bnb := eightBit{"bitsandbytes.optim", "adamw_bnb_8bit", what + ", by bitsandbytes", Unsafe}
	switch {
	case p.Project.Has(p.Module, "bitsandbytes"):
		return bnb
	case p.Project.Has(p.Module, "torchao"):
		return eightBit{"torchao.optim", "adamw_torch_8bit", what + ", by torchao", Unsafe}
	}
	bnb.title = what + "; first run: pip install bitsandbytes (or torchao), add it to your requirements and fix again"
	bnb.safety = DisplayOnly
	return bnb
}

// inEightBits repairs an optimizer of torch by one with the same arguments, without those that choose among
// torch's kernels.
func (p *SourcePass) inEightBits(r *Report, c Call) {
	if len(c.Node.Args) > 2 || len(c.Node.Args) > 0 && isStarred(c.Node.Args[0]) {
		return
	}
	var arguments []string
	for _, a := range c.Node.Args {
		arguments = append(arguments, p.Text(a))
	}
	for _, k := range c.Node.Keywords {
		switch k.Name {
		case "lr", "betas", "eps", "weight_decay", "params":
			arguments = append(arguments, p.Text(k))
		case "fused", "foreach":
		default:
			return
		}
	}
	of := p.eightBits()
	name, imports := p.Import(of.module + "." + project.LastOf(c.Calls.Name) + "8bit")
	// The whole call is replaced, so that no other repair adds what only torch's optimizer takes.
	r.Fix(of.safety, of.title, append(imports, p.Replace(c.Node, name+"("+strings.Join(arguments, ", ")+")"))...)
}

func isStarred(e pysrc.Expr) bool {
	_, ok := e.(*pysrc.Starred)
	return ok
}
