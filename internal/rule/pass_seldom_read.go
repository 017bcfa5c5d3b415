package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// seldomRead reports what a training loop computes in every step with a costly function of the project, though only the branch for
// a log every few steps reads it.
func (p *SourcePass) seldomRead() {
	for _, loop := range p.TrainingLoops() {
		if loop.Func.Def == nil {
			continue
		}
		for _, s := range loop.Body() {
			a, ok := s.(*pysrc.Assign)
			if !ok || len(a.Targets) != 1 {
				continue
			}
			names := namesStored(a.Targets[0])
			work := p.costlyLook(loop.Func, a.Value)
			if work == nil || len(names) == 0 {
				continue
			}
			guard := p.onlyReadNowAndThen(loop, a, names)
			if guard == nil {
				continue
			}
			if way, ok := p.EachStep(a); ok {
				p.Report(a.Value, likely*way.Sure).Because(*guard, *work).
					Saying("%s is computed in every step, though only a log every few steps reads it", p.Short(a.Targets[0])).
					Advising("Compute it in the branch that logs it.")
			}
		}
	}
}

// onlyReadNowAndThen is the branch of a loop that reads the variables of an assignment every few steps, if nothing else does; nil
// otherwise.
func (p *SourcePass) onlyReadNowAndThen(loop *project.Loop, a *pysrc.Assign, names map[string]bool) *project.Step {
	var branch *project.Step
	elsewhere := false
	p.Inspect(loop.Func.Def, func(n pysrc.Node) bool {
		x, ok := n.(*pysrc.Name)
		if !ok || !names[x.ID] || elsewhere || a.Targets[0].Bounds().Contains(int(x.Start)) {
			return !elsewhere
		}
		guard := p.Rare(x)
		if x.Ctx == pysrc.Store || !loop.Bounds().Contains(int(x.Start)) || x.Start < a.End || guard == nil || guard.Kind != project.EveryN {
			elsewhere = true
			return false
		}
		branch = &project.Step{Text: "read here", Source: guard.Source, Span: guard.Span}
		return true
	})
	if elsewhere {
		return nil
	}
	return branch
}

// costlyLook is the call in an expression of a function of the project that goes through a loop or waits for the GPU; nil where there
// is none.
func (p *SourcePass) costlyLook(fn *project.Function, e pysrc.Expr) *project.Step {
	for _, s := range fn.Sites {
		of := s.Calls.Func
		if !e.Bounds().Contains(int(s.Node.Start)) || of == nil || of.Def == nil || s.Calls.Kind != project.Callable || changesSomething(of) {
			continue
		}
		if p.In(of.Module).loopsOverData(of) {
			at := p.At(s.Node, "a loop over the batch")
			return &at
		}
		if path, ok := p.Reaches(of, waitsForGPU, 2); ok {
			last := path.Calls[len(path.Calls)-1]
			at := p.In(last.Module()).At(last.Node, "the host waits for the GPU")
			return &at
		}
	}
	return nil
}

// changesSomething reports a function whose call has another use than its result: it takes gradients, writes in place, or changes
// its object or what it is given.
func changesSomething(fn *project.Function) bool {
	given := func(e pysrc.Expr) bool { root := rootName(e); return root == fn.Self() || fn.HasParameter(root) }
	if slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		method := s.Method()
		on, ok := s.Node.Func.(*pysrc.Attribute)
		switch {
		case differentiates(s), method == "step", strings.HasSuffix(method, "_"):
			return true
		}
		return ok && (method == "append" || method == "extend" || method == "update" || method == "add" || method == "write") && given(on.Value)
	}) {
		return true
	}
	return slices.ContainsFunc(fn.Module.Assignments, func(a *project.Assignment) bool {
		_, name := a.Target.(*pysrc.Name)
		return a.Func == fn && !name && given(a.Target)
	})
}

// loopsOverData reports a function with a loop over more than a few things written out.
func (p *SourcePass) loopsOverData(fn *project.Function) bool {
	return slices.ContainsFunc(p.outerLoops(fn), func(loop *pysrc.For) bool {
		return !overConstant(loop.Iter) && slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
			return inBody(loop.Body, s.Node) && (strings.HasPrefix(s.Calls.Name, "torch") || strings.HasPrefix(s.Calls.Name, "sklearn."))
		})
	})
}

// waitsForGPU reports a call that copies a tensor to the host, or whose result has a size that the host must ask for.
func waitsForGPU(s *project.Site) bool {
	switch s.Method() {
	case "item", "tolist", "cpu", "numpy", "nonzero":
		return len(s.Node.Args) == 0
	}
	return strings.HasPrefix(s.Calls.Name, "torchvision.ops.") && strings.HasSuffix(s.Calls.Name, "nms") || strings.HasPrefix(s.Calls.Name, "sklearn.metrics.")
}

// metricsOfAll reports metrics of torchmetrics over all samples so far that every step computes again.
func (p *SourcePass) metricsOfAll() {
	for _, c := range p.MethodCalls("compute") {
		metric := p.Eval(c.Receiver())
		if metric.Kind != project.Instance || !growsWithSamples(metric) {
			continue
		}
		way, ok := p.EachStep(c)
		if !ok {
			continue
		}
		p.Report(c, likely*way.Sure).Because(way).
			Saying("%s goes through all samples so far in every step", p.Short(c)).
			Advising("Compute it once per epoch: give self.log the metric itself with on_epoch=True, or call compute() behind the loop. " +
				"thresholds= keeps a fixed number of bins instead of all samples.")
	}
}

// growsWithSamples reports a metric of torchmetrics that keeps every sample: rankings, curves, distances of distributions.
func growsWithSamples(metric Value) bool {
	if !strings.HasPrefix(metric.Name, "torchmetrics.") || metric.Made != nil && metric.Made.Node.Keyword("thresholds") != nil {
		return false
	}
	name := project.LastOf(metric.Name)
	return strings.HasPrefix(name, "Retrieval") || slices.ContainsFunc(keepSamples, func(end string) bool { return strings.HasSuffix(name, end) })
}

// keepSamples are the ends of the names of such metrics.
var keepSamples = []string{
	"AveragePrecision", "AUROC", "ROC", "PrecisionRecallCurve", "SpearmanCorrCoef", "KendallRankCorrCoef", "FrechetInceptionDistance",
	"KernelInceptionDistance", "InceptionScore", "CatMetric", "AtFixedRecall", "AtFixedPrecision", "AtSensitivity", "AtSpecificity",
}
