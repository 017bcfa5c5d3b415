package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// fillsAllRows is the place where a collate function fills rows to the longest of the batch, if all that it stacks was filled:
// ids + [pad] * (longest - len(ids)), as many as there are stacks. Nil otherwise: inputs of one size are stacked, and labels filled.
func (p *SourcePass) fillsAllRows(fn *project.Function) (at pysrc.Node) {
	if fn.Def == nil {
		return nil
	}
	stacks, fills := 0, 0
	for _, s := range fn.Sites {
		if s.Calls.Name == "torch.stack" {
			stacks++
		}
	}
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		if fill, ok := n.(*pysrc.BinOp); ok && fill.Op == pysrc.Mult && p.InLoop(fill) && p.fillsToLength(fill) {
			fills++
			if at == nil {
				at = fill
			}
		}
		return true
	})
	if fills < stacks {
		return nil
	}
	return at
}

// paddedByTrainer is the trainer of transformers whose batches a collate function of the project pads to the longest, and the
// place where it does; nil where there is none.
func (p *SourcePass) paddedByTrainer() (trainer *Call, at pysrc.Node, in *SourcePass) {
	for _, c := range p.Constructions("transformers.Trainer") {
		collate := c.Arg("data_collator")
		for _, v := range append([]Value{collate}, collate.Either...) {
			if !p.padsSequences(v) {
				continue
			}
			at, in = p.whereItPads(collateFunction(v), 0)
			return &c, at, in
		}
	}
	return nil, nil, nil
}

// groupsByLength reports a trainer of the project's own that draws samples of similar length itself.
func groupsByLength(trainer *Call) bool {
	class := trainer.Calls.Class
	return class != nil && (class.Method("_get_train_sampler") != nil || class.Method("get_train_dataloader") != nil)
}
