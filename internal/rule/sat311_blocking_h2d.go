package rule

import (
	"slices"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// blockingH2D finds batches that are copied to the GPU while the host waits.
var blockingH2D = Rule{
	Code: "SAT311", Name: "blocking-h2d", Severity: Warning, Subject: AboutCopies,
	Areas: []Area{DataArea, TransferArea}, NeedsGPU: true, Group: LoaderGroup,
	Asks:  [][]string{{"copies=pinned"}},
	Title: "the host waits while the batch is copied to the GPU",
	What: "x.to(device) or x.cuda() on a batch of the loader, or torch.as_tensor and torch.from_numpy of an array that " +
		"goes there, in every training step, without non_blocking=True. In JAX, jnp.reshape of a batch for " +
		"jax.pmap, which takes the whole batch to the first device.",
	Why: "The copy queues behind the previous step, and the host waits for both instead of queueing the next " +
		"kernels. From pinned memory, non_blocking=True lets the host continue.",
	Fine: "Loaders prepared by Accelerate or a trainer. Batches already on the GPU. Copies to the host must stay " +
		"blocking.",
	Bad: "for x, y in loader:  # pin_memory=True\n    x, y = x.to(device), y.to(device)",
	Good: "for x, y in loader:  # pin_memory=True\n    x, y = x.to(device, non_blocking=True), y.to(device, " +
		"non_blocking=True)",
	Safety: Safe, AtWorst: Unsafe,
	Source: func(p *SourcePass) {
		p.copiedArrays()
		p.movedModels()
		p.spreadFromFirst()
		type copies struct {
			report *Report
			edits  []patch.Edit
			safety Safety
		}
		loops := map[pysrc.Stmt]*copies{} // one finding for all the copies of a loop
		var order []*copies
		for _, move := range p.movesToDevice() {
			if !p.mayStep(move) || move.Node.Keyword("non_blocking") != nil || p.isModel(move.tensor) || !p.fromLoader(move) ||
				p.preparedBatch(move) || p.madeHere(move.tensor) || p.asksForDevice(move) {
				continue
			}
			if _, hidden := move.Node.Unpacks(); hidden || len(move.Node.Args) > 1 {
				continue
			}
			way, ok := p.EachStep(move)
			if !ok || way.Kind == project.Forward || p.loadsGraphs() {
				continue
			}
			loop := p.outermost(p.LoopAround(move))
			if loop == nil {
				loop = p.Function(move).Def // a step of its own
			}
			of := loops[loop]
			if of == nil {
				of = &copies{safety: Safe, report: p.Report(move.Call, way.Sure*nearlyCertain).Because(way).
					Saying("%s waits for the copy and for the previous step", p.Short(move.Call)).
					Advising("Pass non_blocking=True here and pin_memory=True to the loader; from pageable memory the copy still waits.").OnlyWaits()}
				loops[loop] = of
				order = append(order, of)
			}
			if _, whole := move.tensor.(*pysrc.Name); whole && p.loopTarget(move.tensor) {
				of.safety = Unsafe // a batch of its own kind, whose to() may not know non_blocking
			}
			if isName(move.tensor) && p.movesItselfBlocking(move.Method()) {
				continue
			}
			if p.movesItself(move.Method()) {
				of.safety = Unsafe
			}
			of.edits = append(of.edits, move.SetArg("non_blocking", "True"))
		}
		if len(order) == 0 || p.copiesSmallBatches() {
			p.reports = p.reports[:len(p.reports)-len(order)]
			return
		}
		p.alsoCopied(order[0].report)
		pinned, rows := p.pins(), p.copiesRows()
		for _, of := range order {
			if rows {
				of.report.Beside(1) // where the step waits anyway, only the copy itself is left to gain
			}
			if !pinned {
				of.safety = Unsafe // nothing to gain, as far as is known
			}
			of.report.Fix(of.safety, "continue while the copies run", of.edits...)
		}
	},
}

// asksForDevice reports a move in an arm of a test about the tensor's device: if x.device != device. It moves what lies
// elsewhere, and mostly nothing does.
func (p *SourcePass) asksForDevice(move hostMove) bool {
	found := false
	p.testsAround(move, func(test pysrc.Expr) {
		pysrc.Inspect(test, func(n pysrc.Node) bool {
			a, ok := n.(*pysrc.Attribute)
			found = found || ok && (a.Attr == "device" || a.Attr == "is_cuda") && p.Text(a.Value) == p.Text(move.tensor)
			return !found
		})
	})
	return found
}

// copiedArrays reports the arrays of NumPy that every step copies to the GPU, one finding for each function.
func (p *SourcePass) copiedArrays() {
	said := map[*project.Function]*Report{}
	for _, c := range p.hostCopies() {
		way, ok := p.EachStep(c)
		if !ok || p.acts(c) || p.inModel(way, c) || p.filledByHost(c.from) || p.isCount(c.from) || c.Node.Keyword("non_blocking") != nil ||
			p.heldByObject(c.from, way) || p.heldOnHost(c.from, 0) || p.asksForTensor(c) {
			continue
		}
		few := p.besideWaits(c.from)
		if r := said[c.Func]; r != nil {
			r.Too(p.At(c, "and here")).also(few)
			continue
		}
		said[c.Func] = p.Report(c, way.Sure*nearlyCertain).Because(way).
			Saying("%s is copied from pageable memory in every step, and the host waits", p.Short(c.from)).
			Advising("Copy from pinned memory with non_blocking=True, prefetch the next batch on another thread, or keep the data on the GPU where it fits.").
			Beside(few)
	}
}

// isCount reports a number that says how many there are, or a list of one: a copy that hardly costs beside a batch.
func (p *SourcePass) isCount(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Call:
		return lastName(x.Func) == "len" || lastName(x.Func) == "size"
	case *pysrc.Subscript:
		return shapeOf(x.Value) != nil
	case *pysrc.List:
		return len(x.Elts) == 1 && p.isCount(x.Elts[0])
	case *pysrc.IfExp:
		return p.isCount(x.Body) && p.isCount(x.Orelse)
	case *pysrc.Name:
		values := p.assignments(x.ID, p.Function(x))
		return len(values) > 0 && !slices.ContainsFunc(values, func(v pysrc.Expr) bool {
			_, again := v.(*pysrc.Name)
			return again || !p.isCount(v)
		})
	}
	return false
}

