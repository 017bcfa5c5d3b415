package rule

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// lightningPrecision32 finds trainers of Lightning and other frameworks that compute in float32.
var lightningPrecision32 = Rule{
	Code: "SAT702", Name: "lightning-precision-32", Severity: Warning, Subject: AboutPrecision,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Asks:  [][]string{{"precision=bf16"}},
	Title: "the trainer computes in float32",
	What: "Lightning's Trainer or Fabric on a GPU with precision 32 or none, mixed_precision \"no\" in Accelerate, " +
		"fp16 and bf16 disabled in DeepSpeed, precision \"fp32\" in Composer, a supervised trainer of Ignite without amp_mode, " +
		"a runner of mmcv or mmengine in a project that names no half precision, " +
		"precision: fp32 in SpeechBrain, use_amp: false in ESPnet, " +
		"trainer.precision: 32 in NeMo.",
	Why: "Matrix products in bfloat16 run on tensor cores several times faster than in float32 and move half the " +
		"bytes.",
	Fine: "Results that need float32. Models so small that the host is the limit. (On GPUs before Ampere, use 16-mixed " +
		"instead of bfloat16.)",
	Gain:   Range{1, 4.3, "up to 3× in the PyTorch tuning guide, from 32.9 to 142 items/s in milabench; small models gain nothing"},
	Bad:    `Trainer(max_epochs=10, accelerator="gpu")`,
	Good:   `Trainer(max_epochs=10, accelerator="gpu", precision="bf16-mixed")`,
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		if p.GPU() == 0 {
			return
		}
		for _, c := range p.fullPrecisionTrainers() {
			precision := c.Arg("precision")
			half, title := lightningHalf(p.versions())
			p.Report(c.Callee(), likely*precision.Confidence()*p.GPU()).Because(precision).
				Fix(Unsafe, title, precision.SetTo(half))
		}
		for _, c := range p.CallsTo("lightning.pytorch.Trainer.from_argparse_args") {
			if !p.leavesPrecision(c) {
				continue
			}
			p.Report(c.Callee(), perhaps*p.GPU()).At(Advice).
				Saying("the trainer computes in float32 unless you pass --precision").
				Advising("Start it with --precision bf16-mixed, or give from_argparse_args precision=\"bf16-mixed\" (\"bf16\" before Lightning 2).")
		}
		p.acceleratedFull()
		p.otherTrainersFull()
		p.runnersFull()
	},
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() || strings.Contains(p.File.Path, "debug") {
			return
		}
		p.File.EachMade(func(name string, target, arguments *project.Setting) {
			if name != "lightning.pytorch.Trainer" || arguments.Child("precision") != nil || onCPU(arguments.Child("accelerator")) && !p.otherAccelerator() {
				return
			}
			p.Report(target, project.Likely).Saying("the trainer computes in float32: its settings name no precision").
				Fix(Unsafe, "compute in half precision", target.AddBefore("precision", p.lightningHalf()))
		})
		p.trainerWithoutPrecision()
		if p.Framework() == "deepspeed" {
			p.deepSpeedFull()
			return
		}
		var key, to string
		switch p.Framework() {
		case "accelerate":
			if p.accelerated() {
				return
			}
			key, to = "mixed_precision", `"bf16"`
		case "speechbrain":
			key, to = "precision", `bf16`
		case "espnet":
			key, to = "use_amp", "True"
		case "nemo":
			key, to = "trainer.precision", `"bf16-mixed"`
		case "lightning":
			key, to = ".precision", p.lightningHalf()
		default:
			return
		}
		for _, s := range p.Find(key) {
			if v := s.Value(); fullPrecisionValue(v) || v.Equals("no") || key == "use_amp" && v.IsFalse() {
				p.Report(s, project.Likely).Fix(Unsafe, "compute in half precision", p.Set(s, to))
			}
		}
	},
}

