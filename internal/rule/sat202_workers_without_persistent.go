package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// workersWithoutPersistent finds loaders whose workers are started anew in every epoch.
var workersWithoutPersistent = Rule{
	Code: "SAT202", Name: "workers-without-persistent", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, TransferArea}, Group: LoaderGroup,
	Title:  "the loader's workers are started again in every epoch",
	What:   "A training DataLoader with workers and without persistent_workers=True, which a loop over epochs goes through.",
	Why:    "At the end of an epoch the workers end; the next one starts them again, imports everything where processes are spawned, and fills the queue from nothing while the GPU waits.",
	Fine:   "One epoch; long epochs on Linux, where a fork is cheap; hosts short of memory; data sets that are changed between epochs, of which workers keep a copy.",
	Gain:   Range{1, 1.2, "an epoch starts after 35 s instead of 7 min in mmhuman3d; 7.6 to 9.5 it/s on Windows and nothing on Linux in delta-interpolator"},
	Bad:    "DataLoader(data, num_workers=4)",
	Good:   "DataLoader(data, num_workers=4, persistent_workers=True)",
	Safety: Safe,
	Source: func(p *SourcePass) {
		for _, loader := range p.TrainingLoaders() {
			workers, keep := loader.Arg("num_workers"), loader.Arg("persistent_workers")
			count, known := workers.Int()
			if !known || count == 0 || !keep.Missing() && !keep.IsFalse() || !p.goneThroughAgain(loader) || p.changesBetweenEpochs(loader) {
				continue
			}
			text := "True"
			if node := loader.ArgumentNode("num_workers", 5); node != nil && !isNumber(node) {
				text = p.Text(node) + " > 0" // it raises an error without workers
			}
			safety, title := p.keepingWorkers()
			p.Report(loader.Callee(), workers.Confidence()*keep.Confidence()).Because(workers).Fix(safety, title, keep.SetTo(text))
		}
		for _, args := range p.TrainingArguments() {
			workers, keep, epochs := args.Arg("dataloader_num_workers"), args.Arg("dataloader_persistent_workers"), args.Arg("num_train_epochs")
			count, known := workers.Int()
			many, counted := epochs.Float()
			if !known || count == 0 || !keep.Missing() && !keep.IsFalse() || !args.Arg("max_steps").Missing() || !epochs.Missing() && !(counted && many > 1) {
				continue
			}
			r := p.Report(args.Callee(), workers.Confidence()*keep.Confidence()).Because(workers)
			if node := args.ArgumentNode("dataloader_num_workers", -1); node != nil && isNumber(node) {
				r.Fix(Unsafe, otherOrder, keep.SetTo("True")) // its trainer sets a seed
			}
		}
	},
}

const otherOrder = "keep the workers from epoch to epoch; with the same seed, samples come in another order after the first epoch"

// keepingWorkers tells how safe it is to let workers live on. Workers that start
// draw a seed for themselves; without that draw a shuffled order differs from
// the second epoch on, which only a program notices that sets a seed.
func (p *SourcePass) keepingWorkers() (Safety, string) {
	if p.NearSays("manual_seed", "seed_everything", "set_seed", "same_seeds", "fix_seed", "set_random_seed") {
		return Unsafe, otherOrder
	}
	return Safe, "keep the workers from epoch to epoch"
}

func isNumber(e pysrc.Expr) bool {
	_, ok := pysrc.IntValue(e)
	return ok
}

// changesBetweenEpochs tells whether the data set of a loader is changed while
// training goes on, which workers that live on would not see.
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
