package rule

import (
	"slices"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// hfFullPrecision finds trainers of transformers that compute in float32.
var hfFullPrecision = Rule{
	Code: "SAT701", Name: "hf-full-precision", Severity: Warning, Subject: AboutPrecision,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Asks:     [][]string{{"precision=bf16"}},
	Argument: &Argument{Flag: "--bf16", Value: "True", Unless: []string{"--fp16", "--bf16_full_eval"}, Title: "bfloat16 in the trainer"},
	Title:    "the trainer computes in float32",
	What: "transformers TrainingArguments (in code, in a settings file or from the command line) with neither " +
		"bf16 nor fp16, for a model that is not loaded in half precision.",
	Why: "Matrix products in bfloat16 run on tensor cores several times faster than in float32 and move half the " +
		"bytes.",
	Fine: "The precision is set elsewhere: TRL turns bf16 on by default, and DeepSpeed sets it in its own file. The " +
		"model is loaded in bfloat16 or quantized. Results that need float32. (On GPUs before Ampere, use fp16 instead.)",
	Gain:   Range{1, 4.3, "up to 3× in the PyTorch tuning guide, from 32.9 to 142 items/s in milabench; small models gain nothing"},
	Bad:    "TrainingArguments(output_dir, per_device_train_batch_size=16)",
	Good:   "TrainingArguments(output_dir, per_device_train_batch_size=16, bf16=True)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		for _, args := range p.HFArguments() {
			bf16, fp16 := args.Arg("bf16"), args.Arg("fp16")
			if args.TRL || !off(bf16) || !off(fp16) || args.Arg("deepspeed").Given() || args.Arg("bf16_full_eval").IsTrue() ||
				p.loadedHalf() || p.GPU() == 0 {
				continue
			}
			r := p.Report(args.Callee(), nearlyCertain*bf16.Confidence()*fp16.Confidence()*p.GPU()).Because(bf16, fp16)
			if edits := p.bfloat16On(args, bf16, fp16); len(edits) > 0 {
				r.Fix(Unsafe, inBfloat16, edits...)
			}
			if !setElsewhere(bf16) {
				r.Fix(Unsafe, "compute in float16, for GPUs before Ampere", fp16.SetTo("True"))
			}
			if p.oldGPU() {
				slices.Reverse(r.finding.Fixes) // the source speaks of a GPU without bfloat16
			}
			if len(r.finding.Fixes) == 0 {
				r.Advising("Turn on bf16 where it is set, or fp16 on GPUs before Ampere; transformers rejects both together.")
			}
		}
		if parser, class := p.CommandLineArguments(); parser != nil && p.unlessGiven(class, "bf16") &&
			p.unlessGiven(class, "fp16") && !p.halfInCode() {
			p.Report(parser, perhaps*p.GPU()).At(Advice).
				Saying("the trainer computes in float32 unless you pass --bf16 or --fp16").
				Advising("Start it with --bf16 True, or --fp16 True on GPUs before Ampere. --tf32 True speeds up the remaining float32 work.")
		}
	},
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() || p.Framework() != "transformers" || p.File.Top.Child("log_history") != nil {
			return
		}
		for _, batch := range p.Find(".per_device_train_batch_size") {
			args := batch.Parent
			bf16, fp16 := args.Child("bf16"), args.Child("fp16")
			if fp16 != nil && !fp16.Value().IsFalse() || bf16 != nil && !bf16.Value().IsFalse() ||
				args.Child("deepspeed") != nil || args.Child("finetuning_type") != nil ||
				p.mentions("bfloat16", "float16", "bf16: true", "load_in") {
				continue
			}
			if bf16 != nil {
				p.Report(bf16, project.Likely).Fix(Unsafe, inBfloat16, p.Set(bf16, "True"))
			} else if fp16 != nil {
				p.Report(fp16, probable).Fix(Unsafe, inBfloat16, p.AddBefore(fp16, "bf16", "True"))
			} else if p.parsedWhole() && !p.mentions("precision", "fp16", "bf16") {
				p.Report(batch, probable).Saying("the trainer computes in float32: neither bf16 nor fp16 is set").
					Fix(Unsafe, inBfloat16, p.AddBefore(batch, "bf16", "True"))
			}
		}
	},
}

const inBfloat16 = "compute in bfloat16; transformers rejects it on machines without a GPU that supports it"

// bfloat16On gives the edits that turn bf16 on. Where a settings file says fp16: false, it says bf16: true beside it,
// and the code reads both the same way.
func (p *SourcePass) bfloat16On(args trainerArguments, bf16, fp16 Value) []patch.Edit {
	if fp16.InSettings() && fp16.Given() {
		if bf16.InSettings() && bf16.Given() {
			return []patch.Edit{bf16.SetTo("True")}
		}
		beside := fp16.Setting.AddBefore("bf16", "True")
		k := args.Node.Keyword("fp16")
		if k == nil { // the call unpacks the whole mapping
			return []patch.Edit{beside}
		}
		if read := p.Text(k.Value); bf16.Missing() && strings.Count(read, "fp16") == 1 {
			return []patch.Edit{beside, bf16.SetTo(strings.Replace(read, "fp16", "bf16", 1))}
		}
	}
	if on := p.unlessOn(args, bf16, fp16); on != "" {
		return []patch.Edit{bf16.SetTo(on)}
	}
	return nil
}

// unlessOn is what to set bf16 to, since transformers refuses both: True, or the opposite of an fp16 that
// is decided elsewhere and can be read here; nothing where it cannot.
func (p *SourcePass) unlessOn(args trainerArguments, bf16, fp16 Value) string {
	if !setElsewhere(fp16) {
		return "True"
	}
	if k := args.Node.Keyword("fp16"); k != nil && bf16.Missing() && pysrc.DottedName(k.Value) != "" {
		return "not " + p.Text(k.Value)
	}
	return ""
}

// loadedHalf reports whether something near this module speaks of weights in half
// precision or of quantised ones.
func (p *SourcePass) loadedHalf() bool {
	return p.halfInCode() || p.NearSays(`dtype="auto"`, `"bfloat16"`)
}

// halfInCode is loadedHalf by what code does, and not by a word that may be one choice of an option.
func (p *SourcePass) halfInCode() bool {
	return p.NearSays("torch.bfloat16", "torch.float16", "torch.half", "load_in_8bit", "load_in_4bit",
		"BitsAndBytesConfig", "FastLanguageModel")
}

// parsedWhole reports whether the project hands its settings to transformers as
// they are, so that what they do not say stays at its default.
func (p *SettingsPass) parsedWhole() bool {
	return p.Project.Uses("transformers.HfArgumentParser", "trl.TrlParser", "transformers.HfArgumentParser.*") ||
		len(p.Project.Modules) == 0
}
