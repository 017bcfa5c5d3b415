package rule

import "saturate/internal/pysrc"

// workersWithoutPersistent finds loaders whose workers are started anew in every epoch.
var workersWithoutPersistent = Rule{
	Code: "SAT202", Name: "workers-without-persistent", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, TransferArea}, Group: LoaderGroup,
	Title: "workers are restarted in every epoch",
	What:  "A training DataLoader with workers but without persistent_workers=True, iterated in a loop over epochs.",
	Why: "The workers end with each epoch. The next epoch starts them again (spawned processes import " +
		"everything) and fills an empty queue while the GPU waits.",
	Fine: "A single epoch. Long epochs on Linux, where a fork is cheap. Hosts with little memory. Datasets that " +
		"change between epochs: persistent workers keep the old copy.",
	Gain:   Range{1, 1.2, "an epoch starts after 35 s instead of 7 min in mmhuman3d; 7.6 to 9.5 it/s on Windows and nothing on Linux in delta-interpolator"},
	Bad:    "DataLoader(data, num_workers=4)",
	Good:   "DataLoader(data, num_workers=4, persistent_workers=True)",
	Safety: Safe,
	Source: func(p *SourcePass) {
		for _, loader := range p.TrainingLoaders() {
			workers, keep := loader.Arg("num_workers"), loader.Arg("persistent_workers")
			count, known := workers.Int()
			if !known || count == 0 || !keep.Missing() && !keep.IsFalse() || !p.goneThroughAgain(loader) ||
				p.changesBetweenEpochs(loader) {
				continue
			}
			text := "True"
			if node := loader.ArgumentNode("num_workers", 5); node != nil && !isNumber(node) {
				text = p.Text(node) + " > 0" // it raises an error without workers
			}
			safety, title := p.keepingWorkers()
			p.Report(loader.Callee(), workers.Confidence()*keep.Confidence()).Because(workers).
				Fix(safety, title, keep.SetTo(text))
		}
		for _, args := range p.TrainingArguments() {
			workers, keep, epochs := args.Arg("dataloader_num_workers"), args.Arg("dataloader_persistent_workers"), args.Arg("num_train_epochs")
			count, known := workers.Int()
			many, counted := epochs.Float()
			if !known || count == 0 || !keep.Missing() && !keep.IsFalse() || !args.Arg("max_steps").Missing() ||
				!epochs.Missing() && !(counted && many > 1) {
				continue
			}
			r := p.Report(args.Callee(), workers.Confidence()*keep.Confidence()).Because(workers)
			if node := args.ArgumentNode("dataloader_num_workers", -1); node != nil && isNumber(node) {
				r.Fix(Unsafe, otherOrder, keep.SetTo("True")) // its trainer sets a seed
			}
		}
	},
}

func isNumber(e pysrc.Expr) bool {
	_, ok := pysrc.IntValue(e)
	return ok
}
