package rule

import (
	"regexp"
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// fp16WhereBF16 finds float16 training that bfloat16 would spare its loss scaling.
var fp16WhereBF16 = Rule{
	Code: "SAT402", Name: "fp16-where-bf16", Severity: Advice, Subject: AboutPrecision, General: true,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Title: "float16 is used where bfloat16 needs no loss scaling",
	What: "fp16=True in transformers, mixed_precision=\"fp16\" in Accelerate, precision=\"16-mixed\" in Lightning, " +
		"fp16.enabled in DeepSpeed, or float16 autocast with a GradScaler, and no sign of a GPU older than Ampere.",
	Why: "float16 overflows: the loss is scaled, gradients are checked for infinities and steps are skipped. " +
		"bfloat16 has the range of float32 at the same speed.",
	Fine: "V100, T4 and other GPUs before Ampere. Models that were trained in float16 and do not tolerate the " +
		"shorter mantissa of bfloat16.",
	Advice: "On A100, L4, H100, RTX 30 and later, use bfloat16 and remove the GradScaler.",
	Bad:    "Seq2SeqTrainingArguments(output_dir, fp16=True)",
	Good:   "Seq2SeqTrainingArguments(output_dir, bf16=True)",
	Little: "scaling the loss takes a few percent of a step at most",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		if !p.runsOnGPU() {
			return
		}
		for _, args := range p.HFArguments() {
			fp16, bf16 := args.Arg("fp16"), args.Arg("bf16")
			if fp16.IsTrue() && off(bf16) && !p.loadsInBits("load_in_8bit") { // whose products are in float16 anyway
				r := p.Report(args.Callee(), probable*fp16.Confidence()).Because(fp16)
				if k := args.Node.Keyword("fp16"); k != nil && bf16.Missing() && fp16.Origin.How == project.InPlace {
					r.Fix(Unsafe, "train in bfloat16", p.Replace(k, "bf16=True"))
				} else if !setElsewhere(fp16) { // transformers refuses both
					r.Fix(Unsafe, "train in bfloat16", fp16.SetTo("False"), bf16.SetTo("True"))
				}
			}
		}
		p.float16ByCommand()
		for _, c := range p.CallsTo("accelerate.Accelerator") {
			if v := p.acceleratedIn(c); v.Equals("fp16") {
				p.Report(c.Callee(), probable*v.Confidence()).Because(v).Fix(Unsafe, "train in bfloat16", v.SetTo(`"bf16"`))
			}
		}
		for _, c := range p.CallsTo("lightning.pytorch.Trainer", "lightning.fabric.Fabric") {
			if v := c.Arg("precision"); (v.Equals("16-mixed") || v.Equals(16) || v.Equals("16")) && !p.EvaluationOnly(c) && p.lightningAtLeast("1.5") != project.No {
				half, _ := lightningHalf(p.versions())
				p.Report(c.Callee(), probable*v.Confidence()).Because(v).Fix(Unsafe, "train in bfloat16", v.SetTo(half))
			}
		}
		for _, c := range p.CallsTo("apex.amp.initialize") {
			if level := c.Arg("opt_level"); !level.Equals("O0") && !p.EvaluationOnly(c) {
				if _, never := p.neverTaken(c); never {
					continue // what is switched off costs nothing; SAT401 says so
				}
				p.Report(c.Callee(), plausible*level.Confidence()).beingLittle(p.byOption(c)).Because(level).
					Saying("apex trains in float16, with a loss scale found by trial").
					Advising("Use torch.autocast(\"cuda\", dtype=torch.bfloat16), which needs no loss scale, and drop apex.amp: it is no longer maintained.")
			}
		}
		p.scaledAutocasts()
		if len(p.reports) > 0 && p.oldGPU() { // asked last, because it searches the whole text
			p.reports = nil
		}
	},
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() {
			return
		}
		if fp16 := p.deepSpeedSwitch("fp16"); fp16 != nil && fp16.Value().IsTrue() && !p.deepSpeedHas("bf16", "bfloat16") {
			r := p.Report(fp16, plausible).Advising("On A100, L4, H100, RTX 30 and later, enable bf16 instead: \"bf16\": {\"enabled\": true}.")
			if bf16 := p.deepSpeedSwitch("bf16"); bf16 != nil {
				r.Fix(Unsafe, "train in bfloat16", p.Set(fp16, "False"), p.Set(bf16, "True"))
			}
		}
		if s := p.acceleratePrecision(); s != nil && s.Value().Equals("fp16") {
			p.Report(s, plausible).Fix(Unsafe, "train in bfloat16", p.Set(s, `"bf16"`))
		}
		for _, s := range p.TrainerSettings("fp16") {
			bf16 := s.Parent.Child("bf16")
			if s.Value().IsTrue() && (bf16 == nil || bf16.Value().IsFalse()) {
				r := p.Report(s, plausible)
				if bf16 != nil {
					r.Fix(Unsafe, "train in bfloat16", p.Set(s, "False"), p.Set(bf16, "True"))
				}
			}
		}
	},
}

