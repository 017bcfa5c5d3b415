package project

import "testing"

func TestSpelledIn(t *testing.T) {
	for text, want := range map[string]bool{
		`options["precision"]`:               true,
		`parser.add_argument("--precision")`: true,
		`dict(precision = 16)`:               true,
		`args.precision`:                     true,
		`precision: bf16`:                    true,
		`# the precision of products`:        false,
		`set_matmul_precision("high")`:       false,
		`"precisions"`:                       false,
	} {
		if got := spelledIn([]byte(text), "precision"); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// What reads a settings file is code that imports a reader of its language, or that names the file.
func TestReads(t *testing.T) {
	for code, want := range map[string]bool{
		"import yaml\n":                            true,
		"from omegaconf import OmegaConf\n":        true,
		"from lightning.pytorch.cli import main\n": true,
		"import own\nown.start('conf/job.yaml')\n": true,
		"import json\n":                            false,
		"# yaml, hydra and a CLI: later\n":         false,
		"class CLI: pass\n":                        false,
	} {
		p := loadText(t, map[string]string{"train.py": code, "conf/job.yaml": "precision: 16\n"})
		if got := p.reads(p.Settings[0]); got != want {
			t.Errorf("%q: %v", code, got)
		}
	}
}
