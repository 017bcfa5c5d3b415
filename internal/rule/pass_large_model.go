package rule

import "saturate/internal/project"

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

var modelKeys = []string{".model_name_or_path", ".base_model", ".model_name", ".model"}
