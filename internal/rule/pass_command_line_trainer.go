package rule

import (
	"slices"

	"saturate/internal/project"
)

// trainerWithoutPrecision reports a settings file of Lightning's command line, with a trainer beside the model that it trains, where
// neither the file nor the code names a precision.
func (p *SettingsPass) trainerWithoutPrecision() {
	trainer := p.File.Top.Child("trainer")
	if trainer == nil || trainer.Kind != project.MappingSetting || len(trainer.Children) == 0 || !makesObject(p.File.Top.Child("model")) && !makesObject(p.File.Top.Child("data")) ||
		onCPU(trainer.Child("accelerator")) || trainer.Child("fast_dev_run") != nil || len(p.Find(".precision")) > 0 {
		return
	}
	found := false
	for _, m := range p.Project.Modules {
		if m.Role == project.Test {
			continue
		}
		for _, s := range m.Sites {
			if s.Calls.Name != "lightning.pytorch.cli.LightningCLI" && s.Calls.Name != "jsonargparse.CLI" {
				continue
			}
			if found = true; m.Says("precision") {
				return // its defaults may say it
			}
		}
	}
	others := slices.ContainsFunc(p.Project.Settings, func(f *project.Settings) bool {
		return f != p.File && f.Role != project.Test && f.Top != nil && f.Top.Child("trainer") != nil && f.Top.Child("trainer").Child("precision") != nil
	})
	if found && !others {
		first := trainer.Children[0]
		p.Report(first, project.Likely).Saying("the trainer computes in float32: its settings name no precision").
			Fix(Unsafe, "compute in half precision", first.AddBefore("precision", p.lightningHalf()))
	}
}

// makesObject reports a setting that names a class to make.
func makesObject(s *project.Setting) bool { return s != nil && s.Child("class_path") != nil }
