package rule

import (
	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// numpyRoundtrip finds tensors that go through NumPy to become tensors again.
var numpyRoundtrip = Rule{
	Code: "SAT117", Name: "numpy-roundtrip", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "a tensor is converted to NumPy and back",
	What: "torch.tensor(x.numpy()), torch.FloatTensor(x.numpy()) or torch.from_numpy(x.cpu().numpy()) for every " +
		"sample or in every step.",
	Why: "x is already a tensor, so its values are copied needlessly. From the GPU they also travel to the host " +
		"and back while the host waits.",
	Fine:   "An array that NumPy works on in between. A tensor of another framework.",
	Bad:    "x = torch.tensor(features.numpy())",
	Good:   "x = features.clone()  # or features itself, if nothing writes to it",
	Safety: Safe,
	Source: func(p *SourcePass) {
		if p.otherTensors() {
			return
		}
		for _, c := range p.CallsTo("torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.FloatTensor",
			"torch.LongTensor", "torch.Tensor") {
			array, ok := firstArg(c.Node).(*pysrc.Call)
			if !ok || len(array.Args) > 0 || len(c.Node.Args) != 1 {
				continue
			}
			of, ok := array.Func.(*pysrc.Attribute)
			if !ok || of.Attr != "numpy" || p.Eval(array.Func).Func != nil || p.notTorch(of.Value) {
				continue
			}
			copies := c.Name() != "torch.from_numpy" && c.Name() != "torch.as_tensor"
			if !copies && !leavesGPU(of.Value) {
				continue // shares the memory, and costs next to nothing
			}
			way, ok := p.EverySample(c)
			if !ok {
				way, ok = p.EachStep(c)
			}
			if ok {
				p.Report(c, nearlyCertain*way.Sure).Because(way).
					Saying("%s is converted to NumPy and back to a tensor", p.Short(of.Value)).
					Fix(Safe, "copy the tensor directly", p.cloned(c, of.Value)...)
			}
		}
	},
}

// cloned gives the edit that writes x.clone() where torch.tensor(x.numpy()) makes the same.
func (p *SourcePass) cloned(c Call, tensor pysrc.Expr) []patch.Edit {
	if c.Name() != "torch.tensor" || len(c.Node.Keywords) > 0 {
		return nil
	}
	switch tensor.(type) {
	case *pysrc.Name, *pysrc.Attribute, *pysrc.Subscript, *pysrc.Call:
		return []patch.Edit{p.Replace(c, p.Text(tensor)+".clone()")}
	}
	return nil
}

// leavesGPU reports x.cpu() and x.detach().cpu().
func leavesGPU(e pysrc.Expr) bool {
	for {
		c, ok := e.(*pysrc.Call)
		if !ok {
			return false
		}
		a, ok := c.Func.(*pysrc.Attribute)
		if !ok {
			return false
		}
		if a.Attr == "cpu" {
			return true
		}
		e = a.Value
	}
}

// otherTensors reports a module with tensors of another framework, which have numpy() too.
func (p *SourcePass) otherTensors() bool {
	for _, library := range [...]string{
		"tensorflow", "tensorflow_datasets", "paddle", "mindspore", "jittor", "decord",
		"pyarrow",
	} {
		if p.Imports(library) {
			return true
		}
	}
	return false
}

// notTorch reports an object that is known to be something else than a tensor.
func (p *SourcePass) notTorch(e pysrc.Expr) bool {
	v := p.Eval(e)
	return v.Kind == project.Instance && v.Class != nil
}
