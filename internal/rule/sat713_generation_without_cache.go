package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// generationWithoutCache finds generation in a training program that keeps no keys and values.
var generationWithoutCache = Rule{
	Code: "SAT713", Name: "generation-without-cache", Severity: Warning, Subject: AboutEvaluation,
	Areas: []Area{ApartArea},
	Title: "each new token is computed from all tokens before it again",
	What: "A training program, or what it evaluates with, calls generate(use_cache=False), or calls generate() where the " +
		"model's generation_config.use_cache was set to False, itself or in the evaluations of a Trainer with predict_with_generate.",
	Why: "Without the cache of keys and values, a text of n tokens takes n passes over up to n tokens instead of n passes " +
		"over one.",
	Fine: "A model whose layers cannot use a cache. Texts of a few tokens.",
	Advice: "Leave use_cache out: generate() uses the cache by default. Gradient checkpointing needs it off only in training; " +
		"model.config.use_cache = False does that, and generation_config.use_cache stays True.",
	Bad:  "model.generate(**batch, max_new_tokens=225, use_cache=False)",
	Good: "model.generate(**batch, max_new_tokens=225)",
	Source: func(p *SourcePass) {
		if !p.trained() || p.Module.Role == project.Test {
			return
		}
		for _, s := range p.Module.Sites {
			if s.Method() != "generate" || s.Calls.Func != nil || p.Project.Unused(p.Module, s.Node.Start) {
				continue
			}
			c := Call{s, p}
			if off := c.Arg("use_cache"); off.IsFalse() {
				p.Report(c.Callee(), likely*off.Confidence()).Because(off)
			} else if set := p.cacheSwitchedOff(s); off.Missing() && set != nil {
				p.Report(c.Callee(), probable).Because(p.At(set.Target, "switched off here"))
			}
		}
		off := p.cachesOff()
		if len(off) == 0 {
			return
		}
		if asked := p.generatingTrainer(); asked != nil {
			for _, a := range off {
				p.Report(a.Target, probable).Because(asked).Saying("each evaluation of the trainer generates without a cache of keys and values")
			}
		}
	},
}

// generatingTrainer is where a trainer of this program is told to generate in its evaluations, or nil.
func (p *SourcePass) generatingTrainer() any {
	for _, m := range p.Near() {
		in := p.In(m)
		for _, args := range in.HFArguments() {
			if generates := args.Arg("predict_with_generate"); generates.IsTrue() {
				return in.At(args.Callee(), "its evaluations generate")
			}
		}
	}
	return nil
}

// cachesOff are the assignments of False to the use_cache of a generation_config that nothing of this module sets to another value.
func (p *SourcePass) cachesOff() (list []*project.Assignment) {
	for _, a := range p.Module.Assignments {
		if target, ok := a.Target.(*pysrc.Attribute); ok && target.Attr == "use_cache" && isGenerationConfig(target.Value) {
			if !p.Eval(a.Value).IsFalse() {
				return nil
			}
			list = append(list, a)
		}
	}
	return list
}

// cacheSwitchedOff is where this module sets generation_config.use_cache to False for good.
func (p *SourcePass) cacheSwitchedOff(generate *project.Site) (off *project.Assignment) {
	model := generate.Node.Func.(*pysrc.Attribute).Value
	for _, a := range p.cachesOff() {
		if config := a.Target.(*pysrc.Attribute).Value.(*pysrc.Attribute); lastName(config.Value) == lastName(model) {
			off = a
		}
	}
	return off
}

// isGenerationConfig reports model.generation_config.
func isGenerationConfig(e pysrc.Expr) bool {
	a, ok := e.(*pysrc.Attribute)
	return ok && a.Attr == "generation_config"
}
