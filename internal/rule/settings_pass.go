package rule

import (
	"saturate/internal/patch"
	"saturate/internal/project"
)

// SettingsPass is one rule at work on one YAML, JSON or TOML file.
type SettingsPass struct {
	*judge
	Project *project.Project
	File    *project.Settings
}

// Framework tells whose settings these are, judged by the keys that stand
// together: "transformers", "trl", "lightning", "accelerate", "deepspeed",
// "speechbrain", "espnet", "nemo", "coqui", "axolotl", "torchtune", or nothing.
func (p *SettingsPass) Framework() string { return p.File.Framework() }

// Find returns the settings at a dotted path: trainer.precision. A path that
// starts with a dot, .num_workers, is found at any depth.
func (p *SettingsPass) Find(paths ...string) []*project.Setting { return p.File.Find(paths...) }

// UsedByPython reports whether Python code of the project reads the setting, so
// that a SourcePass already judges it at the place where it is used.
func (p *SettingsPass) UsedByPython(s *project.Setting) bool { return p.Project.Reads(s) }

// Set gives the edit that sets the value, written as Python would write it: True, 8, "bf16".
func (p *SettingsPass) Set(s *project.Setting, text string) patch.Edit { return s.SetTo(text) }

// AddBefore gives the edit that sets a further key beside another, before it, written as Python would write the value.
func (p *SettingsPass) AddBefore(s *project.Setting, key, text string) patch.Edit {
	return s.AddBefore(key, text)
}

// EvaluationOnly reports whether the file is for tests, inference or debugging, by its path.
func (p *SettingsPass) EvaluationOnly() bool {
	return p.File.Role == project.Evaluation || p.File.Role == project.Test
}

// acceleratePrecision is the setting of a file of `accelerate config` that says in which type an Accelerator of the
// project computes, which is not told otherwise; or nil.
func (p *SettingsPass) acceleratePrecision() *project.Setting {
	if p.Framework() != "accelerate" || p.EvaluationOnly() || !p.Project.Uses("accelerate.Accelerator") {
		return nil
	}
	return p.File.Top.Child("mixed_precision")
}

// intOf is the number that a setting holds.
func intOf(s *project.Setting) (int64, bool) {
	if s == nil {
		return 0, false
	}
	return s.Value().Int()
}

// evaluates reports whether a setting is of a part of the file that evaluates, by
// the keys above it: valid_dataloader_opts.num_workers, model.test_ds.batch_size.
func (p *SettingsPass) evaluates(s *project.Setting) bool { return evaluates(s) }

func evaluates(s *project.Setting) bool {
	for ; s != nil; s = s.Parent {
		if project.HasWord(s.Key, evaluationKeys...) {
			return true
		}
	}
	return false
}
