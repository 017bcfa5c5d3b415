package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// rowsOfEvaluation reports the loops in which Python computes on the results of an evaluation row by row, in what training runs again and
// again beside its steps: the metrics of each sample, boxes and heat maps that are taken apart.
func (p *SourcePass) rowsOfEvaluation() {
	if p.Module.Role == project.Test || !p.trained() && len(p.TrainingLoops()) == 0 {
		return
	}
	said := map[*project.Function]*Report{} // one finding for all loops of a function
	var last pysrc.Span
	for _, n := range p.roundsIn() {
		t, ok := turnsOf(n)
		if !ok || n.Bounds().Start < last.End || overConstant(t.iter[0]) || p.knownFew(t.iter[0]) || p.goesOverLayers(&t) {
			continue
		}
		fn := p.Function(t.at)
		guard := p.Rare(t.at)
		ofModel := fn.Class != nil && fn.Class.Derives("torch.nn.Module") && !fn.Class.Derives("lightning.pytorch.LightningModule")
		if ofModel || guard != nil && guard.Kind != project.InEval || !p.manyResults(t.iter[0], 0) {
			continue
		}
		t.vary()
		work := p.workOnResult(&t)
		if work == nil && p.insideEvaluation(t.at) && picksOut(&t) {
			work = n
		}
		if work == nil || p.isHot(t.at) || !p.rowsOnHost(&t) || p.runsElsewhere(&t) {
			continue
		}
		because, repeated := p.evaluatedAgain(t.at, mostRepeatCalls, false)
		if !repeated {
			continue
		}
		last = n.Bounds()
		if first := said[fn]; first != nil {
			first.Too(p.At(t.at, "and here"))
			continue
		}
		r := p.Report(t.at, likely*p.GPU()).Because(p.At(work, "for each row")).Because(because...).
			Saying("Python goes through %s one row at a time in every evaluation", p.Short(t.iter[0])).
			Advising("Compute on all rows at once: comparisons and sums along an axis, np.bincount, np.searchsorted; or on the GPU, before the results are copied.")
		if work == n || !p.roundsWithin(work) {
			r.Small("a few calls for each row take a small part of most evaluations")
		}
		r.beingLittle(p.cheapRows(t.at))
		said[fn] = r
	}
}

// insideEvaluation reports a place in a loop over the batches or samples of an evaluation.
func (p *SourcePass) insideEvaluation(n Node) bool {
	for loop := p.LoopAround(n); loop != nil; loop = p.LoopAround(loop) {
		over, ok := loop.(*pysrc.For)
		if p.evaluatesIn(loop) || ok && !overConstant(over.Iter) && !p.knownFew(over.Iter) && evaluatesByName(p.Function(n)) {
			return true
		}
	}
	return false
}

// picksOut reports a loop that asks of each item whether it is among others: [x for x in ranks if x not in known].
func picksOut(t *turns) bool { return slices.ContainsFunc(t.body, asksWhetherIn) }

// workOnResult is what a loop does for each row that takes long: a loop of its own, a function of the project that has one or computes
// on arrays, NumPy or a library of metrics.
func (p *SourcePass) workOnResult(t *turns) pysrc.Node {
	return firstIn(t.body, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.For:
			return !overConstant(x.Iter) && !p.knownFew(x.Iter)
		case *pysrc.ListComp, *pysrc.SetComp:
			return true
		case *pysrc.Compare:
			return asksInPart(x, t.varying)
		case *pysrc.Assign:
			part, ok := x.Targets[0].(*pysrc.Subscript)
			return ok && storesPart(part, t.varying)
		case *pysrc.Call:
			s := p.Module.SiteAt(x)
			return s != nil && (p.computes(s, 2) || makesSet(x, t.varying) || s.Calls.Func != nil && p.roundsWithin(x))
		}
		return false
	})
}

// firstIn is the first node of a loop's body that is such a one, nil where there is none.
func firstIn(body []pysrc.Node, is func(pysrc.Node) bool) (found pysrc.Node) {
	for _, b := range body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			if found == nil && is(n) {
				found = n
			}
			return found == nil
		})
		if found != nil {
			break
		}
	}
	return found
}

// asksInPart reports x in y[:i] of a part that differs from turn to turn: all of it is searched.
func asksInPart(x *pysrc.Compare, varying map[string]bool) bool {
	if len(x.Ops) != 1 || x.Ops[0] != pysrc.In && x.Ops[0] != pysrc.NotIn {
		return false
	}
	part, ok := x.Comparators[0].(*pysrc.Subscript)
	if !ok {
		return false
	}
	cut, ok := part.Slice.(*pysrc.Slice)
	return ok && mentionsAny(cut, varying)
}

// makesSet reports set(row) and sorted(row) of a row that differs from turn to turn.
func makesSet(c *pysrc.Call, varying map[string]bool) bool {
	name, ok := c.Func.(*pysrc.Name)
	return ok && len(c.Args) > 0 && (name.ID == "set" || name.ID == "sorted" || name.ID == "Counter") && mentionsAny(c.Args[0], varying)
}

