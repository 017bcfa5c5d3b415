package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// logEveryStep finds metrics that are written in every step.
var logEveryStep = Rule{
	Code: "SAT310", Name: "log-every-step", Severity: Warning, Subject: AboutHostCode,
	Areas: []Area{HostArea},
	Asks:  [][]string{{"sync=scalar"}},
	Title: "metrics are logged in every step",
	What: "A GPU tensor logged to W&B, TensorBoard, MLflow or Accelerate in every training step. Histograms, " +
		"images or audio in every step. Files, figures and other programs in every step. A figure drawn every 50 steps " +
		"or more often. Windows that wait until somebody closes them. Histograms of all parameters in each epoch. A figure for each batch of a validation set. logging_steps=1 in transformers, log_every_n_steps=1 in Lightning. " +
		"wandb.watch, the norm of every gradient in a hook of Lightning, a progress bar that each step redraws.",
	Why: "A logged tensor is read back, which waits for every queued kernel. Histograms and media also copy and " +
		"write a lot.",
	Fine:   "Numbers already on the host. Runs of a few steps. Steps that take many seconds.",
	Advice: "Log every 10 to 50 steps.",
	Bad:    "for step, batch in enumerate(loader):\n    …\n    writer.add_scalar(\"loss\", loss, step)",
	Good: "for step, batch in enumerate(loader):\n    …\n    if step % 50 == 0:\n        " +
		"writer.add_scalar(\"loss\", loss, step)",
	Safety: Unsafe, Waits: true,
	Source: func(p *SourcePass) {
		for _, call := range p.metricLogs() {
			path, ok := p.EachStep(call)
			if !ok {
				continue
			}
			shown := p.Shown(call)
			if len(shown) == 0 && !heavyLogs[call.Method()] {
				continue
			}
			r := p.Report(call.Callee(), path.Sure).Because(path)
			if len(shown) > 0 {
				r.Saying("%s is logged in every step, which waits for the GPU", p.Short(shown[0])).Waits()
			} else {
				r.Saying("%s writes in every step", p.Short(call.Callee()))
			}
			p.onlyEvery(r, Unsafe, call, 50)
		}
		p.drawnOften()
		p.waitsForPerson()
		p.histogramsOfAll()
		p.barsRedrawn()
		p.gradientNormsLogged()
		p.validationFigures()
		p.writtenInSteps()
		for _, args := range p.HFArguments() {
			if !generates(args) {
				p.loggedAlways(args.Call, args.Arg("logging_steps"))
			}
		}
		if parser, _ := p.CommandLineArguments(); parser != nil && !p.startedShort() {
			p.loggedAlways(*parser, p.eval.Started(p.Module, "logging_steps"))
		}
		for _, trainer := range p.CallsTo("lightning.pytorch.Trainer") {
			if p.logsToBarAlone() {
				continue
			}
			p.loggedAlways(trainer, trainer.Arg("log_every_n_steps"))
		}
	},
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() {
			return
		}
		for _, s := range p.TrainerSettings("logging_steps", "log_every_n_steps") {
			if s.Value().Equals(1) && !p.shortRun(s) && !namesLargeModel(p.File) {
				p.Report(s, project.Likely).Saying("%s: metrics are read back and written in every step", s.Key).
					Fix(Unsafe, "log every 10 steps", p.Set(s, "10"))
			}
		}
	},
}

// generates reports arguments of a trainer whose step generates texts first, as in trl: it takes so
// long that its log does not show.
func generates(args trainerArguments) bool {
	return slices.ContainsFunc(args.Possible(), func(v Value) bool { return generatingTrainers[project.LastOf(v.Name)] })
}

var generatingTrainers = setOfNames("GRPOConfig", "RLOOConfig", "PPOConfig", "OnlineDPOConfig", "XPOConfig",
	"NashMDConfig")

func (p *SourcePass) loggedAlways(c Call, every Value) {
	if !every.Equals(1) || p.shortRun(c) || p.EvaluationOnly(c) || p.GPU() == 0 || p.nearLargeModel() {
		return
	}
	p.Report(c.Callee(), every.Confidence()*p.GPU()).Because(every).
		Saying("metrics are read back and written in every step").
		Fix(Unsafe, "log every 10 steps", every.SetTo("10"))
}

// logsToBarAlone reports a project in which all steps of Lightning keep what they log from the logger: self.log(x, logger=False).
func (p *SourcePass) logsToBarAlone() bool {
	shown := 0
	for _, m := range p.Project.Modules {
		for _, c := range p.In(m).MethodCalls("log", "log_dict") {
			if fn := c.Func; fn.Class == nil || !fn.Class.Derives("lightning.pytorch.LightningModule") || !isNamed(c.Receiver(), fn.Self()) ||
				p.EvaluationOnly(c) {
				continue
			}
			if !c.Arg("logger").IsFalse() {
				return false
			}
			shown++
		}
	}
	return shown > 0
}

// heavyLogs write more than numbers.
var heavyLogs = setOfNames("add_histogram", "add_image", "add_images", "add_figure", "add_audio", "add_video",
	"add_embedding", "add_mesh", "flush")

// isExperiment reports a variable that holds what Lightning's logger writes with: tb = trainer.logger.experiment.
func (p *SourcePass) isExperiment(e pysrc.Expr) bool {
	name, ok := e.(*pysrc.Name)
	if !ok {
		return false
	}
	said, ok := p.Module.SaidLast(name).(*pysrc.Attribute)
	return ok && said.Attr == "experiment"
}

// metricLogs returns the calls that log metrics.
func (p *SourcePass) metricLogs() []Call {
	list := p.CallsTo("wandb.log", "mlflow.log_metric", "mlflow.log_metrics", "trackio.log", "swanlab.log",
		"accelerate.Accelerator.log",
		"wandb.init().log", "comet_ml.Experiment.log_metric", "comet_ml.Experiment.log_metrics")
	list = append(list, p.MethodCalls("add_scalar", "add_scalars")...)
	for name := range heavyLogs {
		for _, c := range p.MethodCalls(name) {
			if strings.Contains(p.NameOf(c.Receiver()), "SummaryWriter") || project.HasWord(rootName(c.Receiver()), writerWords...) ||
				project.HasWord(lastName(c.Receiver()), writerWords...) || p.isExperiment(c.Receiver()) {
				list = append(list, c)
			}
		}
	}
	return inOrder(list)
}
