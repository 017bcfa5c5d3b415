package rule

import (
	"bytes"
	"slices"
	"strconv"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// evalTooOften finds trainers that stop for evaluation all the time.
var evalTooOften = Rule{
	Code: "SAT707", Name: "eval-too-often", Severity: Warning, Subject: AboutEvaluation,
	Areas: []Area{ApartArea},
	Title: "training stops for evaluation every few steps",
	What: "An evaluation function called in a training loop in every step or every n steps, with n at most 100, or " +
		"at most 250 in a run of 100 evaluations or more; small: at most 500. In " +
		"transformers, eval_steps of at most 100 with evaluation by steps (150 on the command line of a script that " +
		"starts the program), or a share of at most 0.5% of all steps. In Lightning, val_check_interval of at most 50 batches or " +
		"1% of an epoch, or 10% in a run of 200 evaluations or more. Also an evaluation of the training data in each epoch, one after each step of the same data that the step takes, such as all nodes of a graph, and one every 2000 steps or " +
		"more often that one of several processes runs while the others wait; and validation data that each of several processes goes through as a whole.",
	Why:    "An evaluation runs the whole validation set while training waits; with predict_with_generate, token by token.",
	Fine:   "A validation set of a few batches. Runs of a few hundred steps. Steps that take minutes.",
	Advice: "Evaluate every few hundred steps or once per epoch. During training, use a part of the validation set.",
	Bad:    `Seq2SeqTrainingArguments(output_dir, eval_strategy="steps", eval_steps=10, predict_with_generate=True)`,
	Good:   `Seq2SeqTrainingArguments(output_dir, eval_strategy="steps", eval_steps=500, predict_with_generate=True)`,
	Source: func(p *SourcePass) {
		p.evaluatedInLoop()
		p.evaluatedEachStep()
		p.trainingRunAgain()
		p.secondEvaluations()
		for _, args := range p.HFArguments() {
			steps, by := args.Arg("eval_steps"), args.Arg("eval_strategy")
			if by.Missing() {
				by = args.Arg("evaluation_strategy")
			}
			if part, _ := steps.Float(); part > 0 && part <= rareShare && by.Equals("steps") {
				p.Report(args.Callee(), probable*steps.Confidence()).At(Advice).Because(steps).
					Saying("training stops for evaluation %.0f times", 1/part)
			}
			if n, ok := steps.Int(); ok && n > 0 && n <= often && by.Equals("steps") && !p.fewEvaluations(args.Call, n) {
				r := p.Report(args.Callee(), likely*steps.Confidence()).Because(steps).
					Saying("training stops for evaluation %s", everySteps(n))
				if args.Arg("predict_with_generate").IsTrue() {
					r.Saying("training stops %s to generate a prediction for the whole validation set", everySteps(n))
				} else if n > veryOften {
					r.At(Advice)
				}
			}
		}
		p.evaluatedByScript()
		p.wholeOnEachRank()
		for _, c := range p.CallsTo("lightning.pytorch.Trainer") {
			v := c.Arg("val_check_interval")
			n, whole := v.Int()
			part, _ := v.Float()
			if v.Kind != project.Literal || p.shortRun(c) || c.Arg("limit_val_batches").Given() ||
				!p.NearSays("validation_step") {
				continue
			}
			switch {
			case whole && n > 1 && n <= 50, !whole && part > 0 && part <= 0.01:
				p.Report(c.Callee(), likely*v.Confidence()).Because(v)
			case !whole && part > 0 && part <= 0.1 && p.manyEpochs(c, part):
				p.Report(c.Callee(), probable*v.Confidence()).At(Advice).Because(v).
					Saying("training stops for evaluation %.0f times in each epoch", 1/part)
			}
		}
	},
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() {
			return
		}
		for _, s := range p.TrainerSettings("eval_steps") {
			by := s.Parent.Child("eval_strategy")
			if by == nil {
				by = s.Parent.Child("evaluation_strategy")
			}
			if n, ok := s.Value().Int(); ok && n > 0 && n <= veryOften && by != nil && by.Value().Equals("steps") && !p.shortRun(s) {
				p.Report(s, probable).Saying("training stops for evaluation %s", everySteps(n))
			}
		}
		for _, s := range p.TrainerSettings("val_check_interval") {
			if p.Framework() != "lightning" || p.shortRun(s) || s.Parent.Child("limit_val_batches") != nil {
				continue
			}
			if n, ok := s.Value().Int(); ok && n > 1 && n <= veryOften {
				p.Report(s, probable).Saying("training stops for evaluation %s", everySteps(n))
			} else if part, _ := s.Value().Float(); !ok && part > 0 && (part <= 0.01 || part <= 0.1 && settledEpochs(s)/part >= manyInAll) {
				p.Report(s, probable).At(Advice).Saying("training stops for evaluation %.0f times in each epoch", 1/part)
			}
		}
	},
}

// Evaluation every so many steps is called often; very often, where it is more than a matter of the validation set's size.
const (
	veryOften       = 50
	often           = 100
	oftenInLongRuns = 250 // of at least 100 evaluations
	rareShare       = 0.005
	manyInAll       = 200 // evaluations of a run
)

