package rule

import (
	"strings"
	"sync"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// slowTokenizer finds tokenizers in Python where one in Rust exists.
var slowTokenizer = Rule{
	Code: "SAT112", Name: "slow-tokenizer", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "the slow Python tokenizer is used",
	What:  "use_fast=False, perhaps for some models, or a transformers tokenizer class that has a fast version, in a project that trains.",
	Why: "Fast tokenizers are written in Rust and process a batch in parallel. Slow ones run Python code for " +
		"every word piece.",
	Fine: "Transformers 5 and later, where both are the same. Models whose fast tokenizer is missing or splits " +
		"differently. Text tokenized before training.",
	Gain:   Range{1, 1.1, "tokenizing is 3 to 5 times faster in batches (huggingface/trl#1624); training gains in proportion to its share"},
	Bad:    `BertTokenizer.from_pretrained("bert-base-uncased")`,
	Good:   `BertTokenizerFast.from_pretrained("bert-base-uncased")`,
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		current := p.AtLeast("transformers", "5.0")
		if current == project.Yes || !p.trains() {
			return
		}
		sure, when := project.Certain, ""
		if current == project.Maybe {
			sure, when = plausible, "with transformers before 5, "
		}
		made := p.MethodCalls("from_pretrained")
		if len(made) == 0 {
			return
		}
		p.slowByName(sure, when)
		if p.Module.Role != project.Training && !p.trained() && !p.tokenisesSamples() {
			return
		}
		atStart := sync.OnceValue(p.tokenizedAtStart) // which asks every module near this one
		little := sync.OnceValue(p.littleTokenizing)
		for _, c := range made {
			class := classOf(p.Eval(c.Receiver()))
			if class.Kind != project.Type || p.EvaluationOnly(c) || p.neverEncodes(c) {
				continue
			}
			if atStart() {
				return
			}
			if fast := c.Arg("use_fast"); fast.IsFalse() && class.IsClass(tokenizerBase, "transformers.ProcessorMixin") {
				r := p.Report(c, fast.Confidence()*sure).Because(fast).Saying("%sthe slow Python tokenizer is used", when).
					Fix(Unsafe, "use the fast tokenizer", fast.SetTo("True")) // somebody chose it, and one word changes it
				if c.Arg("trust_remote_code").IsTrue() {
					r.Small("the model comes with a tokenizer of its own, which mostly has no fast form")
				}
			} else if other := p.falseBranch(c); other != nil && class.IsClass(tokenizerBase) {
				p.Report(c, plausible*sure).Because(p.At(other, "for these models")).Saying("%sthe slow Python tokenizer is used for some models", when).
					beingLittle(little())
			} else if hasFastTwin["transformers."+lastName(c.Receiver())] && strings.HasPrefix(class.Name, "transformers.") && strings.HasSuffix(class.Name, "."+lastName(c.Receiver())) {
				p.Report(c.Callee(), sure).Saying("%s%s is the slow Python tokenizer", when, lastName(c.Receiver())).
					Fix(Unsafe, "use the fast tokenizer", p.twin(c)...).beingLittle(little())
			}
		}
	},
}

// classOf is a class, or the first of several that a name may be: imported from one place or, failing that, another.
func classOf(v Value) Value {
	for _, w := range v.Either {
		if w.Kind == project.Type {
			return w
		}
	}
	return v
}

// falseBranch is a test that turns the fast tokenizer off, use_fast=False if llama else True; nil for anything else.
func (p *SourcePass) falseBranch(c Call) pysrc.Expr {
	k := c.Node.Keyword("use_fast")
	if k == nil {
		return nil
	}
	choice, ok := k.Value.(*pysrc.IfExp)
	if !ok || !p.Eval(choice.Body).IsFalse() && !p.Eval(choice.Orelse).IsFalse() {
		return nil
	}
	return choice.Test
}

// slowByName reports tokenizers whose class a setting names: getattr(transformers, config["tokenizer"]).
func (p *SourcePass) slowByName(sure float64, when string) {
	for _, c := range p.MethodCalls("from_pretrained") {
		by, ok := c.Receiver().(*pysrc.Call)
		if !ok || lastName(by.Func) != "getattr" || len(by.Args) != 2 || p.NameOf(by.Args[0]) != "transformers" || !p.trained() || p.EvaluationOnly(c) {
			continue
		}
		named := p.Eval(by.Args[1])
		var r *Report
		for _, v := range append([]Value{named}, named.Either...) {
			name, known := v.Str()
			if !known || !hasFastTwin["transformers."+name] {
				continue
			}
			if r == nil {
				r = p.Report(c.Callee(), likely*sure).Saying("%s%s is the slow Python tokenizer", when, name).
					Advising("Name the class with Fast behind its name, or use AutoTokenizer.")
			}
			r.Because(v)
		}
	}
}

// tokenisesSamples reports whether this module tokenises the data that trains.
func (p *SourcePass) tokenisesSamples() bool {
	for _, t := range p.Tokenisations() {
		if _, ok := p.PerSample(t); ok && !p.EvaluationOnly(t) {
			return true
		}
	}
	return false
}

// neverEncodes reports whether a tokenizer of a name of its own is only asked to
// decode, or nothing at all: the processor beside it does the work.
func (p *SourcePass) neverEncodes(c Call) bool {
	s, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign)
	if !ok || len(s.Targets) != 1 || len(p.Module.ImportedBy) > 0 {
		return false
	}
	name, ok := s.Targets[0].(*pysrc.Name)
	if !ok {
		return false
	}
	harmless := map[pysrc.Expr]bool{}
	encodes := false
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Attribute:
			switch n.Attr {
			case "batch_decode", "decode", "convert_ids_to_tokens", "pad_token_id", "eos_token_id", "bos_token_id",
				"pad_token", "eos_token", "save_pretrained", "push_to_hub", "vocab_size":
				harmless[n.Value] = true
			}
		case *pysrc.Name:
			if n.ID == name.ID && n.Ctx == pysrc.Load && !harmless[n] {
				encodes = true
			}
		}
		return !encodes
	})
	return !encodes
}

// twin gives the edits that name the fast class instead.
func (p *SourcePass) twin(c Call) []patch.Edit {
	name, edits := p.Import("transformers." + lastName(c.Receiver()) + "Fast")
	return append(edits, p.Replace(c.Receiver(), name))
}
