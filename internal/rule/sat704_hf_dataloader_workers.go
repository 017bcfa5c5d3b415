package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
)

// hfDataloaderWorkers finds trainers of transformers that load in the main process.
var hfDataloaderWorkers = Rule{
	Code: "SAT704", Name: "hf-dataloader-workers", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea, TransferArea}, Group: LoaderGroup,
	SetsWorkers: true,
	Argument:    &Argument{Flag: "--dataloader_num_workers", Title: "the trainer loads in worker processes"},
	Title:       "the trainer loads batches in the main process",
	What: "transformers TrainingArguments with dataloader_num_workers 0 or missing, where samples are costly: " +
		"the collator, a transform or a dataset of the project decodes, extracts features or tokenizes. Also " +
		"dataloader_num_workers 0 in a settings file.",
	Why: "Without workers, a step takes loading time plus GPU time. With W workers it takes the larger of GPU " +
		"time and loading / W.",
	Fine: "Data already in memory or Arrow. Text tokenized before training. Windows and notebooks without a main " +
		"guard. Streams that are not split between workers.",
	Gain:   Range{1.0, 4.3, "from 3 to 13 it/s with more workers in geti"},
	Bad:    "Seq2SeqTrainingArguments(output_dir)",
	Good:   "Seq2SeqTrainingArguments(output_dir, dataloader_num_workers=8)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		for _, args := range p.HFArguments() {
			workers := args.Arg("dataloader_num_workers")
			if !workers.Missing() && !workers.Equals(0) || p.GPU() == 0 || args.Arg("deepspeed").Unknown() {
				continue
			}
			edits, title := p.someWorkers(workers)
			cost := p.costlySample()
			if cost == nil {
				r := p.Report(args.Callee(), plausible*workers.Confidence()*p.GPU()).At(Advice).Because(workers).
					Fix(Unsafe, title+p.needsMainGuard(args), edits...)
				if p.hasReadySamples() || p.feedsLargeModel() || p.tokenizedBefore() || ofTRL(args.Call) {
					r.Small(onlyCollates)
				}
				continue
			}
			p.Report(args.Callee(), likely*workers.Confidence()*p.GPU()).Because(workers).
				Because(p.each(cost)).
				Fix(Unsafe, title+p.needsMainGuard(args), edits...)
		}
		if parser, class := p.CommandLineArguments(); parser != nil && p.unlessGiven(class, "dataloader_num_workers") {
			cost := p.costlySample()
			r := p.Report(parser, perhaps*p.GPU()).At(Advice)
			if cost != nil {
				r.Because(p.each(cost))
			} else if p.hasReadySamples() || p.feedsLargeModel() || p.tokenizedBefore() {
				r.Small(onlyCollates)
			}
			r.Saying("the trainer loads batches in the main process unless you pass --dataloader_num_workers").
				Advising("Start it with --dataloader_num_workers, half the CPU cores but at most 8, or more if the GPU still waits.")
		}
	},
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() {
			return
		}
		for _, s := range p.TrainerSettings("dataloader_num_workers") {
			if !s.Value().Equals(0) || p.evaluates(s) {
				continue
			}
			cost := p.costlySample()
			r := p.Report(s, likely).Fix(Unsafe, inWorkers+UsualWorkers, p.Set(s, SettledWorkers))
			if cost.Source != nil {
				r.Because(cost)
			} else if p.namesLargeModel() {
				r.Small(onlyCollates)
			}
		}
	},
}

// onlyCollates is why a trainer without workers may cost little.
const onlyCollates = "the samples are lists of numbers, which it only collates"

// largeModel is from how many billions of parameters on a step takes so long that padding a few lists of tokens costs nothing.
const largeModel = 1

// feedsLargeModel reports the training of a large model on text: one of a known size, or one that is loaded quantized
// because it would not fit otherwise.
func (p *SourcePass) feedsLargeModel() bool {
	billions, _ := p.billions()
	return !p.trainsWhisper() && (billions >= largeModel || p.loadsInBits("load_in_8bit", "load_in_4bit"))
}

// tokenizedBefore reports a program that tokenizes its texts in a map over the dataset: a sample is a list of numbers then.
func (p *SourcePass) tokenizedBefore() bool {
	return slices.ContainsFunc(p.Tokenisations(), func(t tokenisation) bool {
		path, ok := p.PerSample(t)
		return ok && path.Kind == project.Mapped
	})
}

// hasReadySamples reports a trainer whose samples are in memory as they are needed, return self.rows[i], or, where its
// dataset is not seen, a module all of whose datasets are such.
func (p *SourcePass) hasReadySamples() bool {
	ready := func(c *project.Class) bool {
		get := c.Method("__getitem__")
		return get != nil && !slices.ContainsFunc(get.Sites, func(s *project.Site) bool { return s.Calls.Name != "dict" && lastName(s.Node.Func) != "dict" })
	}
	for _, c := range p.Constructions("transformers.Trainer") {
		if data := c.Arg("train_dataset"); data.Class != nil {
			return ready(data.Class)
		}
	}
	own := p.Classes("torch.utils.data.Dataset")
	return len(own) > 0 && !slices.ContainsFunc(own, func(c *project.Class) bool { return !ready(c) })
}

// namesLargeModel reports a file that names a large model to train.
func (p *SettingsPass) namesLargeModel() bool {
	return slices.ContainsFunc(p.Find(modelKeys...), func(s *project.Setting) bool {
		name, ok := s.Value().Str()
		return ok && billionsOf(name) >= largeModel
	})
}

// costlySample says where a program of the project that trains makes a costly sample; empty where none does.
func (p *SettingsPass) costlySample() project.Step {
	for _, m := range p.Project.Modules {
		if m.Role == project.Training {
			pass := passOf(p.Project, m)
			if cost := pass.costlySample(); cost != nil {
				return pass.each(cost)
			}
		}
	}
	return project.Step{}
}

// each says where the costly part of a sample stands.
func (p *SourcePass) each(cost *project.Site) project.Step {
	name := cost.Name()
	if name == "" || strings.Contains(name, "(") {
		name = lastName(cost.Node.Func)
	}
	return p.In(cost.Module()).At(cost, "each sample calls "+name)
}

// costlySample returns a call that runs for every sample or batch that is loaded
// near this module, in every epoch, and takes long; or nil.
func (p *SourcePass) costlySample() *project.Site {
	large := p.nearLargeModel()
	for _, m := range p.Near() {
		for _, s := range m.Sites {
			if !costly(s) {
				continue
			}
			if way, ok := p.Project.PerSample(m, s); ok && way.EveryEpoch() {
				return s
			}
		}
		for _, t := range p.In(m).Tokenisations() {
			if way, ok := p.Project.PerSample(m, t); ok && way.EveryEpoch() && way.Kind == project.DataSet && !(large && way.Root.BaseName() == "__getitem__") { // a text beside a step of seconds
				return t.Site
			}
		}
	}
	return nil
}

// costly reports a call that takes long, or reads a file.
func costly(s *project.Site) bool {
	return takesLong(s) || s.Calls.Name == "numpy.load" || s.Calls.Name == "torch.load"
}
