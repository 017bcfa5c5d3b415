package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// kbitWithoutPreparation finds quantised models that are trained as they were loaded.
var kbitWithoutPreparation = Rule{
	Code: "SAT508", Name: "kbit-without-preparation", Severity: Warning, Subject: AboutMemory,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Title: "a quantized model is trained without preparation",
	What: "from_pretrained with load_in_8bit, load_in_4bit or a BitsAndBytesConfig, followed by get_peft_model, " +
		"without prepare_model_for_kbit_training.",
	Why: "Preparation keeps layer norms and the head in full precision, lets gradients pass the frozen " +
		"embeddings and turns on gradient checkpointing. Without it, training is unstable or learns nothing, and all " +
		"activations are kept.",
	Fine:   "TRL trainers with a peft_config, and Unsloth: they prepare the model themselves.",
	Advice: "Call model = prepare_model_for_kbit_training(model) before get_peft_model.",
	Bad:    "model = AutoModelForCausalLM.from_pretrained(name, load_in_8bit=True)\nmodel = get_peft_model(model, lora)",
	Good: "model = AutoModelForCausalLM.from_pretrained(name, load_in_8bit=True)\nmodel = " +
		"prepare_model_for_kbit_training(model)\nmodel = get_peft_model(model, lora)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		if p.Uses("peft.prepare_model_for_kbit_training", "peft.prepare_model_for_int8_training") {
			return
		}
		for _, adapt := range p.CallsTo("peft.get_peft_model") {
			if p.EvaluationOnly(adapt) || len(adapt.Node.Args) == 0 {
				continue
			}
			model, ok := adapt.Node.Args[0].(*pysrc.Name)
			if !ok {
				continue
			}
			made := p.Eval(model).Made
			if made == nil || made.Method() != "from_pretrained" {
				continue
			}
			loaded := Call{made, p}
			sure := p.quantises(loaded)
			if sure == 0 || p.preparesByHand() {
				continue
			}
			prepare, edits := p.Import("peft.prepare_model_for_kbit_training")
			p.Report(adapt, sure).Because(loaded.Node).
				Fix(Unsafe, "prepare the model; this changes the precision of some layers",
					append(edits, p.LineBefore(adapt, model.ID+" = "+prepare+"("+model.ID+")"))...)
		}
	},
}

// preparesByHand reports a module that does what the helper does: it turns checkpointing on and lets gradients
// reach the input of the frozen layers.
func (p *SourcePass) preparesByHand() bool {
	return len(p.MethodCalls("gradient_checkpointing_enable")) > 0 && len(p.MethodCalls("enable_input_require_grads")) > 0
}

// loadsInBits reports whether a model near this module is loaded quantized, by one of these arguments.
func (p *SourcePass) loadsInBits(arguments ...string) bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		q := p.In(m)
		return slices.ContainsFunc(q.MethodCalls("from_pretrained"), func(c Call) bool {
			if q.quantises(c) == 0 {
				return false
			}
			config := c.Arg("quantization_config").Made
			return slices.ContainsFunc(arguments, func(name string) bool {
				return c.Arg(name).IsTrue() || config != nil && Call{config, q}.Arg(name).IsTrue()
			})
		})
	})
}

// quantises is the confidence that a model is loaded in 4 or 8 bits.
func (p *SourcePass) quantises(c Call) float64 {
	for _, name := range [...]string{"load_in_8bit", "load_in_4bit"} {
		if v := c.Arg(name); v.IsTrue() {
			return v.Confidence()
		}
	}
	config := c.Arg("quantization_config")
	if !config.IsInstance("transformers.BitsAndBytesConfig") && config.Name != "transformers.BitsAndBytesConfig" {
		return 0
	}
	if config.Kind == project.Instance && config.Made != nil {
		made := Call{config.Made, p}
		if made.Arg("load_in_8bit").IsTrue() || made.Arg("load_in_4bit").IsTrue() {
			return config.Sure
		}
	}
	return 0
}
