package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
)

// observePrecision states the precision in which this module trains, when it says so.
func (p *SourcePass) observePrecision() {
	for _, c := range p.CallsTo("torch.amp.autocast") {
		if p.EvaluationOnly(c) {
			continue
		}
		note := ""
		if enabled := c.Arg("enabled"); enabled.IsFalse() {
			note = ", off by default"
		} else if enabled.Unknown() {
			note = ", if enabled"
		}
		p.Observe("precision", c, "%s by autocast%s", autocastType(c), note)
	}
	for _, args := range p.HFArguments() {
		switch {
		case args.Arg("bf16").IsTrue():
			p.Observe("precision", args.Callee(), "bfloat16 by the trainer")
		case args.Arg("fp16").IsTrue():
			p.Observe("precision", args.Callee(), "float16 with loss scaling by the trainer")
		case args.TRL && args.Arg("bf16").Missing() && args.Arg("fp16").Missing():
			p.Observe("precision", args.Callee(), "bfloat16, the default of TRL")
		}
	}
	for _, c := range p.CallsTo("lightning.pytorch.Trainer", "lightning.fabric.Fabric") {
		if v, ok := c.Arg("precision").Str(); ok && !p.EvaluationOnly(c) {
			p.Observe("precision", c.Callee(), "%s by Lightning", v)
		}
	}
	for _, c := range p.CallsTo("accelerate.Accelerator") {
		if v, ok := c.Arg("mixed_precision").Str(); ok {
			p.Observe("precision", c.Callee(), "%s by Accelerate", v)
		}
	}
}

// autocastType is the type that an autocast computes in.
func autocastType(c Call) string {
	dtype := c.Arg("dtype")
	switch name := dtype.Name; {
	case name == "torch.bfloat16" || name == "torch.float16":
		return strings.TrimPrefix(name, "torch.")
	case dtype.Missing():
		if device, _ := c.Arg("device_type").Str(); device == "cpu" {
			return "bfloat16"
		}
		return "float16"
	}
	return "a dtype chosen by a setting"
}

// observeOptimizer states which optimizer trains.
func (p *SourcePass) observeOptimizer() {
	for _, c := range p.optimizers() {
		how := ""
		switch {
		case c.Arg("fused").IsTrue():
			how = ", fused"
		case c.Arg("foreach").IsFalse():
			how = ", one tensor at a time"
		}
		p.Observe("optimizer", c.Callee(), "%s%s", optimizerName(c), how)
	}
	for _, c := range p.CallsTo("bitsandbytes.optim.*") {
		if c.Calls.Kind == project.Type && !strings.HasSuffix(c.Name(), "Manager") {
			p.Observe("optimizer", c.Callee(), "%s of bitsandbytes", strings.TrimPrefix(c.Name(), "bitsandbytes.optim."))
		}
	}
	for _, args := range p.HFArguments() {
		if name, ok := args.Arg("optim").Str(); ok {
			p.Observe("optimizer", args.Callee(), "%s by the trainer", name)
		} else if args.Arg("optim").Missing() {
			name := "adamw_torch, fused since torch 2.8"
			if p.AtLeast("transformers", "4.55") == project.No {
				name = "adamw_torch"
			}
			p.Observe("optimizer", args.Callee(), "%s: the trainer's default", name)
		}
	}
}

// optimizerName is the class of an optimizer, or those that it may be.
func optimizerName(c Call) string {
	var names []string
	for _, v := range c.Possible() {
		if name := strings.TrimPrefix(v.Name, "torch.optim."); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// observeQuantisation states how weights are quantised, when they are, and what
// a model that is loaded for training is loaded in.
func (p *SourcePass) observeQuantisation() {
	for _, c := range p.CallsTo("transformers.BitsAndBytesConfig") {
		switch {
		case c.Arg("load_in_4bit").IsTrue():
			kind, _ := c.Arg("bnb_4bit_quant_type").Str()
			if kind == "" {
				kind = "fp4"
			}
			p.Observe("quantization", c.Callee(), "4-bit weights (%s), computing in %s", kind, typeName(c.Arg("bnb_4bit_compute_dtype"), "float32"))
		case c.Arg("load_in_8bit").IsTrue():
			p.Observe("quantization", c.Callee(), "8-bit weights")
		}
	}
	for _, m := range p.Pretrained() {
		switch {
		case p.EvaluationOnly(m) || !p.trained():
		case m.Arg("load_in_8bit").IsTrue():
			p.Observe("quantization", m.Callee(), "8-bit weights")
		case m.Arg("load_in_4bit").IsTrue():
			p.Observe("quantization", m.Callee(), "4-bit weights")
		case m.Arg("quantization_config").Missing():
			p.Observe("quantization", m.Callee(), "none: the weights are loaded in %s", typeName(m.loadedType(), "the default dtype"))
		}
	}
}

// loadedType is the argument that says in which type a model is loaded.
func (m pretrained) loadedType() Value {
	if v := m.Arg("dtype"); v.Given() {
		return v
	}
	return m.Arg("torch_dtype")
}

// typeName shows a type of torch for a message.
func typeName(v Value, missing string) string {
	if text, ok := v.Str(); ok {
		return text
	}
	if v.Missing() {
		return missing
	}
	if name, ok := strings.CutPrefix(v.Name, "torch."); ok {
		return name
	}
	return "a dtype chosen by a setting"
}
