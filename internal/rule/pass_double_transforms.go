package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// doubleTransforms reports batches that are float64 because a transform of their dataset gives arrays of scikit-image, and that a step of the
// same module turns into float32: on the host, in the training process, where it does so before it copies them.
func (p *SourcePass) doubleTransforms() {
	for _, loader := range p.TrainingLoaders() {
		made := p.doubleTransform(loader)
		if made == nil {
			continue
		}
		for _, c := range p.castsOfBatches() {
			x, ok := innermost(c.Receiver()).(*pysrc.Name)
			if !ok || !p.isFirstOfBatch(x) {
				continue
			}
			r := p.Report(c, probable*p.GPU()).At(Advice).Because(p.At(loader, "loaded here"), *made).
				Advising("Convert them where they are made, x.astype(np.float32): the workers then do it, and half the bytes go through them and to the GPU.")
			if p.valueOnGPU(c.Receiver(), 0) >= likely {
				r.Saying("the batch is float64, and is copied so before it is turned into float32")
			} else {
				r.Saying("the batch is float64, and the training process turns it into float32 before each copy")
			}
			return
		}
	}
}

// doubleTransform is where a transform of a loader's dataset makes float64 of its images; nil where none does.
func (p *SourcePass) doubleTransform(loader Call) *project.Step {
	data := loader.Arg("dataset")
	for _, v := range append([]Value{data}, data.Either...) {
		if v.Made == nil {
			continue
		}
		for _, given := range argumentsOf(v.Made.Node) {
			for _, part := range p.eval.Parts(p.In(v.Made.Module()).Eval(given)) {
				if part.Class == nil || part.Class.Method("__call__") == nil {
					continue
				}
				call := part.Class.Method("__call__")
				q := p.In(call.Module)
				for _, s := range call.Sites {
					if strings.HasPrefix(s.Name(), "skimage.color.rgb2") && !slices.ContainsFunc(s.Node.Args, q.castBefore) &&
						slices.ContainsFunc(call.Returns(), func(e pysrc.Expr) bool { return q.givesAsItIs(e, s.Node) }) {
						at := q.At(s, "made as float64")
						return &at
					}
				}
			}
		}
	}
	return nil
}

// givesAsItIs reports an expression that is a call, or the variable that only holds what it gives.
func (p *SourcePass) givesAsItIs(e pysrc.Expr, c *pysrc.Call) bool {
	if e == pysrc.Expr(c) {
		return true
	}
	name, ok := e.(*pysrc.Name)
	return ok && p.Module.SaidLast(name) == pysrc.Expr(c)
}

// isFirstOfBatch reports the first part of what the loop around it is given, where a dataset of images holds the image: for x, y in loader.
func (p *SourcePass) isFirstOfBatch(x *pysrc.Name) bool {
	loop, ok := p.LoopAround(x).(*pysrc.For)
	if !ok {
		return false
	}
	target := itemOf(loop)
	if t, ok := target.(*pysrc.Tuple); ok && len(t.Elts) > 0 {
		target = t.Elts[0]
	}
	return isNamed(target, x.ID)
}
