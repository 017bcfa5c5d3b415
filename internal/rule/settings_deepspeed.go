package rule

import (
	"path"
	"slices"

	"saturate/internal/project"
)

// deepSpeedSwitch is the setting enabled of a part of DeepSpeed's file, nil where there is none or the file is of
// another.
func (p *SettingsPass) deepSpeedSwitch(part string) *project.Setting {
	if p.Framework() != "deepspeed" {
		return nil
	}
	if s := p.File.Top.Child(part); s != nil {
		return s.Child("enabled")
	}
	return nil
}

// deepSpeedHas reports whether one of the parts is enabled, or left to whoever starts it: "auto".
func (p *SettingsPass) deepSpeedHas(parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool {
		s := p.deepSpeedSwitch(part)
		return s != nil && !s.Value().IsFalse()
	})
}

// deepSpeedFull reports a file of DeepSpeed that switches half precision off. One that says nothing of it may be
// completed by the program that reads it.
func (p *SettingsPass) deepSpeedFull() {
	if !switchesHalfOff(p) {
		return
	}
	for _, part := range []string{"bf16", "bfloat16", "fp16"} {
		if s := p.deepSpeedSwitch(part); s != nil {
			r := p.Report(s, probable).Saying("DeepSpeed computes in float32: %s is disabled", part)
			if part != "fp16" {
				r.Fix(Unsafe, "compute in bfloat16", p.Set(s, "True"))
			} else {
				r.Advising("Enable bf16: \"bf16\": {\"enabled\": true}, or fp16 on GPUs before Ampere.")
			}
			return
		}
	}
}

// switchesHalfOff reports a file of DeepSpeed that speaks of half precision and turns no kind of it on.
func switchesHalfOff(p *SettingsPass) bool {
	return !p.deepSpeedHas("fp16", "bf16", "bfloat16", "amp", "torch_autocast") && slices.ContainsFunc([]string{"bf16", "bfloat16", "fp16"},
		func(part string) bool { return p.deepSpeedSwitch(part) != nil })
}

// savesMemory reports a file of DeepSpeed that shards the weights or moves them to the host: memory binds there.
func (p *SettingsPass) savesMemory() bool {
	zero := p.File.Top.Child("zero_optimization")
	if p.Framework() != "deepspeed" || zero == nil {
		return false
	}
	stage, known := intOf(zero.Child("stage"))
	return !known || stage >= 3 || zero.Child("offload_optimizer") != nil || zero.Child("offload_param") != nil || zero.Child("cpu_offload") != nil
}

// bringsOptimizer reports whether a value names a DeepSpeed file of the project that sets the optimizer itself: what the
// trainer is told to use does not run then.
func bringsOptimizer(p *project.Project, file Value) bool {
	name, ok := file.Str()
	return ok && slices.ContainsFunc(p.Settings, func(s *project.Settings) bool {
		return path.Base(s.Path) == path.Base(name) && s.Framework() == "deepspeed" && s.Top.Child("optimizer") != nil
	})
}

// replacesOptimizer reports a trainer's setting beside one that names such a file.
func (p *SettingsPass) replacesOptimizer(s *project.Setting) bool {
	file := s.Parent.Child("deepspeed")
	return file != nil && bringsOptimizer(p.Project, file.Value()) || flattensParameters(p.Project)
}

// flattensParameters reports a project whose settings of Accelerate start DeepSpeed or FSDP, which keep the parameters in
// a few flat tensors: an optimizer has nothing to fuse there.
func flattensParameters(p *project.Project) bool {
	return slices.ContainsFunc(p.Settings, func(f *project.Settings) bool {
		return f.Role != project.Test && slices.ContainsFunc(f.Find(".distributed_type"), func(s *project.Setting) bool {
			kind, ok := s.Value().Str()
			return ok && (kind == "DEEPSPEED" || kind == "FSDP")
		})
	})
}
