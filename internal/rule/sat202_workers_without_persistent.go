package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// workersWithoutPersistent finds loaders whose workers are started anew in every epoch.
var workersWithoutPersistent = Rule{
	Code: "SAT202", Name: "workers-without-persistent", Severity: Advice, Subject: AboutLoading, General: true,
	Areas: []Area{DataArea, TransferArea}, Group: LoaderGroup,
	Title: "workers are restarted in every epoch",
	What: "A training DataLoader with workers but without persistent_workers=True, iterated in a loop over epochs. Also " +
		"an iterator of the project that starts a pool of processes each time.",
	Why: "The workers end with each epoch. The next epoch starts them again (spawned processes import " +
		"everything) and fills an empty queue while the GPU waits.",
	Fine: "A single epoch. Long epochs on Linux, where a fork is cheap. Hosts with little memory. Datasets that " +
		"change between epochs: persistent workers keep the old copy.",
	Gain:   Range{1, 1.2, "an epoch starts after 35 s instead of 7 min in mmhuman3d; from 7.6 to 9.5 it/s on Windows and nothing on Linux in delta-interpolator; 0.1 s an epoch for 4 to 8 workers on a Linux host"},
	Bad:    "DataLoader(data, num_workers=4)",
	Good:   "DataLoader(data, num_workers=4, persistent_workers=True)",
	Safety: Safe, AtWorst: Unsafe,
	Since: []Since{
		{Library: "torch", Version: "1.7", Lacks: "cannot keep them", Then: "pass persistent_workers=True"},
	},
	Source: func(p *SourcePass) {
		p.poolsOfEpochs()
		said := map[*project.Function]bool{}
		for _, loader := range p.TrainingLoaders() {
			workers, keep := loader.Arg("num_workers"), loader.Arg("persistent_workers")
			node := loader.ArgumentNode("num_workers", 5)
			if !hasWorkers(workers, node) && !p.givenWorkers(loader, workers) || !keep.Missing() && !keep.IsFalse() ||
				p.changesBetweenEpochs(loader) || iteratesItself(loader) || p.begunOnce(loader) || p.endless(loader) {
				continue
			}
			sure := project.Certain
			if !p.goneThroughAgain(loader) {
				if said[p.Function(loader)] || p.Project.LoaderUse(loader.Site) != project.NoUse || p.EpochLoop(loader) != nil ||
					loader.Arg("shuffle").IsFalse() || p.Module.Role != project.Training && len(p.Module.ImportedBy) == 0 || !p.Project.RepeatsTraining() {
					continue
				}
				sure = probable // which loop goes over it is not seen, but all repeat
			}
			said[p.Function(loader)] = true
			text := "True"
			if node != nil && !isNumber(node) && !atLeastOne(node) {
				text = p.Text(node) + " > 0" // it raises an error without workers
			}
			safety, title := p.keepingWorkers()
			p.Report(loader.Callee(), sure*workers.Confidence()*keep.Confidence()).Because(workers).
				Fix(safety, title, keep.SetTo(text)).beingLittle(p.cheapRestart(loader, workers))
		}
		for _, args := range p.TrainingArguments() {
			workers, keep := args.Arg("dataloader_num_workers"), args.Arg("dataloader_persistent_workers")
			node := args.ArgumentNode("dataloader_num_workers", -1)
			if !hasWorkers(workers, node) || !keep.Missing() && !keep.IsFalse() || !severalEpochs(args) {
				continue
			}
			r := p.Report(args.Callee(), workers.Confidence()*keep.Confidence()).Because(workers)
			text := "True"
			if node != nil && !isNumber(node) && !atLeastOne(node) {
				text = p.Text(node) + " > 0"
			}
			r.Fix(Unsafe, otherOrder, keep.SetTo(text)) // its trainer sets a seed
		}
	},
}

// begunOnce reports a loader that iter is given outside a loop, and that no loop goes over: one pass, over an endless
// sampler perhaps.
func (p *SourcePass) begunOnce(loader Call) bool {
	fn := p.Function(loader)
	if p.LoopAround(loader) != nil {
		return false
	}
	name := ""
	if set, ok := p.Module.StatementAt(loader.Node.Start).(*pysrc.Assign); ok && set.Value == pysrc.Expr(loader.Node) && len(set.Targets) == 1 {
		name = pysrc.DottedName(set.Targets[0])
	}
	is := func(e pysrc.Expr) bool {
		return e == pysrc.Expr(loader.Node) || name != "" && pysrc.DottedName(e) == name
	}
	begun, again := false, false
	for _, s := range fn.Sites {
		if pysrc.DottedName(s.Node.Func) == "iter" && len(s.Node.Args) == 1 && is(s.Node.Args[0]) {
			begun, again = true, again || p.LoopAround(s.Node) != nil
		}
	}
	if begun {
		pysrc.Inspect(p.bodyOf(loader.Node), func(n pysrc.Node) bool {
			if loop, ok := n.(*pysrc.For); ok {
				pysrc.Inspect(loop.Iter, func(n pysrc.Node) bool {
					e, ok := n.(pysrc.Expr)
					again = again || ok && is(e)
					return !again
				})
			}
			return !again
		})
	}
	return begun && !again
}

// severalEpochs reports whether a trainer of transformers goes through its data more than once, three times by default.
func severalEpochs(args Call) bool {
	epochs := args.Arg("num_train_epochs")
	many, counted := epochs.Float()
	return args.Arg("max_steps").Missing() && (epochs.Missing() || counted && many > 1)
}

// givenWorkers reports a loader that training is seen to go over, whose count of workers is an expression that the
// source leaves open: args.workers without a default, a key of a file that the command line names.
func (p *SourcePass) givenWorkers(loader Call, workers Value) bool {
	open := workers.Kind == project.Unknown || workers.Kind == project.Callable && workers.Func == nil // of a library's object
	return open && loader.ArgumentNode("num_workers", 5) != nil &&
		(p.Project.LoaderUse(loader.Site)&project.Trains != 0 || p.givenToLightning(loader))
}

// hasWorkers reports a number of workers that is known to be above zero.
func hasWorkers(workers Value, node pysrc.Expr) bool {
	count, known := workers.Int()
	return known && count > 0 || node != nil && atLeastOne(node) || coreCounts[strings.TrimSuffix(workers.Name, "()")] ||
		slices.ContainsFunc(workers.Either, func(v Value) bool { return hasWorkers(v, nil) })
}

// coreCounts tell how many cores the machine has.
var coreCounts = setOfNames("os.cpu_count", "multiprocessing.cpu_count", "psutil.cpu_count", "torch.multiprocessing.cpu_count")

// atLeastOne reports max(1, …) and the number of cores.
func atLeastOne(e pysrc.Expr) bool {
	call, ok := e.(*pysrc.Call)
	if ok && lastName(call.Func) == "cpu_count" {
		return true
	}
	return ok && pysrc.DottedName(call.Func) == "max" && slices.ContainsFunc(call.Args, func(a pysrc.Expr) bool {
		n, known := pysrc.IntValue(a)
		return known && n > 0
	})
}

func isNumber(e pysrc.Expr) bool {
	_, ok := pysrc.IntValue(e)
	return ok
}

// iteratesItself reports a loader whose class, of the project, has an __iter__ of its own: it may go on with the same workers.
func iteratesItself(loader Call) bool {
	class := loader.Calls.Class
	return class != nil && class.Method("__iter__") != nil
}
