package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// paddedOnce reports datasets that are filled up before training: to the longest of all samples, or to a fixed length. Each batch of
// short samples is then as wide as that.
func (p *SourcePass) paddedOnce(said map[*project.Function]bool, fixed func() bool) {
	for _, set := range p.trainingSets() {
		at, in, limit := p.filledBefore(set)
		if at == nil || said[in.Function(at)] || fixed() {
			continue
		}
		said[in.Function(at)] = true
		sure := probable * max(p.FeedsGPU(set.feeder), plausible)
		if !limit {
			p.Report(set.feeder.Callee(), sure).Because(in.At(at, "all samples are padded to the longest of them")).
				Saying("every batch is as wide as the longest sample of the whole data").
				Advising("Keep the samples as long as they are, and pad each batch to its longest in collate_fn, with torch.nn.utils.rnn.pad_sequence.")
			continue
		}
		p.Report(p.placeOf(at, in, set.feeder.Callee()), sure).Because(in.At(at, "fills up each sample, before training"), set.feeder).
			Saying("all texts are padded to a fixed length before training").
			Advising("Keep the tokens as long as they are, and pad each batch to its longest text: in collate_fn, with " +
				"torch.nn.utils.rnn.pad_sequence, or DataCollatorWithPadding.")
	}
}

// placeOf is a node that another pass found, where it stands in this module, and else what stands here for it.
func (p *SourcePass) placeOf(at pysrc.Node, in *SourcePass, here pysrc.Node) pysrc.Node {
	if in.Module == p.Module {
		return at
	}
	return here
}

// trainingSet is a dataset that a loader or a trainer is given to train on.
type trainingSet struct {
	feeder Call
	given  pysrc.Expr
	value  Value
}

func (p *SourcePass) trainingSets() (list []trainingSet) {
	for _, loader := range p.TrainingLoaders() {
		if !p.padsSequences(loader.Arg("collate_fn")) {
			list = append(list, trainingSet{loader, loader.ArgumentNode("dataset", 0), loader.Arg("dataset")})
		}
	}
	for _, trainer := range p.Constructions("transformers.Trainer") {
		list = append(list, trainingSet{trainer, trainer.ArgumentNode("train_dataset", -1), trainer.Arg("train_dataset")})
	}
	return list
}

// filledBefore is where the samples of a dataset are filled up before training, and whether to a fixed length.
func (p *SourcePass) filledBefore(set trainingSet) (at pysrc.Node, in *SourcePass, fixed bool) {
	for _, v := range append([]Value{set.value}, set.value.Either...) {
		if v.Kind != project.Instance || v.Class == nil {
			continue
		}
		init := v.Class.Method("__init__")
		if init == nil || init.Def == nil {
			continue
		}
		if at, in = p.In(init.Module).fillsAll(init, 0); at != nil {
			return at, in, false
		}
		if at, in = p.In(init.Module).fillsFixed(init, 0); at != nil {
			return at, in, true
		}
	}
	if set.given == nil {
		return nil, nil, false
	}
	makers := p.makersOf(set.given, set.feeder.Func)
	for _, c := range makers {
		if at, in = c.fillsLongest(); at != nil {
			return at, in, false
		}
		if at, in = c.fillsLimit(0); at != nil {
			return at, in, true
		}
	}
	return nil, nil, false
}

// fillsLongest is where a call fills up many samples, or texts, to the longest of them.
func (c Call) fillsLongest() (pysrc.Node, *SourcePass) {
	p := c.pass
	if p.LoopAround(c.Site) != nil || p.InLoop(c.Site) || p.EvaluationOnly(c.Site) {
		return nil, nil
	}
	if c.Calls.Name == "torch.nn.utils.rnn.pad_sequence" || p.padsToLongest(c.Site) && p.tokenisesList(c.Site) && !p.isText(firstArg(c.Node)) {
		return c.Node, p
	}
	return nil, nil
}

// isText reports a text that is written out.
func (p *SourcePass) isText(e pysrc.Expr) bool {
	_, is := p.Eval(e).Str()
	return is
}

