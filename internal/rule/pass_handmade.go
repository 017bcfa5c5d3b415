package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// rowsAreCopied is why a loop that only copies rows is small.
const rowsAreCopied = "a few hundred rows that are only copied take a fraction of a millisecond"

// handmadeBatches reports the loops of a training step that put a batch of host data together row by row.
func (p *SourcePass) handmadeBatches() {
	said := map[*project.Function]*Report{} // one finding for all loops of a function
	var last pysrc.Span
	for _, n := range p.roundsIn() {
		t, ok := p.rowTurns(n)
		if !ok || n.Bounds().Start < last.End || !p.isHot(t.at) || t.loop != nil && p.trainsIn(t.loop) || !p.drawnRows(&t) {
			continue
		}
		t.vary()
		into := p.gathersRows(&t)
		if into == nil || !p.rowsOnHost(&t) {
			continue
		}
		way, ok := p.madeEachStep(t.at)
		if !ok && p.fillsOnHost(&t) {
			way, ok = p.EachStep(t.at)
			ok = ok && !p.acts(t.at) && !p.decodes(t.at)
		}
		if !ok {
			continue
		}
		last = n.Bounds()
		work := p.workOnRow(&t)
		if p.joinsTensors(into, &t, work != nil) || work == nil && copiesSlices(&t) {
			continue
		}
		fn := p.Function(t.at)
		if r := said[fn]; r != nil && (work == nil || r.finding.Small == "") {
			r.Too(p.At(t.at, "and here"))
			continue
		}
		r := p.Report(t.at, likely*way.Sure).Because(way, p.At(into, "the rows of a batch"))
		if work == nil {
			r.Small(rowsAreCopied)
		} else {
			r.Because(p.At(work, "for each row"))
		}
		said[fn] = r
	}
}

// fillsOnHost reports a loop that fills all rows of an array of NumPy: also in a model, it runs on the host.
func (p *SourcePass) fillsOnHost(t *turns) bool {
	made := p.fillsRows(t)
	return made != nil && strings.HasPrefix(p.NameOf(made.Func), "numpy.") && p.Function(t.at).Def != nil
}

// madeEachStep reports a node that the training thread runs in every step on the host: no worker and no thread of its own makes batches
// ahead, and no model computes there.
func (p *SourcePass) madeEachStep(n Node) (project.Path, bool) {
	none := project.Path{}
	fn := p.Function(n)
	if path, sample := p.PerSample(n); sample && !p.givesToLoop(path) || inHandler(p.Module, n) || p.keptInDict(n) || p.keptAround(n) || p.acts(n) || p.decodes(n) {
		return none, false
	}
	way, hot := p.Hot(n)
	if !hot || way.Kind == project.Forward || p.EvaluationOnly(n) || p.Rare(n) != nil {
		return none, false
	}
	if p.rareOnTheWay(way) {
		if way, hot = p.otherWayTo(fn, mostOtherWays); !hot {
			return none, false
		}
	}
	if onDeviceOrAhead(fn) || slices.ContainsFunc(way.Calls, func(s *project.Site) bool { return s.Func != way.Root && onDeviceOrAhead(s.Func) }) {
		return none, false
	}
	step, ok := p.stepOf(way, n)
	way.Sure = min(way.Sure, step.Sure)
	way.Needs = step.Needs
	if ok && way.Needs == nil {
		way.Needs = p.eval.LeftOut(way, p.Module, n)
	}
	return way, ok
}

// stepOf is EachStep for the step to which a way belongs: what it reaches need not know of a GPU.
func (p *SourcePass) stepOf(way project.Path, n Node) (step project.Path, ok bool) {
	root, places := p.In(way.Root.Module), []Node{}
	for _, s := range way.Steps() {
		if s.Module() == root.Module {
			places = append(places, s.Node)
		}
	}
	switch {
	case len(places) > 0:
	case len(way.Calls) > 0:
		places = []Node{way.Calls[0].Node}
	default:
		places = []Node{n}
	}
	for _, at := range places {
		if step, ok = root.EachStep(at); !ok && root.usesJAX() {
			step, ok = root.eachStepOfJAX(at)
		}
		if ok {
			break
		}
	}
	return step, ok
}

// givesToLoop reports a path from a generator that a loop of the project goes over itself, and not a loader's workers.
func (p *SourcePass) givesToLoop(path project.Path) bool {
	return path.Root != nil && path.Root.Class == nil && path.Root.IsGenerator()
}

// onDeviceOrAhead reports a function of a model, or of a class that makes batches ahead.
func onDeviceOrAhead(fn *project.Function) bool {
	return fn != nil && fn.Class != nil && (fn.Class.Derives("torch.nn.Module") && fn.Self() != "" || loadsAhead(fn.Class))
}