// storesPart reports x[i][…] and x[i, …] of a row that differs from turn to turn.
func storesPart(part *pysrc.Subscript, varying map[string]bool) bool {
	if row, ok := part.Value.(*pysrc.Subscript); ok {
		return mentionsAny(row.Slice, varying)
	}
	axes, ok := part.Slice.(*pysrc.Tuple)
	return ok && len(axes.Elts) > 1 && mentionsAny(axes.Elts[0], varying)
}

// computes reports a call that computes on an array, or of a function that does.
func (p *SourcePass) computes(s *project.Site, depth int) bool {
	if fn := s.Calls.Func; fn != nil {
		return depth > 0 && fn.Def != nil && !p.isKernel(fn) && slices.ContainsFunc(fn.Sites, func(inner *project.Site) bool {
			return inner.Func == fn && p.In(inner.Module()).computes(inner, depth-1)
		})
	}
	library, name, dotted := strings.Cut(p.NameOf(s.Node.Func), ".")
	switch library {
	case "numpy":
		return dotted && !strings.HasPrefix(name, "random.") && !scalarMakers[name]
	case "scipy", "sklearn", "cv2", "skimage", "editdistance", "Levenshtein", "nltk", "rouge", "sacrebleu", "mir_eval", "pesq", "pystoi", "jiwer", "networkx", "shapely":
		return dotted
	}
	return false
}

// scalarMakers are functions of NumPy that work on one number.
var scalarMakers = setOfNames("int64", "int32", "float32", "float64", "log2", "log", "sqrt", "exp", "ceil", "floor", "round", "isnan")

// roundsWithin reports work that is a loop itself, or a call of a function that has one.
func (p *SourcePass) roundsWithin(work pysrc.Node) bool {
	c, ok := work.(*pysrc.Call)
	if !ok {
		_, stores := work.(*pysrc.Assign)
		return !stores
	}
	s := p.Module.SiteAt(c)
	if s == nil || s.Calls.Func == nil || s.Calls.Func.Def == nil || p.isKernel(s.Calls.Func) {
		return false
	}
	in, found := p.In(s.Calls.Func.Module), false
	pysrc.Inspect(s.Calls.Func.Def, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.For:
			found = found || !overConstant(x.Iter) && !in.knownFew(x.Iter)
		case *pysrc.ListComp:
			found = true
		}
		return !found
	})
	return found
}

// runsElsewhere reports a loop whose turns are handed to a pool, call what is not known, such as a model that a function is given, write
// files for people, or go over checkpoints and not over rows.
func (p *SourcePass) runsElsewhere(t *turns) bool {
	span := t.whole.Bounds()
	return slices.ContainsFunc(p.Function(t.at).Sites, func(s *project.Site) bool {
		if !span.Contains(int(s.Node.Start)) {
			return false
		}
		switch s.Method() {
		case "submit", "apply_async", "to", "cuda", "forward", "predict", "generate", "savefig", "imwrite", "save", "write", "imshow", "add_image", "add_figure",
			"load_state_dict":
			return true
		}
		if name, ok := s.Node.Func.(*pysrc.Name); ok && s.Calls.Kind == project.Unknown {
			return p.Function(name).HasParameter(name.ID) || p.Module.SaidLast(name) != nil
		}
		return p.callsModel(s)
	})
}

// evaluatedAgain reports a place that training runs again and again beside its steps, over a few calls, to evaluate: by what is said on
// the way, or because the loop around it counts epochs.
func (p *SourcePass) evaluatedAgain(n Node, calls int, evaluates bool) (because []any, is bool) {
	fn := p.Function(n)
	evaluates = evaluates || p.EvaluationOnly(n) || evaluatesByName(fn)
	for loop := p.LoopAround(n); loop != nil; loop = p.LoopAround(loop) {
		if p.leadsTraining(loop) {
			return nil, evaluates || p.EpochLoop(n) != nil
		}
	}
	if fn.Class != nil && fn.Class.Derives("lightning.pytorch.LightningModule", "lightning.pytorch.Callback") &&
		(strings.HasPrefix(fn.BaseName(), "validation_") || strings.HasPrefix(fn.BaseName(), "on_validation_")) {
		return nil, true
	}
	if calls == 0 || p.trainsWhole(fn) {
		return nil, false
	}
	for _, s := range p.Project.Callers(fn) {
		if s.Func == fn || s.Module().Role == project.Test {
			continue
		}
		in := p.In(s.Module())
		if g := in.Rare(s); g != nil && (g.Kind == project.Off || g.Kind == project.Fault) {
			continue
		}
		if because, is = in.evaluatedAgain(s, calls-1, evaluates); is {
			return append([]any{in.At(s, "called here")}, because...), true
		}
	}
	return nil, false
}