// manyEpochs reports a trainer of Lightning that evaluates at least 200 times, by the epochs that it is given.
func (p *SourcePass) manyEpochs(trainer Call, share float64) bool {
	epochs, ok := trainer.Arg("max_epochs").Float()
	return ok && epochs/share >= manyInAll
}

// settledEpochs is the number of epochs that stands beside a setting, 0 where none does.
func settledEpochs(s *project.Setting) float64 {
	most := s.Parent.Child("max_epochs")
	if most == nil {
		return 0
	}
	epochs, _ := most.Value().Float()
	return epochs
}

// evaluatedByScript finds scripts that let a trainer of transformers evaluate every few steps.
func (p *SourcePass) evaluatedByScript() {
	parser, _ := p.CommandLineArguments()
	if parser == nil {
		return
	}
	var steps int64
	var scripts []any
	for _, given := range p.Project.GivenBy(p.Module, "eval_steps") {
		n, err := strconv.ParseInt(given.Value, 10, 64)
		if err != nil || n <= 0 || n > 150 || steps > 0 && n != steps || !bytes.Contains(given.Command, []byte("_strategy steps")) ||
			bytes.Contains(given.Command, []byte("--max_steps")) || bytes.Contains(given.Command, []byte("--max_eval_samples")) {
			continue
		}
		steps = n
		scripts = append(scripts, project.Step{Text: "given here", Source: given.Source, Span: given.Span})
	}
	if steps == 0 {
		return
	}
	r := p.Report(parser.Callee(), probable).Because(scripts...).Saying("training stops for evaluation %s", everySteps(steps))
	if steps > veryOften {
		r.At(Advice)
	}
}

// evaluatedInLoop finds evaluations in plain loops: calls of functions that evaluate, and loops that do it there.
func (p *SourcePass) evaluatedInLoop() {
	sure := likely
	if p.GPU() == 0 {
		sure = 0.65 // small, more often
	}
	for _, loop := range p.TrainingLoops() {
		reported := map[pysrc.Node]bool{}
		for _, s := range loop.Func.Sites {
			if !loop.Bounds().Contains(int(s.Node.Start)) {
				continue
			}
			var place Node = s.Node.Func
			at, what := pysrc.Node(s.Node), p.Short(s.Node.Func)
			if inner := p.LoopAround(s); inner != nil && inner != loop.Stmt && p.LoopAround(inner) == loop.Stmt && p.runsSwitched(loop.Func, s) && p.switchedWithin(loop, s) {
				place, at, what = header(inner), inner, "a loop over a validation set"
			} else if s.Calls.Func == nil || !p.evaluates(s.Calls.Func) && !p.evaluatesSwitched(s) {
				if s.Calls.Func != nil && !reported[at] && p.runsManyTimes(s.Calls.Func) {
					reported[at] = p.sayOften(place, at, loop, sure, what)
				}
				continue
			}
			n, known := p.stepsBetween(at)
			if known && !reported[at] && p.othersWait(at, n) {
				reported[at] = true
				r := p.Report(place, sure).Saying("one GPU evaluates %s while the others wait: %s", everySteps(n), what).
					Advising("Let every process evaluate a part of the validation set, with a DistributedSampler, and sum the results with all_reduce.")
				for _, v := range p.intervals(at, loop) {
					r.Because(v)
				}
			} else if known && !reported[at] &&
				(n <= veryOften || n <= often && !p.fewTurns(loop, n) || n <= oftenInLongRuns && p.manyEvaluations(loop, n)) {
				reported[at] = true
				r := p.Report(place, sure).Saying("training stops for evaluation %s: %s", everySteps(n), what)
				for _, v := range p.intervals(at, loop) {
					r.Because(v)
				}
				if n > veryOften {
					r.At(Advice)
				}
			} else if !reported[at] {
				reported[at] = p.sayOften(place, at, loop, sure, what)
			}
		}
	}
}

// evaluatesSwitched reports a call of a function that runs a model that it is given in a loop without gradients, after the caller has
// switched that model to evaluation: model.eval(); validate(model, loader).
func (p *SourcePass) evaluatesSwitched(call *project.Site) bool {
	fn := call.Calls.Func
	if fn.Def == nil || call.Calls.Kind != project.Callable {
		return false
	}
	q := p.In(fn.Module)
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		model, ok := s.Node.Func.(*pysrc.Name)
		if !ok || !fn.HasParameter(model.ID) || q.LoopAround(s) == nil || !q.Under(s, "torch.no_grad", "torch.inference_mode") {
			return false
		}
		given := pysrc.DottedName(call.Given(fn, model.ID))
		loop := p.LoopAround(call)
		return given != "" && loop != nil && slices.ContainsFunc(call.Func.Sites, func(eval *project.Site) bool {
			return pysrc.DottedName(eval.Node.Func) == given+".eval" && eval.Node.Start < call.Node.Start && loop.Bounds().Contains(int(eval.Node.Start))
		})
	})
}

// switchedWithin reports a model that the loop itself switches to evaluation: one that is trained, and no teacher.
func (p *SourcePass) switchedWithin(loop *project.Loop, s *project.Site) bool {
	return slices.ContainsFunc(loop.Func.Sites, func(eval *project.Site) bool {
		return loop.Bounds().Contains(int(eval.Node.Start)) && pysrc.DottedName(eval.Node.Func) == pysrc.DottedName(s.Node.Func)+".eval"
	})
}