// movesItselfBlocking reports whether the project has a class of its own with such
// a method that does not take non_blocking.
func (p *SourcePass) movesItselfBlocking(method string) bool {
	for _, m := range p.Project.Modules {
		for _, c := range m.Classes {
			to := c.Methods[method]
			if to == nil || to.Def == nil || m.Role == project.Test {
				continue
			}
			takes := to.Def.Args.Kwarg != nil
			for _, a := range to.Def.Args.All() {
				takes = takes || a.Name == "non_blocking"
			}
			if !takes {
				return true
			}
		}
	}
	return false
}

// madeHere reports a tensor that its function makes itself, of NumPy arrays perhaps: it is not pinned.
func (p *SourcePass) madeHere(e pysrc.Expr) bool {
	name, ok := e.(*pysrc.Name)
	fn := p.Function(e)
	if !ok || fn.Def == nil {
		return false
	}
	for _, value := range p.assignments(name.ID, fn) {
		if c, ok := value.(*pysrc.Call); ok {
			switch p.NameOf(c.Func) {
			case "torch.Tensor", "torch.FloatTensor", "torch.LongTensor", "torch.tensor", "torch.as_tensor", "torch.from_numpy":
				return true
			}
		}
	}
	return false
}

// pins reports whether a loader near this module gives pinned batches, or will
// once no-pin-memory is repaired.
func (p *SourcePass) pins() bool {
	for _, m := range p.Near() {
		near := p.In(m)
		for _, loader := range near.Constructions("torch.utils.data.DataLoader") {
			pin := loader.Arg("pin_memory")
			if pin.IsTrue() || !pin.Unknown() && !near.EvaluationOnly(loader) && pin.SetTo("True").Path != "" {
				return true
			}
		}
		if m.Says("'pin_memory': True") || m.Says(`"pin_memory": True`) {
			return true
		}
	}
	return false
}
