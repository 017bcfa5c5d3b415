package rule

import (
	"slices"

	"saturate/internal/project"
)

// checkpointTooOften finds trainers that stop to write checkpoints all the time.
var checkpointTooOften = Rule{
	Code: "SAT708", Name: "checkpoint-too-often", Severity: Warning, Subject: AboutCheckpoints,
	Areas: []Area{ApartArea},
	Title: "training stops to write a checkpoint every few steps",
	What: "torch.save or save_pretrained called in a training loop in every step or every n steps, with n at most 100. " +
		"In transformers, save_steps below 100. In Lightning, ModelCheckpoint(every_n_train_steps) below 100. Also " +
		"one checkpoint written to two files, one after the other.",
	Why: "A checkpoint copies weights and optimizer state to the host and writes them while training waits: 12 " +
		"bytes per parameter with AdamW.",
	Fine:   "Jobs that can be stopped at any time. Small models. Steps that take minutes.",
	Advice: "Save every few hundred steps, or once per epoch.",
	Bad:    "TrainingArguments(output_dir, save_steps=10)",
	Good:   "TrainingArguments(output_dir, save_steps=500)",
	Source: func(p *SourcePass) {
		saves := append(p.CallsTo("torch.save", "accelerate.Accelerator.save_state", "safetensors.torch.save_file",
			"equinox.tree_serialise_leaves", "orbax.checkpoint.Checkpointer.save", "orbax.checkpoint.PyTreeCheckpointer.save",
			"orbax.checkpoint.CheckpointManager.save"), p.MethodCalls("save_pretrained", "save_checkpoint")...)
		for _, c := range inOrder(saves) {
			if way, ok := p.EachStep(c); ok && way.Kind == project.TrainingLoop && p.alwaysReached(way) && !p.underTest(c) {
				p.Report(c, way.Sure*nearlyCertain).Because(way).Saying("%s writes a checkpoint in every step", p.Short(c.Callee()))
			} else if n, known := p.stepsBetween(c); known && n <= often {
				p.Report(c, probable).Because(p.becauseIntervals(c)...).Saying("%s writes a checkpoint %s", p.Short(c.Callee()), everySteps(n))
			} else {
				p.savedByHelper(c)
			}
		}
		p.savedTwice()
		for _, args := range p.HFArguments() {
			steps, by := args.Arg("save_steps"), args.Arg("save_strategy")
			if n, ok := steps.Int(); ok && n > 0 && n < 100 && (by.Missing() ||
				by.Equals("steps")) && !p.fewEvaluations(args.Call, n) {
				p.Report(args.Callee(), likely*steps.Confidence()).Because(steps).
					Saying("training stops to write a checkpoint %s", everySteps(n))
			}
		}
		for _, c := range p.CallsTo("lightning.pytorch.callbacks.ModelCheckpoint") {
			if n, ok := c.Arg("every_n_train_steps").Int(); ok && n > 0 && n < 100 {
				p.Report(c.Callee(), likely).Saying("training stops to write a checkpoint %s", everySteps(n))
			}
		}
	},
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() {
			return
		}
		for _, s := range p.TrainerSettings("save_steps", "every_n_train_steps") {
			by := s.Parent.Child("save_strategy")
			if n, ok := s.Value().Int(); ok && n > 0 && n < 100 && (by == nil || by.Value().Equals("steps")) && !p.shortRun(s) {
				p.Report(s, probable).Saying("training stops to write a checkpoint %s", everySteps(n))
			}
		}
	},
}

// alwaysReached reports a way whose calls no test guards: a method of the same module that a step calls.
func (p *SourcePass) alwaysReached(way project.Path) bool {
	return len(way.Calls) <= 2 && !slices.ContainsFunc(way.Calls, func(s *project.Site) bool {
		return s.Module() != p.Module || p.underTest(s)
	})
}

// savedByHelper reports a call in a training loop of a function that writes a checkpoint whenever it is called.
func (p *SourcePass) savedByHelper(c Call) {
	if c.Func.Def == nil || p.underTest(c) || p.LoopAround(c) != nil {
		return
	}
	for _, s := range p.Project.Callers(c.Func) {
		in := p.In(s.Module())
		if n, known := in.stepsBetween(s); known && n <= often && s.Module() == p.Module && s.Calls.Kind == project.Callable {
			p.Report(s.Node, probable).Because(p.At(c.Node, "writes it")).Because(in.becauseIntervals(s)...).
				Saying("%s writes a checkpoint %s", p.Short(s.Node.Func), everySteps(n))
		}
	}
}
