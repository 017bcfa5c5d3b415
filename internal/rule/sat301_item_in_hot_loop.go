package rule

import (
	"slices"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// itemInHotLoop finds values that are read back from the GPU in every training step.
var itemInHotLoop = Rule{
	Code: "SAT301", Name: "item-in-hot-loop", Severity: Warning, Subject: AboutWaits,
	Areas: []Area{HostArea}, NeedsGPU: true,
	Asks:  [][]string{{"sync=scalar"}},
	Title: "a value is read back from the GPU in every step",
	What: "x.item(), x.tolist(), float(x), int(x) or math.sqrt(x) on a tensor that the model computed, in a training step and " +
		"not behind a condition such as step % 100 == 0.",
	Why: "The host waits until every queued kernel has run. The launch queue is then empty, and the GPU idles " +
		"until the host has filled it again.",
	Fine: "Training on the CPU. A value that decides what the next step does. Steps so long that one wait is " +
		"negligible.",
	Advice: "Accumulate on the GPU with .detach() and read the value once after the loop, or only every N steps.",
	Gain:   Range{1.0, 1.2, "1.18× in fairchem, 40 to 50 ms saved per step in torchtune, under 1% in LANfactory"},
	Bad:    "for batch in loader:\n    …\n    total += loss.item()",
	Good:   "for batch in loader:\n    …\n    total += loss.detach()\nprint(total.item())",
	Safety: Safe, AtWorst: Unsafe, OneWait: true,
	Source: func(p *SourcePass) {
		if !p.Module.InStep() {
			return
		}
		p.dataReads()
		found := p.waitingReads()
		p.together(found)
		if len(found) > 0 {
			p.alsoRead(found[0].Report)
			p.alsoEvaluated(found[0].Report)
		}
	},
}

// isBranch reports a call that a branch waits for, which another rule reports: if math.isnan(loss).
func (p *SourcePass) isBranch(c readBack) bool {
	return slices.ContainsFunc(p.Module.Tests, func(test pysrc.Expr) bool {
		return test.Bounds().Contains(int(c.Node.Start)) && p.branchOn(test) == pysrc.Expr(c.Node)
	})
}

// waitingRead is a report of a read with the loop that it stands in, or nil.
type waitingRead struct {
	*Report
	loop pysrc.Stmt
}

// waitingReads reports the reads of this module that every step waits for.
func (p *SourcePass) waitingReads() []waitingRead {
	var found []waitingRead
	for _, call := range p.readsBack() {
		if !p.mayStep(call) {
			continue
		}
		sure := max(p.OnDevice(call.tensor), p.givenToModel(call), p.hasItem(call))
		if sure < probable || p.inProgressBar(call) || p.testedAbove(call) || call.math && p.isBranch(call) || p.clippedNorm(call.tensor) || p.givenNumbers(call) || p.readsEachGradient(call) {
			continue
		}
		path, ok := p.EachStep(call)
		if !ok || p.countsPacked(call.tensor) {
			continue
		}
		r := p.Report(call, sure*path.Sure).Because(path).
			Saying("%s waits for the GPU in every step", p.Short(call))
		if p.acts(call) {
			r.sayActing() // of one environment, which gets a number
			continue
		}
		if loop := p.LoopAround(call); loop != nil && !p.isTrainingLoop(loop) && p.ofPart(partRead{call, call.tensor, false}) {
			r.Because(p.At(header(loop), "once for each part of the tensor")).
				Saying("%s waits for the GPU for each part of a tensor, in every step", p.Short(call))
			rows, _ := loop.(*pysrc.For)
			p.fillAtOnce(r, rows)
		}
		p.becauseGiven(r, call.Call, call.tensor)
		if !call.math { // whose value the host needs at once
			p.keepSumOnDevice(r, call)
			p.readLater(r, call)
			if len(r.finding.Fixes) == 0 {
				p.keepOnDevice(r, call)
			}
		}
		found = append(found, waitingRead{r, p.LoopAround(call)})
	}
	return found
}

// hasItem is the confidence that x.item() reads a tensor of the GPU where nothing is known of x: in a program of torch, little else
// that a step computes has an item.
func (p *SourcePass) hasItem(c readBack) float64 {
	if c.Method() == "item" && p.Eval(c.tensor).Kind == project.Unknown && p.Module.Imports("torch") && !p.usesJAX() && p.Module.InStep() {
		return probable
	}
	return 0
}

// givenNumbers reports a read of what a function gets by any keyword, for k, v in kwargs.items(), if each training step
// passes numbers.
func (p *SourcePass) givenNumbers(c readBack) bool {
	name, ok := c.tensor.(*pysrc.Name)
	loop, in := p.LoopAround(c).(*pysrc.For)
	params := c.Func.Params()
	if !ok || !in || params == nil || params.Kwarg == nil || !callsNamed(loop.Iter, "items") ||
		!mentionsName(loop.Iter, params.Kwarg.Name) || !mentionsName(loop.Target, name.ID) {
		return false
	}
	givers := p.Project.Givers(c.Func)
	return len(givers) > 0 && !slices.ContainsFunc(givers, func(s *project.Site) bool {
		return slices.ContainsFunc(s.Node.Keywords, func(k *pysrc.Keyword) bool {
			return k.Name == "" || p.In(s.Module()).OnDevice(k.Value) >= perhaps
		})
	})
}

// becauseGiven names the other calls of training steps that hand a tensor to a function which reads it back: to a logger.
func (p *SourcePass) becauseGiven(r *Report, c Call, tensor pysrc.Expr) {
	name, params := project.RootName(tensor), c.Func.Params()
	if name == nil || params == nil {
		return
	}
	for _, s := range p.Project.Givers(c.Func) {
		given := s.Given(c.Func, name.ID)
		there := p.In(s.Module())
		if given == nil || !there.mayFetch(given) || r.names(there.At(s, "")) {
			continue
		}
		if way, hot := there.Hot(s); hot && !there.rareOnTheWay(way) && there.Rare(s) == nil {
			r.Because(there.At(s, "a tensor is given here"))
		}
	}
}

// mayFetch reports what a function that reads tensors back may wait for: what lies on the GPU, and a tensor of which nothing says
// that it is on the host.
func (p *SourcePass) mayFetch(e pysrc.Expr) bool {
	return p.OnDevice(e) >= likely || p.isTensor(e) && !p.filledOnHost(e, 0) && !p.asLoaded(e)
}

// givenToModel is the confidence that x.item() reads a tensor of the device because x, or what it is a part of, is a
// parameter of a method of a model: what has an item there is a tensor.
func (p *SourcePass) givenToModel(c readBack) float64 {
	class, params := p.Class(c), c.Func.Params()
	if c.Method() != "item" || class == nil || params == nil || !class.Derives("torch.nn.Module") {
		return 0
	}
	root := rootName(c.tensor)
	if root == c.Func.Self() || !slices.ContainsFunc(params.All(), func(a *pysrc.Arg) bool { return a.Name == root }) {
		return 0
	}
	return probable
}

// together keeps the repairs of a loop's reads only where the loop then waits for nothing, in
// itself or in what it calls: one
// wait that stays costs as much as two. Where something else needs an unsafe repair to stop
// waiting, all of them are unsafe.
func (p *SourcePass) together(found []waitingRead) {
	least := make([]Safety, len(found)) // before any repair is taken away
	waits := map[pysrc.Stmt][]*Report{}
	for i, w := range found {
		if least[i] = Safe; w.loop == nil || len(w.finding.Fixes) == 0 {
			continue
		}
		if waits[w.loop] == nil {
			waits[w.loop] = p.waitsOf(w.loop)
		}
		for _, other := range waits[w.loop] {
			switch {
			case len(other.finding.Fixes) == 0:
				least[i] = NoFix
			case least[i] == Safe:
				least[i] = other.finding.Fixes[0].Safety
			}
		}
	}
	for i, w := range found {
		fixes := w.finding.Fixes
		switch {
		case least[i] == NoFix:
			w.finding.Fixes = nil
		case len(fixes) > 0 && fixes[0].Safety == Safe:
			fixes[0].Safety = least[i]
		}
	}
}

// waitsOf are the reports of all that makes each step of a loop of this module wait. The reads of
// this module are reported already.
func (p *SourcePass) waitsOf(loop pysrc.Stmt) (waits []*Report) {
	called := map[*project.Function]bool{}
	modules := []*project.Module{p.Module}
	p.Reaches(p.Function(loop), func(s *project.Site) bool {
		if called[s.Func] = true; !slices.Contains(modules, s.Module()) {
			modules = append(modules, s.Module())
		}
		return false
	}, 3)
	for _, m := range modules {
		there := p.In(m)
		if there != p {
			there.waitingReads()
		}
		reports := there.reports
		for _, r := range [...]*Rule{&printTensorInLoop, &tqdmPostfixSync, &cpuNumpyInLoop, &tensorBoolBranch, &cudaSynchronize, &logEveryStep, &gradientNormSync} {
			reports = slices.Concat(reports, there.said(r).reports)
		}
		for _, r := range reports {
			fn := there.Function(r.span)
			if fn != p.Function(loop) && called[fn] || m == p.Module && loop.Bounds().Contains(int(r.span.Start)) {
				waits = append(waits, r)
			}
		}
	}
	return waits
}

// keepSumOnDevice repairs total += loss.item() where total is a plain variable
// that only code after the loop reads: the sum stays on the device, and each
// later use reads it once.
func (p *SourcePass) keepSumOnDevice(r *Report, c readBack) {
	sum, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.AugAssign)
	if !ok || sum.Value != pysrc.Expr(c.Node) || c.Method() != "item" {
		return
	}
	total, ok := sum.Target.(*pysrc.Name)
	if !ok {
		return
	}
	loop := p.LoopAround(sum)
	if loop == nil {
		return
	}
	kept, number := p.Text(c.tensor)+".detach()", "float"
	safety, title := Unsafe, "keep the sum on the GPU and read it once after the loop; it is rounded to float32"
	switch {
	case counts(c.tensor):
		number, safety, title = "int", Safe, "keep the count on the GPU and read it once after the loop"
	case p.half().used || p.half().governed:
		kept += ".float()" // a sum in half precision would soon stand still
	}
	uses, only := p.usesOutside(total.ID, number, loop)
	if !only || len(uses) == 0 {
		return
	}
	r.Fix(safety, title, append([]patch.Edit{p.Replace(c.Node, kept)}, uses...)...)
}

// counts reports a sum of comparisons, which is a whole number.
func counts(e pysrc.Expr) bool {
	c, ok := e.(*pysrc.Call)
	if !ok || lastName(c.Func) != "sum" {
		return false
	}
	of := firstArg(c)
	if a, ok := c.Func.(*pysrc.Attribute); ok && of == nil {
		of = a.Value
	}
	return compares(of)
}

// compares reports a comparison, whose result is true or false for each element.
func compares(e pysrc.Expr) bool {
	if c, ok := e.(*pysrc.Call); ok {
		return lastName(c.Func) == "eq"
	}
	_, is := e.(*pysrc.Compare)
	return is
}