// fullPrecisionTrainers returns the trainers of Lightning that compute in float32 on a GPU.
func (p *SourcePass) fullPrecisionTrainers() (list []Call) {
	for _, c := range p.CallsTo("lightning.pytorch.Trainer", "lightning.fabric.Fabric") {
		precision := c.Arg("precision")
		if !fullPrecisionValue(precision) && !precision.Missing() || p.EvaluationOnly(c) || !p.onGPU(c) ||
			p.shortRun(c) || p.NearSays("autocast", ".half(", "torch.bfloat16", "torch.float64", ".double(") {
			continue
		}
		list = append(list, c)
	}
	return list
}

// leftToCallers reports a value that a parameter decides by its default, in a function or class that nothing in the project
// calls: it is a library's, and who uses it chooses.
func (p *SourcePass) leftToCallers(c Call, v Value) bool {
	return v.Chosen().How == project.ByDefault && c.Func.Def != nil && len(p.Project.Callers(c.Func)) == 0
}

// leavesPrecision reports whether a trainer that is made of the command line is told its precision nowhere: not in the
// call, not by a default of the program, not in a settings file or a script that starts it, and no code sets it.
func (p *SourcePass) leavesPrecision(c Call) bool {
	v := c.Arg("precision")
	if !fullPrecisionValue(v) && !v.Missing() || p.EvaluationOnly(c) || !p.onGPU(c) || p.shortRun(c) ||
		p.Project.StartedWith(p.Module, "precision") ||
		p.NearSays("autocast", ".half(", "torch.bfloat16", "torch.float64", ".double(", "\"--precision\"", "'--precision'", "precision=") {
		return false
	}
	for _, a := range p.Module.Assignments {
		if target, ok := a.Target.(*pysrc.Attribute); ok && target.Attr == "precision" {
			return false
		}
	}
	return !slices.ContainsFunc(p.Project.Settings, func(s *project.Settings) bool {
		return s.Role != project.Test && slices.ContainsFunc(s.Find(".precision"), func(key *project.Setting) bool {
			return key.Kind == project.ScalarSetting && asksForHalf(key.Value())
		})
	})
}

// accelerated reports a program that gives Accelerator the precision itself: what a file of settings says does not count then.
// Of several programs, those in the folder of the file count.
func (p *SettingsPass) accelerated() bool {
	e := p.Project.NewEval()
	defer e.Release()
	folder := path.Dir(filepath.ToSlash(p.File.Path))
	beside, anywhere, found := false, false, false
	for _, m := range p.Project.Modules {
		for _, s := range m.Sites {
			if s.Calls.Name != "accelerate.Accelerator" || m.Role == project.Test {
				continue
			}
			_, known := e.Argument(s, "mixed_precision").Str()
			anywhere = anywhere || known
			if folder == "." || strings.HasPrefix(filepath.ToSlash(m.Path), folder+"/") {
				found, beside = true, beside || known
			}
		}
	}
	if found {
		return beside
	}
	return anywhere
}

// onCPU reports a setting of Lightning's accelerator that is not a GPU.
func onCPU(accelerator *project.Setting) bool {
	return accelerator != nil && (accelerator.Value().Equals("cpu") || accelerator.Value().Equals("mps") || accelerator.Value().Equals("tpu"))
}

// otherAccelerator reports a settings file of the project that puts the trainer on a GPU instead.
func (p *SettingsPass) otherAccelerator() bool {
	return slices.ContainsFunc(p.Project.Settings, func(f *project.Settings) bool {
		on := f.Top.Child("accelerator")
		return f.Role != project.Test && on != nil && (on.Value().Equals("gpu") || on.Value().Equals("cuda"))
	})
}

func fullPrecisionValue(v Value) bool {
	for _, full := range []any{32, "32", "32-true", "fp32", "float32"} {
		if v.Equals(full) {
			return true
		}
	}
	return false
}

// onGPU reports a trainer that is not told to use something else than a GPU.
func (p *SourcePass) onGPU(c Call) bool {
	accelerator := c.Arg("accelerator")
	name, known := accelerator.Str()
	if c.Arg("gpus").Given() {
		return true
	}
	if accelerator.Missing() || known && (name == "gpu" || name == "cuda" || name == "auto") {
		return true
	}
	// if there is one
	return slices.ContainsFunc(accelerator.Either, func(v Value) bool { return v.Equals("gpu") || v.Equals("cuda") })
}
