package rule

import (
	"slices"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// noLengthBucketing finds batches of samples of any length, padded to the longest.
var noLengthBucketing = Rule{
	Code: "SAT114", Name: "no-length-bucketing", Severity: Advice, Subject: AboutPadding,
	Areas: []Area{ComputeArea}, Regroups: true,
	Title: "short and long samples share a batch and are padded to the longest",
	What: "A shuffled DataLoader whose collate function pads sequences, with pad_sequence or by hand, without a batch sampler. A Trainer with " +
		"a padding collator that does not group by length.",
	Why: "The more lengths differ within a batch, the more padding is computed. With several GPUs, all wait for " +
		"the one with the longest batch.",
	Fine: "Samples of similar length. Small batches. Training that needs a fully random order.",
	Advice: "Group samples of similar length: group_by_length=True in transformers (since 5: " +
		"train_sampling_strategy=\"group_by_length\"), or a batch sampler that sorts within large random chunks.",
	Gain:   Range{1, 2, "part of a gain from 56 to 16 min with padding per batch and batches of similar length (Lefebvre Sarrut, 2020)"},
	Bad:    "DataLoader(data, batch_size=32, shuffle=True, collate_fn=pad)",
	Good:   "DataLoader(data, batch_sampler=BucketSampler(lengths, 32), collate_fn=pad)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		if p.GPU() == 0 {
			return
		}
		for _, loader := range p.TrainingLoaders() {
			if collate := loader.Arg("collate_fn"); (maybeTrue(loader.Arg("shuffle")) || p.drawnByLibrary(loader)) && off(loader.Arg("batch_sampler")) &&
				p.padsSequences(collate) {
				r := p.Report(loader.Callee(), probable*p.GPU())
				if made := loader.Arg("sampler").Made; made != nil {
					r.Because(p.In(made.Module()).At(made.Node, "draws samples of any length"))
				}
			}
		}
		if !p.padsByCollator() || p.padsToMaximum() {
			return
		}
		for _, args := range p.TrainingArguments() {
			group, strategy := args.Arg("group_by_length"), args.Arg("train_sampling_strategy")
			if group.Given() || strategy.Given() && !strategy.Equals("random") || ofTRL(args) || args.Arg("max_steps").Given() {
				continue
			}
			p.Report(args.Callee(), plausible*group.Confidence()*p.GPU()).
				Fix(Unsafe, "group samples of similar length; the order becomes less random", p.groupByLength(group, strategy)...)
		}
	},
}

// drawnByLibrary reports a loader whose sampler of torch gives the samples in random order.
func (p *SourcePass) drawnByLibrary(loader Call) bool {
	sampler := loader.Arg("sampler")
	if sampler.Class != nil || sampler.Made == nil {
		return false
	}
	switch project.LastOf(sampler.Name) {
	case "RandomSampler", "SubsetRandomSampler":
		return strings.HasPrefix(sampler.Name, "torch.utils.data.")
	case "DistributedSampler":
		return strings.HasPrefix(sampler.Name, "torch.utils.data.") && !p.eval.Argument(sampler.Made, "shuffle").IsFalse()
	}
	return false
}

// maybeTrue reports True, also as one of several values.
func maybeTrue(v Value) bool { return v.IsTrue() || slices.ContainsFunc(v.Either, Value.IsTrue) }

// padsSequences reports whether a collate function pads whole samples to the longest: itself, or in a function of the
// project that it calls.
func (p *SourcePass) padsSequences(collate Value) bool {
	fn := collate.Func
	if fn == nil && collate.Class != nil {
		fn = collate.Class.Method("__call__")
	}
	return fn != nil && p.pads(fn, 0) && !sortsAgain(fn)
}

// pads reports pad_sequence, or padding by hand: numpy.pad or F.pad of each sample, or rows that are filled in part.
// Inputs of one size that are stacked beside say that only labels are padded.
func (p *SourcePass) pads(fn *project.Function, depth int) bool {
	calls := func(name string) bool {
		return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool { return s.Calls.Name == name })
	}
	if (calls("torch.stack") || slices.ContainsFunc(fn.Sites, p.In(fn.Module).stacksFields)) && depth == 0 {
		return false
	}
	in := p.In(fn.Module)
	if calls("torch.nn.utils.rnn.pad_sequence") || fn.Def != nil && in.padsByHand(fn) || slices.ContainsFunc(fn.Sites, in.padsToLongest) {
		return true
	}
	if drawsAny(fn) {
		return false // it cuts windows of one length, and pads what is shorter
	}
	return depth < 2 && slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		f := s.Calls.Func
		return f != nil && f != fn && s.Calls.Kind == project.Callable && (p.pads(f, depth+1) || in.InLoop(s) && padsOne(f))
	})
}

