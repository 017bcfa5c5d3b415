package rule

import (
	"slices"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// foreachDisabled finds optimizers that are told to take one tensor at a time.
var foreachDisabled = Rule{
	Code: "SAT407", Name: "foreach-disabled", Severity: Warning, Subject: AboutOptimizer,
	Areas: []Area{OptimizerArea}, NeedsGPU: true,
	Asks: [][]string{{"optimizer=foreach"}, {"optimizer=fused"}}, Choice: OptimizerChoice,
	Title: "the optimizer updates one tensor at a time",
	What: "foreach=False passed to a torch optimizer or to clip_grad_norm_, on a GPU, without fused=True. Also " +
		"an optimizer or a parameter group for each parameter, gradients clipped one by one, and weights changed by their gradients in a Python loop.",
	Why: "Each tensor then has its own kernels: a step launches thousands of small ones, and the GPU waits for " +
		"the host.",
	Fine:   "Too little memory for the temporary copies of foreach (about the size of the parameters).",
	Bad:    "torch.optim.AdamW(model.parameters(), foreach=False)",
	Good:   "torch.optim.AdamW(model.parameters())",
	Safety: Safe,
	Source: func(p *SourcePass) {
		for _, c := range append(p.Constructions("torch.optim.Optimizer"), p.CallsTo("torch.nn.utils.clip_grad_norm_")...) {
			foreach := c.Arg("foreach")
			if !foreach.IsFalse() || c.Arg("fused").IsTrue() || !p.runsOnGPU() || p.EvaluationOnly(c) {
				continue
			}
			r := p.Report(c.Callee(), foreach.Confidence()*p.GPU()).Because(foreach).beingLittle(p.fewLargeTensors())
			if foreach.Origin.How == project.InPlace {
				r.Fix(Safe, "use torch's default", foreach.SetTo("None"))
				if fused := p.fuseInstead(c); fused != nil {
					r.Fix(Unsafe, "fuse the optimizer", *fused)
				}
			} else {
				r.Fix(Safe, "update all tensors together", foreach.SetTo("True"))
			}
		}
		p.stepsByParameter()
	},
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() {
			return
		}
		p.File.EachMade(func(name string, _, arguments *project.Setting) {
			foreach, fused := arguments.Child("foreach"), arguments.Child("fused")
			if strings.HasPrefix(name, "torch.optim.") && foreach != nil && foreach.Value().IsFalse() && (fused == nil || !fused.Value().IsTrue()) {
				p.Report(foreach, likely).Fix(Safe, "update all tensors together", p.Set(foreach, "True"))
			}
		})
	},
}

// fewLargeTensors says why an update of one tensor after the other costs little, or nothing: large tensors take longer than
// their launches, and several batches go before each update.
func (p *SourcePass) fewLargeTensors() string {
	large := p.sharded() || len(p.CallsTo("lightning.fabric.strategies.FSDPStrategy", "lightning.pytorch.strategies.FSDPStrategy")) > 0 ||
		p.besideSlowStep() != ""
	if !large || !slices.ContainsFunc(p.MethodCalls("step", "optimizer_step"), p.accumulated) {
		return ""
	}
	return "a large model takes several batches before each update"
}

// accumulated reports a call that an if makes every few batches: if step % 8 == 0, or if not accumulating.
func (p *SourcePass) accumulated(c Call) bool {
	found := false
	p.testsAround(c, func(test pysrc.Expr) {
		pysrc.Inspect(test, func(n pysrc.Node) bool {
			if name, ok := n.(*pysrc.Name); ok {
				if said := p.Module.SaidOnce(name); said != nil {
					found = found || hasRemainder(said)
				}
			}
			return !found
		})
		found = found || hasRemainder(test)
	})
	return found
}

func hasRemainder(e pysrc.Expr) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		b, ok := n.(*pysrc.BinOp)
		found = found || ok && b.Op == pysrc.Mod
		return !found
	})
	return found
}

// fuseInstead gives the edit that writes fused=True in the place of foreach=False; nil where the optimizer has no fused
// form.
func (p *SourcePass) fuseInstead(c Call) *patch.Edit {
	fuses := slices.ContainsFunc(p.optimizers(), func(o Call) bool { return o.Node == c.Node })
	if !fuses || !c.Arg("fused").Missing() || c.Arg("capturable").Given() || c.Arg("differentiable").Given() || p.sharded() ||
		p.notFusedYet(c) != "" || p.neverFused(c) {
		return nil
	}
	for _, k := range c.Node.Keywords {
		if k.Name == "foreach" {
			edit := p.Replace(k, "fused=True")
			return &edit
		}
	}
	return nil
}