// float16ByCommand reports trainers of transformers that commands start with --fp16.
func (p *SourcePass) float16ByCommand() {
	parser, class := p.CommandLineArguments()
	if parser == nil || !p.unlessGiven(class, "bf16") || p.loadsInBits("load_in_8bit") {
		return
	}
	on := p.eval.SwitchedOn(p.Module, "fp16")
	if len(on) == 0 {
		return
	}
	r := p.Report(parser.Callee(), probable).Advising("On A100, L4, H100, RTX 30 and later, start it with --bf16 instead of --fp16.")
	for _, v := range on {
		r.Because(v)
	}
	for _, trainer := range p.Constructions("transformers.Trainer") {
		r.Because(p.At(trainer, "trains in float16"))
	}
}

// scaledAutocasts reports the first autocast to float16 beside a scaler, for all of this module,
// and repairs all of them.
func (p *SourcePass) scaledAutocasts() {
	var r *Report
	bfloat16, edits := p.Import("torch.bfloat16")
	for _, c := range p.trainingAutocasts() {
		if autocastType(c) != "float16" || !p.half().scaled {
			continue
		}
		dtype := c.Arg("dtype")
		if r == nil {
			r = p.Report(c.Callee(), plausible).beingLittle(p.byOption(c)).Because(dtype)
			for _, scaler := range p.CallsTo("torch.amp.GradScaler") {
				r.Because(p.At(scaler, "bfloat16 needs no scaler"))
			}
		}
		if edit := dtype.SetTo(bfloat16); !slices.Contains(edits, edit) { // several may share a variable
			edits = append(edits, edit)
		}
	}
	if r != nil {
		r.Fix(Unsafe, "compute in bfloat16", edits...)
	}
}

// byOption says that a switch whose value is not known decides whether a call computes in half precision, if so.
func (p *SourcePass) byOption(c Call) string {
	enabled, open := c.enabled(), false
	p.testsAround(c, func(test pysrc.Expr) {
		v := p.Eval(test)
		_, known := v.Truth()
		open = open || !known && !project.IsMainGuard(test)
	})
	if open || c.Name() == "torch.amp.autocast" && enabled.Given() && !enabled.IsTrue() {
		return "a switch decides whether it computes in float16, and it is not known to be on"
	}
	return ""
}

// oldGPU reports whether the project speaks of a GPU without bfloat16, or asks
// whether there is one.
func (p *SourcePass) oldGPU() bool {
	if p.AtLeast("torch", "1.10") == project.No ||
		p.Uses("torch.cuda.is_bf16_supported", "transformers.utils.is_torch_bf16_gpu_available", "unsloth.*") {
		return true
	}
	return oldGPUs.Match(p.Module.Text) || strings.Contains(p.Module.Path, "colab")
}

// oldGPUs are names of GPUs without bfloat16, of places that lend them, and of
// functions that ask for it.
var oldGPUs = regexp.MustCompile(`(?i)\b(T4|V100|P100|K80|[GR]TX ?[12]0\d0|colab|kaggle|is_bf16_supported|is_bfloat16_supported|is_torch_bf16\w*)\b`)
