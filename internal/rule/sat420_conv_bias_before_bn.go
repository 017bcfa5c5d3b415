package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// convBiasBeforeBN finds convolutions whose bias the batch norm behind them takes away again.
var convBiasBeforeBN = Rule{
	Code: "SAT420", Name: "conv-bias-before-bn", Severity: Advice, Subject: AboutConvolutions, General: true,
	Areas: []Area{ComputeArea},
	Title: "batch norm cancels the bias of the convolution before it",
	What: "nn.Conv1d, Conv2d or Conv3d with a bias directly before a batch norm: next to each other in an " +
		"nn.Sequential or a list, or as self.bn(self.conv(x)).",
	Why: "Batch norm subtracts the mean of each channel and the bias with it. The bias is added, its gradient is " +
		"summed over the batch and the optimizer updates it, without effect.",
	Fine: "Checkpoints that contain the bias and are loaded strictly. A frozen batch norm with the statistics of " +
		"another model.",
	Advice: "Pass bias=False to the convolution.",
	Gain:   Range{1.06, 1.14, "measured on an H200 with networks of 12 and 16 convolutions, in float32 and bfloat16"},
	Bad:    "nn.Sequential(nn.Conv2d(64, 64, 3), nn.BatchNorm2d(64), nn.ReLU())",
	Good:   "nn.Sequential(nn.Conv2d(64, 64, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU())",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		convolutions := p.CallsTo("torch.nn.Conv1d", "torch.nn.Conv2d", "torch.nn.Conv3d")
		norms := p.CallsTo(batchNorms...)
		if len(convolutions) == 0 || len(norms) == 0 || p.GPU() <= perhaps || !p.trained() || p.multipliesMatrices() {
			return // behind products of matrices, what is added to a few convolutions is nothing
		}
		behind := p.normBehind()
		small := "the bias is one of several passes over what a convolution computes"
		if p.nearCalls(recurrentLayers...) && p.nearMade("torch.nn.Conv1d", "torch.nn.Conv2d", "torch.nn.Conv3d") < manyConvolutions {
			small = "recurrent layers take the time, beside a few convolutions"
		}
		for _, c := range convolutions {
			norm := behind[c.Node]
			if bias := c.Arg("bias"); norm != nil && (bias.Missing() ||
				bias.IsTrue()) && !p.EvaluationOnly(c) && p.runsInSteps(c) {
				r := p.Report(c.Callee(), nearlyCertain*bias.Confidence()).beingLittle(small).Because(bias, p.At(norm, "the batch norm after it"))
				if !p.NearSays("load_state_dict", "torch.load", "from_pretrained", "load_checkpoint") && !p.readsBias() {
					r.Fix(Unsafe, "remove the bias; checkpoints that contain it no longer load", bias.SetTo("False"))
				}
			}
		}
	},
}

// manyConvolutions is from how many on convolutions count beside recurrent layers.
const manyConvolutions = 8

// runsInSteps reports whether the forward of the class that makes a layer runs in every training step.
func (p *SourcePass) runsInSteps(layer Call) bool {
	class := p.Class(layer)
	if class == nil {
		return true // a function that builds a network
	}
	forward := class.Methods["forward"]
	if forward == nil || forward.Def == nil || len(forward.Def.Body) == 0 {
		return class.Derives("torch.nn.Sequential")
	}
	_, ok := p.EachStep(forward.Def.Body[0])
	return ok
}

var batchNorms = []string{"torch.nn.BatchNorm1d", "torch.nn.BatchNorm2d", "torch.nn.BatchNorm3d", "torch.nn.SyncBatchNorm"}

// normBehind gives, for each convolution that is made in this module, the batch norm that directly follows it.
func (p *SourcePass) normBehind() map[*pysrc.Call]Node {
	behind := map[*pysrc.Call]Node{}
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		var row []pysrc.Expr
		switch n := n.(type) {
		case *pysrc.Call:
			if p.NameOf(n.Func) != "torch.nn.Sequential" {
				return true
			}
			row = n.Args
		case *pysrc.List:
			row = n.Elts
		}
		for i := 1; i < len(row); i++ {
			first, ok := row[i-1].(*pysrc.Call)
			second, also := row[i].(*pysrc.Call)
			if ok && also && p.isBatchNorm(second) {
				behind[first] = second.Func
			}
		}
		return true
	})
	for _, c := range p.InstanceCalls(batchNorms...) { // self.bn(self.conv(x))
		inner, ok := firstArg(c.Node).(*pysrc.Call)
		if !ok || project.FieldOfSelf(inner.Func) == "" || p.isOneOfSeveral(c.Node.Func) {
			continue
		}
		if made := p.Eval(inner.Func).Made; made != nil && made.Module() == p.Module && p.calledOnce(inner.Func) {
			behind[made.Node] = c.Callee()
		}
	}
	return behind
}

// isOneOfSeveral reports a layer self.norm that its class sets in several places, so that it may be another one, or none.
func (p *SourcePass) isOneOfSeveral(layer pysrc.Expr) bool {
	field, class, times := project.FieldOfSelf(layer), p.Class(layer), 0
	if field == "" || class == nil {
		return false
	}
	for _, fn := range class.Methods {
		if fn.Def == nil {
			continue
		}
		for _, s := range fn.Def.Body {
			pysrc.Inspect(s, func(n pysrc.Node) bool {
				if a, ok := n.(*pysrc.Assign); ok && slices.ContainsFunc(a.Targets, func(t pysrc.Expr) bool { return project.FieldOfSelf(t) == field }) {
					times++
				}
				return true
			})
		}
	}
	return times > 1
}

func (p *SourcePass) isBatchNorm(c *pysrc.Call) bool {
	name := p.NameOf(c.Func)
	for _, n := range batchNorms {
		if name == n {
			return true
		}
	}
	return false
}

// calledOnce reports whether a layer self.conv is called in one place of its class.
func (p *SourcePass) calledOnce(layer pysrc.Expr) bool {
	times, name, class := 0, pysrc.DottedName(layer), p.Class(layer)
	for _, s := range p.Module.Sites {
		if pysrc.DottedName(s.Node.Func) == name && p.Class(s) == class {
			times++
		}
	}
	return name != "" && times == 1
}

// readsBias reports a module that reaches for a bias itself, which may then be None.
func (p *SourcePass) readsBias() bool {
	found := false
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Attribute); ok && a.Attr == "bias" {
			found = true
		}
		return !found
	})
	return found
}