// stacksFields reports np.stack, or cat with a new axis, of a part of each sample that nothing has made longer: np.stack([s["image"] for s in batch]).
func (p *SourcePass) stacksFields(s *project.Site) bool {
	switch s.Calls.Name {
	case "numpy.stack", "torch.cat", "torch.concat":
	default:
		return false
	}
	given := firstArg(s.Node)
	if name, ok := given.(*pysrc.Name); ok {
		given = p.Module.SaidLast(name)
	}
	list, ok := given.(*pysrc.ListComp)
	if !ok {
		return false
	}
	field, ok := list.Elt.(*pysrc.Subscript)
	return ok && (s.Calls.Name == "numpy.stack" || addsAxis(field))
}

// addsAxis reports x[None], x[None, :]: cat of such is stack.
func addsAxis(field *pysrc.Subscript) bool {
	first := field.Slice
	if t, ok := first.(*pysrc.Tuple); ok && len(t.Elts) > 0 {
		first = t.Elts[0]
	}
	return pysrc.IsConst(first, pysrc.None)
}

// padsOne reports a function that pads what it is given: pad(x, length), called for each sample.
func padsOne(fn *project.Function) bool {
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		return s.Calls.Name == "numpy.pad" || s.Calls.Name == "torch.nn.functional.pad"
	})
}

// padsToLongest reports a call that makes a batch of texts as long as its longest: tokenizer(texts, padding=True).
func (p *SourcePass) padsToLongest(s *project.Site) bool {
	k := s.Node.Keyword("padding")
	if k == nil || strings.HasPrefix(s.Calls.Name, "torch.") {
		return false
	}
	v := p.Eval(k.Value)
	return v.IsTrue() || v.Equals("longest")
}

// padsByHand reports np.pad(x, …) for each sample, and padded[i, :n] = x.
func (p *SourcePass) padsByHand(fn *project.Function) bool {
	for _, s := range fn.Sites {
		if (s.Calls.Name == "numpy.pad" || s.Calls.Name == "torch.nn.functional.pad") && p.InLoop(s) {
			return true
		}
	}
	found := false
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		if fill, ok := n.(*pysrc.BinOp); ok && fill.Op == pysrc.Mult && p.InLoop(fill) && p.fillsToLength(fill) {
			found = true
		}
		assign, ok := n.(*pysrc.Assign)
		if !ok || p.Module.LoopAround(assign) == nil {
			return true
		}
		target, ok := assign.Targets[0].(*pysrc.Subscript)
		if !ok {
			return true
		}
		parts := []pysrc.Expr{target.Slice}
		if t, ok := target.Slice.(*pysrc.Tuple); ok {
			parts = t.Elts
		}
		found = found || slices.ContainsFunc(parts, func(e pysrc.Expr) bool {
			slice, ok := e.(*pysrc.Slice)
			return ok && slice.Upper != nil && slice.Lower == nil && slice.Step == nil
		})
		return !found
	})
	return found
}

// fillsToLength reports [pad] * (length - len(ids)).
func (p *SourcePass) fillsToLength(fill *pysrc.BinOp) bool {
	list, times := fill.Left, fill.Right
	if _, ok := list.(*pysrc.List); !ok {
		list, times = times, list
	}
	one, ok := list.(*pysrc.List)
	if name, named := times.(*pysrc.Name); named {
		times = p.Module.SaidLast(name)
	}
	missing, differs := times.(*pysrc.BinOp)
	if !ok || len(one.Elts) != 1 || !differs || missing.Op != pysrc.Sub {
		return false
	}
	longest := leftmost(missing)
	if name, named := longest.(*pysrc.Name); named {
		longest = p.Module.SaidLast(name) // max(len(x) for x in batch), and not a setting
	}
	most, computed := longest.(*pysrc.Call)
	return computed && lastName(most.Func) == "max"
}

// sortsAgain reports a collate function that is given many samples and makes batches of similar length itself.
func sortsAgain(fn *project.Function) bool {
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool { return s.Calls.Name == "numpy.argsort" })
}

// padsByCollator reports whether this module pads batches with a collator of
// transformers, of texts or speech and not of Whisper's fixed 30 seconds.
func (p *SourcePass) padsByCollator() bool {
	for _, c := range p.Constructions("transformers.DataCollator") {
		switch lastName(c.Node.Func) {
		case "DataCollatorWithPadding", "DataCollatorForSeq2Seq", "DataCollatorForTokenClassification", "DataCollatorCTCWithPadding":
			if v := c.Arg("padding"); v.Missing() || v.IsTrue() || v.Equals("longest") {
				return true
			}
		}
	}
	return false
}

// padsToMaximum reports whether texts are padded to one length before the collator
// sees them, which is another rule's matter.
func (p *SourcePass) padsToMaximum() bool {
	for _, t := range p.Tokenisations() {
		if t.Arg("padding").Equals("max_length") || t.Arg("pad_to_max_length").IsTrue() {
			return true
		}
	}
	return false
}

// groupByLength sets the argument that the project's version has, none where that is not known.
func (p *SourcePass) groupByLength(group, strategy Value) []patch.Edit {
	switch p.AtLeast("transformers", "5.0") {
	case project.Yes:
		return []patch.Edit{strategy.SetTo(`"group_by_length"`)}
	case project.No:
		return []patch.Edit{group.SetTo("True")}
	}
	return nil
}
