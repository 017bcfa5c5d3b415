package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// needsMainGuard warns, behind the title of a repair that starts workers, of a script that each of
// them would run again.
func (p *SourcePass) needsMainGuard(n Node) string {
	if p.Function(n) != p.Module.Main || p.Module.Says("__main__") || p.Module.Notebook {
		return ""
	}
	return "; with spawned processes (macOS, Windows, Python 3.14) the program needs a main guard"
}

// changesBetweenEpochs reports whether the dataset of a loader is changed during training, which persistent workers
// would not see.
func (p *SourcePass) changesBetweenEpochs(loader Call) bool {
	name := ""
	if data := loader.ArgumentNode("dataset", 0); data != nil {
		name = pysrc.DottedName(data)
	}
	if name == "" {
		name = p.variableOf(loader) + ".dataset" // a data set without a name of its own
	}
	for _, a := range p.Module.Assignments {
		if t, ok := a.Target.(*pysrc.Attribute); ok && pysrc.DottedName(t.Value) == name && p.EpochLoop(a.Target) != nil {
			return true
		}
	}
	for _, c := range p.Module.Sites {
		if f, ok := c.Node.Func.(*pysrc.Attribute); ok && pysrc.DottedName(f.Value) == name && p.EpochLoop(c) != nil {
			return true // dataset.set_epoch(epoch), dataset.shuffle()
		}
	}
	return slices.ContainsFunc(p.Near(), changesDatasetOfLoader)
}

// keepingWorkers returns how safe it is to keep workers between epochs. Starting workers draws a seed; without that
// draw, the shuffled order differs from the second epoch on, which matters only to programs that set a seed.
func (p *SourcePass) keepingWorkers() (Safety, string) {
	if p.NearSays("manual_seed", "seed_everything", "set_seed", "same_seeds", "fix_seed", "set_random_seed") {
		return Unsafe, otherOrder
	}
	return Safe, "keep the workers between epochs"
}

// changesDatasetOfLoader reports loader.dataset.epoch = epoch and loader.dataset.set_epoch(epoch) in a loop, whatever
// the loader is called there: a function that trains is given it.
func changesDatasetOfLoader(m *project.Module) bool {
	inLoop := func(of pysrc.Expr) bool {
		a, ok := of.(*pysrc.Attribute)
		if !ok {
			return false
		}
		data, ok := a.Value.(*pysrc.Attribute)
		return ok && data.Attr == "dataset" && m.LoopAround(a) != nil
	}
	return slices.ContainsFunc(m.Assignments, func(a *project.Assignment) bool { return inLoop(a.Target) }) ||
		slices.ContainsFunc(m.Sites, func(s *project.Site) bool { return inLoop(s.Node.Func) })
}

const otherOrder = "keep the workers between epochs; with the same seed, the order of samples changes after the first epoch"
