package rule

import (
	"bytes"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// trainerArguments is a construction of transformers.TrainingArguments or of a class derived from it.
type trainerArguments struct {
	Call
	// TRL is set for a configuration of trl, whose defaults are others: bf16 and
	// gradient checkpointing on.
	TRL bool
}

// HFArguments returns the constructions of transformers.TrainingArguments, its
// subclasses and trl's configurations that training on a GPU uses.
func (p *SourcePass) HFArguments() []trainerArguments {
	var list []trainerArguments
	for _, c := range p.TrainingArguments() {
		if c.Arg("do_train").IsFalse() || c.Arg("use_cpu").IsTrue() || c.Arg("no_cuda").IsTrue() || p.onlyEvaluates() {
			continue
		}
		list = append(list, trainerArguments{c, ofTRL(c)})
	}
	return list
}

// CommandLineArguments returns the parser that makes transformers.TrainingArguments, or a class derived from it, of the
// command line of a program that trains with them, and that class; nil where there is none. The
// defaults of trl are others.
func (p *SourcePass) CommandLineArguments() (parser *Call, class Value) {
	if len(p.Constructions("transformers.Trainer")) == 0 || len(p.MethodCalls("train")) == 0 {
		return nil, Value{}
	}
	for _, c := range p.CallsTo("transformers.HfArgumentParser") {
		classes := c.ArgAt(0)
		parts := []Value{classes}
		if classes.Kind == project.Display {
			parts = nil
			pysrc.Children(classes.Expr, func(n pysrc.Node) {
				if e, ok := n.(pysrc.Expr); ok {
					parts = append(parts, p.eval.Within(classes, e))
				}
			})
		}
		for _, v := range parts {
			if v.IsClass("transformers.TrainingArguments") && !strings.HasPrefix(v.Name, "trl.") && (v.Class == nil ||
				!strings.HasPrefix(v.Class.LibraryBase(), "trl.")) {
				return &c, v
			}
		}
	}
	return nil, Value{}
}

// startedShort reports a program that all its scripts let take few steps.
func (p *SourcePass) startedShort() bool {
	n, known := p.eval.Started(p.Module, "max_steps").Int()
	return known && n > 0 && n <= fewSteps
}

// unlessGiven reports whether an argument that the command line does not give is as in transformers:
// no class of the project has
// another default, no code sets it later, and no settings file of a trainer and no script that
// starts the program has it.
func (p *SourcePass) unlessGiven(class Value, name string) bool {
	if class.Class != nil && class.Class.Field(name) {
		return false
	}
	if p.Project.StartedWith(p.Module, name) {
		return false
	}
	for _, a := range p.Module.Assignments {
		if attribute, ok := a.Target.(*pysrc.Attribute); ok && attribute.Attr == name {
			return false
		}
	}
	for _, s := range p.Project.Settings {
		if s.Framework() == "transformers" && len(s.Find("."+name)) > 0 {
			return false
		}
	}
	return true
}

// onlyEvaluates reports a module that makes a trainer and never trains with it.
func (p *SourcePass) onlyEvaluates() bool {
	if len(p.MethodCalls("train", "fit")) > 0 {
		return false
	}
	for _, c := range p.Constructions("transformers.Trainer") {
		if p.Function(c) == p.Module.Main {
			return true
		}
	}
	return len(p.MethodCalls("evaluate", "predict")) > 0
}

// shortRun reports a trainer that takes few steps, so that what it does in each
// does not matter: a test or a demonstration.
func (p *SourcePass) shortRun(c Call) bool {
	for _, limit := range stepLimits {
		if n, ok := c.Arg(limit).Int(); ok && n > 0 && n <= fewSteps {
			return true
		}
	}
	return c.Arg("fast_dev_run").IsTrue()
}

// stepLimits are the arguments that say how many steps a trainer takes at most, as whole numbers.
var stepLimits = []string{"max_steps", "limit_train_batches"}

const fewSteps = 100

// TrainerSettings returns the settings of those names in a file that configures
// a trainer: the keys that stand beside them say so.
func (p *SettingsPass) TrainerSettings(keys ...string) []*project.Setting {
	switch p.Framework() {
	case "transformers", "trl", "lightning", "nemo", "axolotl":
	default:
		return nil
	}
	if p.File.Top.Child("log_history") != nil {
		return nil // written by a trainer, not read by one
	}
	var list []*project.Setting
	for _, k := range keys {
		for _, s := range p.Find("." + k) {
			if s.Kind == project.ScalarSetting {
				list = append(list, s)
			}
		}
	}
	return list
}

// shortRun reports a setting beside one that lets the trainer take few steps.
func (p *SettingsPass) shortRun(s *project.Setting) bool {
	for _, limit := range stepLimits {
		if most := s.Parent.Child(limit); most != nil {
			if n, ok := most.Value().Int(); ok && n > 0 && n <= fewSteps {
				return true
			}
		}
	}
	return false
}

// mentions reports whether the file has one of the words.
func (p *SettingsPass) mentions(words ...string) bool {
	for _, w := range words {
		if bytes.Contains(p.File.Text, []byte(w)) {
			return true
		}
	}
	return false
}

// tinyBatches reports at most so many samples per step, gathered over at least so many steps.
func tinyBatches(size, gather Value, samples, steps int64) bool {
	n, known := size.Int()
	over, counted := gather.Int()
	return known && counted && n <= samples && over >= steps
}

// trainsWhisper reports whether something near this module makes a Whisper model to train.
func (p *SourcePass) trainsWhisper() bool {
	for _, m := range p.Near() {
		for _, s := range m.Sites {
			switch s.Calls.Name {
			case "transformers.WhisperForConditionalGeneration", "transformers.WhisperForConditionalGeneration.from_pretrained":
				return true
			}
		}
	}
	return false
}
