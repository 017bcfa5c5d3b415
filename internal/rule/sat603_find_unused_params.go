package rule

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// findUnusedParams finds DDP that looks for unused parameters in every step.
var findUnusedParams = Rule{
	Code: "SAT603", Name: "find-unused-params", Severity: Advice, Subject: AboutRanks,
	Areas: []Area{ComputeArea},
	Title: "every step searches the graph for unused parameters",
	What: "find_unused_parameters=True in DistributedDataParallel, a Lightning strategy or Accelerate's DDP arguments, " +
		"or ddp_find_unused_parameters in transformers.",
	Why: "DDP walks the whole autograd graph after each forward. Gradients of parameters that it did not find are " +
		"reduced separately, not overlapped with the backward pass.",
	Fine: "Models that use different parts in different steps: mixtures of experts, dropped layers, adversarial " +
		"training.",
	Advice: "Set it to False and check that training raises no error; it raises none if every step uses all " +
		"parameters. static_graph=True helps if the unused ones are always the same.",
	Bad:  "DistributedDataParallel(model, find_unused_parameters=True)",
	Good: "DistributedDataParallel(model)",
	Source: func(p *SourcePass) {
		say := func(c Call, v Value) {
			if !p.EvaluationOnly(c) && !p.branches() && !p.dropsLayers() {
				var place Node = c.Callee()
				if given := c.ArgumentNode("find_unused_parameters", -1); given != nil {
					place = given
				}
				p.Report(place, plausible*v.Confidence()).Because(v)
			}
		}
		for _, c := range p.Constructions("torch.nn.parallel.DistributedDataParallel", "lightning.pytorch.strategies.DDPStrategy", "lightning.pytorch.plugins.DDPPlugin",
			"accelerate.DistributedDataParallelKwargs", "accelerate.utils.DistributedDataParallelKwargs") {
			if strings.HasPrefix(c.Calls.Name, "accelerate.") && p.deepSpeeds() {
				continue // which wraps the model itself
			}
			if v := c.Arg("find_unused_parameters"); v.IsTrue() || p.trueInSome(c.ArgumentNode("find_unused_parameters", -1)) {
				say(c, v)
			}
		}
		for _, c := range p.Constructions("lightning.pytorch.Trainer") {
			if v := c.Arg("strategy"); v.Equals("ddp_find_unused_parameters_true") {
				say(c, v)
			}
		}
		for _, c := range p.TrainingArguments() {
			if v := c.Arg("ddp_find_unused_parameters"); v.IsTrue() {
				say(c, v)
			}
		}
	},
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() || p.Framework() == "" {
			return
		}
		for _, s := range p.Find(".find_unused_parameters", ".ddp_find_unused_parameters") {
			if s.Value().IsTrue() {
				p.Report(s, plausible)
			}
		}
		for _, s := range p.Find(".strategy") {
			if s.Value().Equals("ddp_find_unused_parameters_true") {
				p.Report(s, plausible)
			}
		}
	},
}

// deepSpeeds reports an Accelerator of this module that is given a plugin of DeepSpeed.
func (p *SourcePass) deepSpeeds() bool {
	return slices.ContainsFunc(p.Constructions("accelerate.Accelerator"), func(c Call) bool {
		plugin := c.ArgumentNode("deepspeed_plugin", -1)
		return plugin != nil && !p.Eval(plugin).IsNone()
	})
}

// dropsLayers reports a model that may leave layers out of a step, unless this module says that it drops none.
func (p *SourcePass) dropsLayers() bool {
	names := []string{"layerdrop", "layer_drop", "layers_to_drop", "LayerDrop"}
	if !p.NearSays(names...) {
		return false
	}
	for _, s := range p.Module.Sites {
		for _, name := range names {
			if k := s.Node.Keyword(name); k != nil {
				if share, known := p.Eval(k.Value).Float(); known && share == 0 {
					return false
				}
			}
		}
	}
	return true
}

// trueInSome reports a condition that is true in one of its arms: True if … else False, not getattr(config, "name",
// False).
func (p *SourcePass) trueInSome(e pysrc.Expr) bool {
	switch e := e.(type) {
	case *pysrc.IfExp:
		return p.Eval(e.Body).IsTrue() || p.Eval(e.Orelse).IsTrue() || p.trueInSome(e.Body) || p.trueInSome(e.Orelse)
	case *pysrc.UnaryOp:
		call, ok := e.Operand.(*pysrc.Call)
		return ok && e.Op == pysrc.Not && pysrc.DottedName(call.Func) == "getattr" && len(call.Args) == 3 && pysrc.IsConst(call.Args[2], pysrc.False)
	}
	return false
}
