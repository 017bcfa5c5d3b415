package rule

import (
	"bytes"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// halfWeightsUnderAdamW finds weights in float16 that an Adam updates.
var halfWeightsUnderAdamW = Rule{
	Code: "SAT405", Name: "half-weights-under-adamw", Severity: Error, Subject: AboutPrecision,
	Areas: []Area{ComputeArea},
	Title: "the optimizer updates float16 weights",
	What: "model.half() or from_pretrained(torch_dtype=torch.float16) on a model that Adam or AdamW updates, " +
		"without LoRA, DeepSpeed or a float32 copy.",
	Why: "Adam's eps of 1e-8 is zero in float16, and small updates are lost in the 10-bit mantissa. Training " +
		"turns to NaN or stops improving.",
	Fine:   "Frozen models (teachers, LoRA bases). Inference. Optimizers that keep a float32 copy.",
	Advice: "Keep the weights in float32 and use autocast. Or train bfloat16 weights deliberately.",
	Bad:    "model = Net().cuda().half()\noptimizer = torch.optim.AdamW(model.parameters())",
	Good: "model = Net().cuda()\noptimizer = torch.optim.AdamW(model.parameters())\nwith " +
		"torch.autocast(\"cuda\", dtype=torch.bfloat16):\n    …",
	Source: func(p *SourcePass) {
		if p.trainsAdapter() || p.sharded() || p.Uses("apex.*", "bitsandbytes.*") || p.GPU() == 0 {
			return
		}
		for _, optimizer := range p.CallsTo("torch.optim.Adam", "torch.optim.AdamW", "transformers.AdamW") {
			model := p.optimizedModel(optimizer)
			if model == nil || p.EvaluationOnly(optimizer) {
				continue
			}
			for _, half := range p.MethodCalls("half") {
				if len(half.Node.Args) == 0 && half.Node.Start < optimizer.Node.Start && p.sameFunction(half, optimizer) &&
					p.makes(half, model) && p.Rare(half) == nil {
					p.Report(half, project.Likely).Because(optimizer.Callee())
				}
			}
			for _, loaded := range p.Pretrained() {
				if loaded.loadedType().Name == "torch.float16" && p.sameFunction(loaded.Call, optimizer) &&
					p.makes(loaded.Call, model) {
					p.Report(loaded.Callee(), project.Likely).Because(optimizer.Callee())
				}
			}
		}
	},
}

// optimizedModel returns the model of model.parameters() that an optimizer is given, or nil.
func (p *SourcePass) optimizedModel(optimizer Call) pysrc.Expr {
	c, ok := optimizer.ArgumentNode("params", 0).(*pysrc.Call)
	if !ok || lastName(c.Func) != "parameters" {
		return nil
	}
	a, ok := c.Func.(*pysrc.Attribute)
	if !ok {
		return nil
	}
	return a.Value
}

func (p *SourcePass) sameFunction(a, b Call) bool { return p.Function(a) == p.Function(b) }

// makes reports a call on the model itself (model.half()), or in a statement that assigns it.
func (p *SourcePass) makes(c Call, model pysrc.Expr) bool {
	name := pysrc.DottedName(model)
	if name == "" {
		return false
	}
	if c.Method() != "from_pretrained" && pysrc.DottedName(c.Receiver()) == name {
		_, alone := p.Module.StatementAt(c.Node.Start).(*pysrc.ExprStmt)
		if alone {
			return true
		}
	}
	s, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign)
	if !ok || len(s.Targets) != 1 || pysrc.DottedName(s.Targets[0]) != name {
		return false
	}
	return !bytes.Contains(p.Module.Text[c.Node.End:s.End], []byte("float("))
}
