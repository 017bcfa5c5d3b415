package rule

import (
	"slices"
	"sync"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// padToMaxLength finds texts that are all padded to the longest length allowed.
var padToMaxLength = Rule{
	Code: "SAT113", Name: "pad-to-max-length", Severity: Warning, Subject: AboutPadding,
	Areas: []Area{ComputeArea}, Reshapes: true,
	Title: "every text is padded to the maximum length",
	What: "A tokenizer, or the pad method of one, is called with padding=\"max_length\" on training data, with a length of " +
		"128 or more. Training data that are filled up to the longest of all samples, or each to a fixed length along one axis, when they are made.",
	Why: "Padding is computed like text and then thrown away. The cost of attention grows with the square of the " +
		"length, the rest with the length.",
	Fine: "TPUs, torch.compile without dynamic shapes, CUDA graphs. Texts that all have about that length. " +
		"Whisper's audio features, which always cover 30 seconds.",
	Advice: "Remove padding here and pad each batch to its longest text: DataCollatorWithPadding(tokenizer, " +
		"pad_to_multiple_of=8), or DataCollatorForSeq2Seq if labels are padded too.",
	Gain:   Range{1.2, 4.5, "from 56 to 16 min and from 4 h 38 to 1 h 01 with padding per batch and batches of similar length (Lefebvre Sarrut, 2020)"},
	Bad:    `tokenizer(batch["text"], truncation=True, padding="max_length", max_length=512)`,
	Good:   `tokenizer(batch["text"], truncation=True, max_length=512)  # and DataCollatorWithPadding(tokenizer)`,
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		fixed := sync.OnceValue(func() bool { // asked last, because it asks every module near this one
			return p.forTPU() || p.fixesShapes() || p.Imports("diffusers") || p.trainedByJAX() // which compiles anew for each shape
		})
		said := map[*project.Function]bool{}
		p.paddedByHand(said, fixed)
		p.paddedOnce(said, fixed)
		for _, t := range append(p.Tokenisations(), p.padsOfTokenizers()...) {
			padding, full, chosen := p.mayBe(t.Arg("padding"), "max_length")
			if !full {
				if padding = t.Arg("pad_to_max_length"); !padding.IsTrue() {
					continue
				}
			}
			if fixed() {
				return
			}
			path, ok := p.PerSample(t)
			if !ok || said[t.Func] || p.EvaluationOnly(t) || p.servesEvaluation(path) {
				continue
			}
			length, sure := t.Arg("max_length"), likely
			if n, known := length.Int(); known && n < 128 {
				continue
			} else if known {
				sure = length.Confidence()
			} else if length.Given() {
				sure = plausible
				if node := t.ArgumentNode("max_length", -1); node != nil && lastName(node) == "model_max_length" &&
					(p.Uses("diffusers.*") || t.tokenizer.IsInstance("transformers.CLIPTokenizer", "transformers.CLIPTokenizerFast")) {
					continue // the 77 tokens of CLIP
				}
			}
			said[t.Func] = true
			r := p.Report(t, sure*padding.Confidence()*t.sure*path.Sure).Because(padding, path)
			if chosen {
				r.Small("an option chooses it")
			} else if path.Kind == project.Collate && !p.InLoop(t) {
				r.Fix(Unsafe, "pad to the longest text in the batch", padding.SetTo(`"longest"`))
			}
		}
	},
}

// mayBe finds a text among what a value may be, unless the defaults leave it out; chosen tells that nobody knows whether they do.
func (p *SourcePass) mayBe(v Value, text string) (found Value, ok, chosen bool) {
	for _, w := range append([]Value{v}, v.Either...) {
		if !w.Equals(text) {
			continue
		}
		if len(v.Either) == 0 || w.Origin.Source == p.Module.Source && p.eval.TakenByDefault(p.Module, w.Origin.Span) {
			return w, true, false
		}
		if w.Origin.Source == p.Module.Source && p.eval.LeftOut(project.Path{}, p.Module, w.Origin.Span) == nil {
			return w, true, true
		}
	}
	return v, false, false
}

// forTPU reports training that goes through torch_xla in every run, and not only where a TPU is found.
func (p *SourcePass) forTPU() bool {
	return p.Uses("torch_xla.*") && slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		in := p.In(m)
		return slices.ContainsFunc(in.CallsTo("torch_xla.*"), func(c Call) bool { return !in.underIf(c) })
	})
}

// underIf reports a node in an if of its function or module.
func (p *SourcePass) underIf(n Node) bool {
	for id := p.Module.BlockAt(n.Bounds().Start); id >= 0; id = p.Module.Block(id).Parent {
		if _, ok := p.Module.Block(id).Owner.(*pysrc.If); ok {
			return true
		}
	}
	return false
}

// trainedByJAX reports a module that uses JAX, or that a program which trains with it uses.
func (p *SourcePass) trainedByJAX() bool {
	return p.usesJAX() || slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		return m.Role == project.Training && (m.Imports("jax") || m.Imports("flax"))
	})
}

// padsOfTokenizers are the calls of a tokenizer's pad, which fills up tokens that were made before.
func (p *SourcePass) padsOfTokenizers() (list []tokenisation) {
	for _, c := range p.MethodCalls("pad") {
		if c.Node.Keyword("padding") != nil && !project.HasWord(lastName(c.Receiver()), "feature", "extractor") {
			list = append(list, tokenisation{Call: c, sure: likely})
		}
	}
	return list
}
