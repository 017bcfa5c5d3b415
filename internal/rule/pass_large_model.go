package rule

import (
	"slices"

	"saturate/internal/project"
)

// nearLargeModel reports that this module or one near it trains a large model on text, or that every settings file of the
// project which names a model names a large one: a step takes seconds, and preparing its texts costs next to nothing.
func (p *SourcePass) nearLargeModel() bool {
	if p.trainsWhisper() {
		return false
	}
	for _, m := range p.Near() {
		if m.Role != project.Test && p.In(m).feedsLargeModel() {
			return true
		}
	}
	return settingsNameLargeModels(p.Project)
}

// settingsNameLargeModels reports a project whose settings files name models, all of them large.
func settingsNameLargeModels(p *project.Project) bool {
	found := false
	for _, s := range p.Settings {
		if s.Role == project.Test {
			continue
		}
		for _, named := range s.Find(modelKeys...) {
			name, ok := named.Value().Str()
			if !ok || billionsOf(name) < largeModel {
				return false
			}
			found = true
		}
	}
	return found
}

// slowStep is from how many billions of parameters on a step takes seconds, beside which a wait is nothing.
const slowStep = 3

// namesLargeModel reports a settings file that names such a model.
func namesLargeModel(f *project.Settings) bool {
	return slices.ContainsFunc(f.Find(modelKeys...), func(s *project.Setting) bool {
		name, ok := s.Value().Str()
		return ok && billionsOf(name) >= slowStep
	})
}

var modelKeys = []string{".model_name_or_path", ".base_model", ".model_name", ".model"}
