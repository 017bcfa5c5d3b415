package rule

import "saturate/internal/project"

// noPacking finds fine-tuning of language models on short texts, one per row.
var noPacking = Rule{
	Code: "SAT115", Name: "no-packing", Severity: Advice, Subject: AboutPadding,
	Areas: []Area{ComputeArea}, Reshapes: true,
	Title: "each row of a batch holds one text plus padding",
	What: "SFTConfig or SFTTrainer of TRL, or their settings file, without packing, sample_packing: false in Axolotl, packed: false in " +
		"torchtune.",
	Why: "Padding is computed like text. Packing fills a row with several texts, and variable-length attention " +
		"keeps them apart.",
	Fine: "Texts close to the maximum length. Attention that cannot separate packed texts, if that matters. " +
		"Images next to the text.",
	Advice: "Try packing=True with flash attention, or padding_free=True, and compare tokens per second and loss.",
	Gain:   Range{1, 2, "twice as fast for the second phase of BERT (arXiv 2107.02027)"},
	Bad:    "SFTConfig(max_length=2048)",
	Good:   "SFTConfig(max_length=2048, packing=True)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		if p.GPU() == 0 || p.packsNothing() {
			return
		}
		for _, c := range p.Constructions("trl.SFTConfig") {
			packing := c.Arg("packing")
			if !off(packing) || !off(c.Arg("padding_free")) || p.EvaluationOnly(c) {
				continue
			}
			p.Report(c.Callee(), probable*packing.Confidence()*p.GPU()).Because(packing).
				Fix(Unsafe, "pack several texts into a row", packing.SetTo("True"))
		}
	},
	Settings: func(p *SettingsPass) {
		f := p.Framework()
		p.unpackedFineTuning()
		if f != "axolotl" && f != "torchtune" || p.EvaluationOnly() || p.mentions("multimodal", "vision", "image") {
			return
		}
		for _, s := range p.Find(".sample_packing", ".packed") {
			if s.Value().IsFalse() && !p.evaluates(s) {
				p.Report(s, probable).Fix(Unsafe, "pack several texts into a row", p.Set(s, "True"))
			}
		}
	},
}

// unpackedFineTuning reports a settings file of TRL's SFTTrainer that says how long a row may be and not that it holds several texts.
func (p *SettingsPass) unpackedFineTuning() {
	if p.EvaluationOnly() || len(p.Find(".packing", ".padding_free", ".max_prompt_length", ".beta")) > 0 {
		return
	}
	for _, s := range p.TrainerSettings("max_seq_length", "max_length") {
		if n, known := s.Value().Int(); known && n >= longRow && p.fineTunesByTRL() {
			p.Report(s, probable)
			return
		}
	}
}

// longRow is from how many tokens on a row is mostly longer than a text.
const longRow = 1024

// fineTunesByTRL reports a project that trains with TRL's SFTTrainer and never packs in its source.
func (p *SettingsPass) fineTunesByTRL() bool {
	found := false
	for _, m := range p.Project.Modules {
		if m.Role == project.Test || !m.Imports("trl") {
			continue
		}
		in := passOf(p.Project, m)
		for _, c := range in.Constructions("trl.SFTTrainer", "trl.SFTConfig") {
			if packing := c.Arg("packing"); packing.Given() && !packing.IsFalse() {
				return false
			}
			found = found || !in.packsNothing()
		}
	}
	return found
}

// packsNothing reports whether texts of this module cannot be packed: a collator of
// its own, or images beside the text.
func (p *SourcePass) packsNothing() bool {
	for _, c := range p.Constructions("trl.SFTTrainer") {
		if v := c.Arg("data_collator"); v.Given() && !v.IsNone() || c.Arg("packing").IsTrue() {
			return true
		}
	}
	for _, c := range p.MethodCalls("from_pretrained") {
		if v := p.Eval(c.Receiver()); v.Kind == project.Type && v.IsClass("transformers.ProcessorMixin") {
			return true
		}
	}
	return false
}
