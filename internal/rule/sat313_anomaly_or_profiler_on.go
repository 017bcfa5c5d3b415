package rule

import (
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
)

// anomalyOrProfilerOn finds debugging aids that slow every step and were left on.
var anomalyOrProfilerOn = Rule{
	Code: "SAT313", Name: "anomaly-or-profiler-on", Severity: Warning, Subject: AboutHostCode,
	Areas: []Area{ComputeArea, HostArea},
	Title: "a debugging tool is on during training",
	What: "set_detect_anomaly(True), detect_anomaly, CUDA_LAUNCH_BLOCKING=1, detect_anomaly=True in Lightning, " +
		"jax_debug_nans, jax_debug_infs or jax_disable_jit, TORCH_DISTRIBUTED_DEBUG=DETAIL, a recorded memory history, " +
		"full_determinism or debug=\"underflow_overflow\" of transformers, or a profiler that records everything, outside a " +
		"debug branch that is off by default.",
	Why: "Anomaly detection checks every gradient for NaN and keeps a stack trace for every operation. Launch " +
		"blocking waits for each kernel before it starts the next.",
	Fine:   "While debugging. Behind a flag that is off by default.",
	Advice: "Turn it off for real runs, or put it behind a flag.",
	Bad:    "torch.autograd.set_detect_anomaly(True)",
	Good:   "torch.autograd.set_detect_anomaly(args.debug)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		const checked = "every gradient is checked for NaN"
		for _, c := range p.CallsTo("torch.autograd.set_detect_anomaly", "torch.autograd.anomaly_mode.set_detect_anomaly") {
			mode := c.Arg("mode")
			if mode.Missing() || mode.Unknown() {
				mode = c.ArgAt(0)
			}
			p.reportAid(c, mode, checked, mode.SetTo("False"), true)
		}
		for _, c := range p.CallsTo("torch.autograd.detect_anomaly", "torch.autograd.anomaly_mode.detect_anomaly") {
			if !p.aidIsFine(c) {
				p.Report(c, project.Certain).Because(p.switches(c)...).Saying("%s in training", checked)
			}
		}
		for _, c := range p.CallsTo("lightning.pytorch.Trainer") {
			p.reportAid(c, c.Arg("detect_anomaly"), checked, c.Arg("detect_anomaly").SetTo("False"), true)
			p.reportAid(c, c.Arg("profiler"), "every step is profiled", c.Arg("profiler").SetTo("None"), "advanced", "pytorch")
		}
		for _, c := range p.CallsTo("jax.config.update") {
			if name, _ := c.ArgAt(0).Str(); name == "jax_debug_nans" || name == "jax_debug_infs" || name == "jax_disable_jit" {
				p.reportAid(c, c.ArgAt(1), aidsOfJAX[name], c.ArgAt(1).SetTo("False"), true)
			}
		}
		for _, e := range p.environment("CUDA_LAUNCH_BLOCKING") {
			p.blockedLaunches(e)
		}
		p.aidsByVariable()
		p.aidsOfTrainers()
		p.recordedMemory()
	},
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() || strings.Contains(p.File.Path, "debug") {
			return
		}
		for _, s := range p.TrainerSettings("detect_anomaly") {
			if s.Value().IsTrue() {
				p.Report(s, project.Likely).Saying("every gradient is checked for NaN in training").
					Fix(Unsafe, "turn it off", p.Set(s, "False"))
			}
		}
		for _, s := range p.TrainerSettings("profiler") {
			if v := s.Value(); (v.Equals("advanced") || v.Equals("pytorch")) && p.Framework() == "lightning" {
				p.Report(s, project.Likely).Saying("every step is profiled in training").Fix(Unsafe, "turn it off", p.Set(s, "None"))
			}
		}
	},
}

// aidsOfJAX say what the debugging switches of JAX do.
var aidsOfJAX = map[string]string{
	"jax_debug_nans":  "every result of JAX is read back and checked for NaN",
	"jax_debug_infs":  "every result of JAX is read back and checked for infinities",
	"jax_disable_jit": "JAX compiles nothing",
}

// blockedLaunches reports a variable that makes CUDA wait for every kernel, and removes it where an assignment sets it.
func (p *SourcePass) blockedLaunches(e environmentSetting) {
	if !e.value.Equals("1") || p.aidIsFine(e.at) || !p.Project.Starts(p.Module) && !p.trained() {
		return // also in a program that converts or prepares something
	}
	r := p.Report(e.at, e.value.Sure).Because(e.because()).Saying("the host waits for every kernel in training")
	if e.alone {
		r.Fix(Unsafe, "turn it off", p.RemoveStatement(e.at))
	}
}

// reportAid reports a debugging aid whose setting has one of the values that turn it on.
func (p *SourcePass) reportAid(n Node, value Value, what string, off patch.Edit, on ...any) {
	for _, v := range on {
		if value.Equals(v) && !p.aidIsFine(n) {
			p.Report(n, value.Sure).Because(value).Because(p.switches(n)...).Saying("%s in training", what).Fix(Unsafe, "turn it off", off)
		}
	}
}
