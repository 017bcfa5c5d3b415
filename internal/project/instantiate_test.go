package project

import "testing"

// Settings files make objects in several ways; a key that is called class for another reason makes none.
func TestMadeBySettings(t *testing.T) {
	for text, want := range map[string]string{
		"agent:\n  _target_: job.Agent\n  lr: 1\n":                   "job.Agent",
		"agent:\n  class_path: job.Agent\n  init_args:\n    lr: 1\n": "job.Agent",
		"agent:\n  class: job.Agent\n  params:\n    lr: 1\n":         "job.Agent",
		"agent:\n  target: job.Agent\n  params:\n    lr: 1\n":        "job.Agent",
		"agent:\n  class: job.Agent\n":                               "job.Agent",
		"labels:\n  class: car\n  lr: 1\n":                           "",
		"goal:\n  target: 0.5\n  params:\n    lr: 1\n":               "",
		"agent:\n  name: job.Agent\n  params:\n    lr: 1\n":          "",
	} {
		p, got := loadText(t, map[string]string{"train.py": "class Agent: pass\n", "config.yaml": text}), ""
		for _, list := range p.made {
			for _, m := range list {
				got = m.target.Scalar.Text
			}
		}
		if got != want {
			t.Errorf("%q makes %q, want %q", text, got, want)
		}
	}
}
