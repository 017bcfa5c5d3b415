package rule

import "saturate/internal/project"

// evaluates tells whether a setting is of a part of the file that evaluates, by
// the keys above it: valid_dataloader_opts.num_workers, model.test_ds.batch_size.
func (p *SettingsPass) evaluates(s *project.Setting) bool {
	for ; s != nil; s = s.Parent {
		if project.HasWord(s.Key, "eval", "evaluation", "val", "valid", "validation", "test", "dev", "infer", "inference", "predict", "decode") {
			return true
		}
	}
	return false
}
