package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// widenedByWorkers is why images that become float32 in a dataset cost little.
const widenedByWorkers = "the loader converts and copies them ahead of the step, where its workers keep up"

// imagesWidened reports images that become float32 for each sample of training: by ToTensor, or by a division by 255.
func (p *SourcePass) imagesWidened() {
	if p.GPU() == 0 || !p.trained() {
		return
	}
	var said *Report
	say := func(n Node, because ...any) {
		if said != nil {
			said.Too(p.At(n, "and here"))
			return
		}
		said = p.Report(n, likely*p.GPU()).Because(because...).Small(widenedByWorkers).
			Saying("images become float32 on the host, and four times the bytes go to the GPU").
			Advising("Let the dataset give uint8, and convert and normalize each batch on the GPU: x.to(device).float() / 255.")
	}
	for _, fn := range p.Module.Functions {
		for _, s := range fn.Sites {
			if to := p.toTensor(s.Possible()); to != nil && !p.In(to.Module()).EvaluationOnly(to) {
				if path, ok := p.EverySample(s); ok {
					say(s, path, p.In(to.Module()).At(to.Node, "here"))
				}
			}
		}
	}
	for _, loader := range p.TrainingLoaders() {
		data := loader.Arg("dataset")
		for _, v := range append([]Value{data}, data.Either...) {
			if v.Made == nil || v.Class != nil || !strings.HasPrefix(v.Name, "torchvision.datasets.") {
				continue
			}
			in := p.In(v.Made.Module())
			transform := (Call{v.Made, in}).Arg("transform")
			if to := in.toTensor(append([]Value{transform}, transform.Either...)); to != nil && !p.In(to.Module()).EvaluationOnly(to) {
				say(loader, p.In(to.Module()).At(to.Node, "here"))
			}
		}
	}
	for _, c := range p.CallsTo("torchvision.transforms.functional.to_tensor") {
		if path, ok := p.EverySample(c); ok {
			say(c, path)
		}
	}
	if !p.Module.Says("255") {
		return
	}
	for _, c := range p.widenings() {
		if path, ok := p.EverySample(c); ok && p.dividedBy255(c) {
			say(c, path)
		}
	}
}

// toTensor is where the ToTensor among these transforms is made, alone or in a composition.
func (p *SourcePass) toTensor(transforms []Value) *project.Site {
	return p.transformAmong(transforms, toTensors)
}

var toTensors = setOfNames("torchvision.transforms.ToTensor", "torchvision.transforms.v2.ToTensor")

// dividedBy255 reports bytes, as what is divided by their largest value was: x.float() / 255, x.float().div(255).
func (p *SourcePass) dividedBy255(c widening) (is bool) {
	pysrc.Inspect(p.Module.StatementAt(c.Node.Start), func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.BinOp:
			is = is || n.Op == pysrc.Div && n.Left == pysrc.Expr(c.Node) && is255(n.Right)
		case *pysrc.Call:
			method, ok := n.Func.(*pysrc.Attribute)
			is = is || ok && (method.Attr == "div" || method.Attr == "div_") && method.Value == pysrc.Expr(c.Node) && len(n.Args) > 0 && is255(n.Args[0])
		}
		return !is
	})
	return is
}

func is255(e pysrc.Expr) bool {
	n, ok := pysrc.FloatValue(e)
	return ok && n == 255
}
