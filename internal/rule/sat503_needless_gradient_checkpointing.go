package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// needlessGradientCheckpointing finds small models that compute their activations twice.
var needlessGradientCheckpointing = Rule{
	Code: "SAT503", Name: "needless-gradient-checkpointing", Severity: Advice, Subject: AboutMemory,
	Areas: []Area{ComputeArea},
	Title: "a small model computes its activations twice",
	What: "gradient_checkpointing=True or gradient_checkpointing_enable() where all pretrained models have fewer " +
		"than 100 million parameters and the batch size is at most 32, fewer than 600 million and at most 16, or fewer " +
		"than 2 billion, with LoRA, and at most 2. Small: a model of the project whose steps run layers through torch.utils.checkpoint.",
	Why: "Checkpointing discards activations and recomputes them in the backward pass, about 20% more time. The " +
		"activations of a small model fit in memory.",
	Fine:   "Long sequences, high resolutions, or a GPU whose memory is full.",
	Advice: "Try it without gradient checkpointing. Keep checkpointing if memory runs out.",
	Gain:   Range{1, 1.25, "checkpointing costs about 20% (transformers documentation)"},
	Bad:    "TrainingArguments(gradient_checkpointing=True)  # openai/whisper-base",
	Good:   `TrainingArguments()`,
	Safety: DisplayOnly,
	Argument: &Argument{
		Flag: "--gradient_checkpointing", Value: "False", WhereOn: true, Title: "keep the activations in memory instead of computing them twice",
	},
	Source: func(p *SourcePass) {
		p.ownCheckpoints()
		size, model := p.billions()
		most, sure := int64(16), plausible
		switch {
		case size == 0 || size >= 2 || size >= 0.6 && !p.Imports("peft") || p.GPU() == 0:
			return
		case size >= 0.6:
			most, sure = 2, perhaps
		case size >= 0.15:
			sure = perhaps
		case size < 0.1:
			most = 32
		}
		for _, args := range p.TrainingArguments() {
			on, batch := args.Arg("gradient_checkpointing"), args.Arg("per_device_train_batch_size")
			if n, known := batch.Int(); on.IsTrue() && (batch.Missing() && size < 0.6 || known && n <= most) {
				p.Report(args.Callee(), sure*on.Confidence()*p.GPU()).Because(model, on).
					Fix(DisplayOnly, "keep the activations", on.SetTo("False"))
			}
		}
		for _, c := range p.MethodCalls("gradient_checkpointing_enable") {
			if !p.EvaluationOnly(c) && len(p.TrainingArguments()) == 0 && (size < 0.15 || p.loadsAtMost(most)) {
				r := p.Report(c, sure*p.GPU()).Because(model)
				if _, alone := p.Module.StatementAt(c.Node.Start).(*pysrc.ExprStmt); alone {
					r.Fix(DisplayOnly, "keep the activations", p.RemoveStatement(c))
				}
			}
		}
	},
}

// ownCheckpoints reports models of the project whose layers each step computes twice, by what is shipped: one finding for a model.
func (p *SourcePass) ownCheckpoints() {
	said := map[*project.Function]bool{}
	for _, c := range p.CallsTo("torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential") {
		if said[c.Func] || p.GPU() == 0 || p.EvaluationOnly(c) {
			continue
		}
		way, ok := p.EachStep(c)
		if !ok {
			continue
		}
		said[c.Func] = true
		r := p.Report(c, perhaps*way.Sure).Because(way).Saying("%s keeps no activations and computes the layers twice", p.Short(c.Callee())).
			Small("where memory binds, it is needed")
		p.testsAround(c, func(test pysrc.Expr) {
			for _, part := range conjuncts(test) {
				if v := p.Eval(part); v.IsTrue() {
					r.Because(v)
				}
			}
		})
	}
}

// conjuncts are the parts of a and b and c.
func conjuncts(test pysrc.Expr) []pysrc.Expr {
	if all, ok := test.(*pysrc.BoolOp); ok && all.Op == pysrc.And {
		return all.Values
	}
	return []pysrc.Expr{test}
}

// loadsAtMost reports whether the training loaders near this module are known to give few samples at once.
func (p *SourcePass) loadsAtMost(most int64) bool {
	var loaders []Call
	for _, m := range p.Near() {
		loaders = append(loaders, p.In(m).TrainingLoaders()...)
	}
	return len(loaders) > 0 && !slices.ContainsFunc(loaders, func(loader Call) bool {
		n, known := loader.Arg("batch_size").Int()
		return !known || n > most
	})
}