// fillsLimit is where a call, or a function of the project that it calls, fills up texts to a fixed length.
func (c Call) fillsLimit(depth int) (pysrc.Node, *SourcePass) {
	p := c.pass
	if p.EvaluationOnly(c.Site) {
		return nil, nil
	}
	for _, t := range p.Tokenisations() {
		if t.Site == c.Site && p.fillsToLimit(t) {
			return c.Node, p
		}
	}
	if lastName(c.Node.Func) == "pad_sequences" && c.Calls.Func == nil {
		if n, known := c.Arg("maxlen").Int(); !known || n >= shortText {
			return c.Node, p
		}
	}
	if f := c.Calls.Func; f != nil && f.Def != nil && c.Calls.Kind == project.Callable {
		return p.In(f.Module).fillsFixed(f, depth+1)
	}
	return nil, nil
}

// fillsFixed is where a function, or one that it calls, fills up texts to a fixed length: a tokenizer with padding="max_length",
// ids + [0] * (limit - len(ids)).
func (p *SourcePass) fillsFixed(fn *project.Function, depth int) (pysrc.Node, *SourcePass) {
	if depth > 2 {
		return nil, nil
	}
	for _, s := range fn.Sites {
		if lastName(s.Node.Func) == "len" && len(s.Node.Args) == 1 {
			length := p.missingOf(Call{s, p})
			if length == nil || !p.fillsUp(fn, length) {
				continue
			}
			if n, known := p.Eval(leftmost(length)).Int(); !known || n >= shortText {
				return length, p
			}
		}
	}
	for _, s := range fn.Sites {
		if s.Calls.Func == fn {
			continue
		}
		if at, in := (Call{s, p}).fillsLimit(depth); at != nil {
			return at, in
		}
	}
	return nil, nil
}

// fillsToLimit reports a tokenizer that pads to its maximum length, if that is not known to be short.
func (p *SourcePass) fillsToLimit(t tokenisation) bool {
	if _, full, chosen := p.mayBe(t.Arg("padding"), "max_length"); (!full || chosen) && !t.Arg("pad_to_max_length").IsTrue() {
		return false
	}
	n, known := t.Arg("max_length").Int()
	return !known || n >= shortText
}

// shortText is up to how many tokens a text costs little more when it is padded.
const shortText = 128

// fillsAll is where a function, or one that it calls, fills up each of many samples to the longest: pad_sequence, a tokenizer with
// padding=True, x + [0] * (longest - len(x)), rows of a block as wide as the longest.
func (p *SourcePass) fillsAll(fn *project.Function, depth int) (pysrc.Node, *SourcePass) {
	for _, s := range fn.Sites {
		switch {
		case s.Calls.Name == "torch.nn.utils.rnn.pad_sequence" && p.LoopAround(s) == nil, p.padsToLongest(s) && p.LoopAround(s) == nil && p.tokenisesList(s):
			return s.Node, p
		case creators[project.LastOf(s.Calls.Name)] && p.asWideAsLongest(Call{s, p}):
			return s.Node, p
		}
	}
	var found pysrc.Node
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		if fill, ok := n.(*pysrc.BinOp); ok && fill.Op == pysrc.Mult && found == nil && p.InLoop(fill) && p.fillsToLength(fill) {
			found = fill
		}
		return found == nil
	})
	if found != nil {
		return found, p
	}
	for _, s := range fn.Sites {
		if f := s.Calls.Func; f != nil && f != fn && f.Def != nil && depth < 2 && s.Calls.Kind == project.Callable && p.LoopAround(s) == nil {
			if at, in := p.In(f.Module).fillsAll(f, depth+1); at != nil {
				return at, in
			}
		}
	}
	return nil, nil
}

// tokenisesList reports a call of a tokenizer that is given more than one text.
func (p *SourcePass) tokenisesList(s *project.Site) bool {
	return slices.ContainsFunc(p.Tokenisations(), func(t tokenisation) bool { return t.Site == s })
}

// asWideAsLongest reports np.zeros((len(rows), longest)) that a loop fills row by row.
func (p *SourcePass) asWideAsLongest(c Call) bool {
	rows, width := blockSides(c.Node)
	return rows != nil && p.isLenOf(rows) && p.isLongest(width) && p.filledByRow(c)
}
