package project

import "testing"

func TestHasWord(t *testing.T) {
	for _, tt := range []struct {
		name string
		want bool
	}{
		{"val", true},
		{"val_loader", true},
		{"loader_val", true},
		{"valLoader", true},
		{"MyValLoader", true},
		{"VAL_LOADER", true},
		{"val2", true},
		{"x.val-y", true},
		{"_val", true},
		{"value", false},
		{"interval", false},
		{"evaluation", false},
		{"", false},
		{"__", false},
		{"VALLoader", false},
	} {
		if got := HasWord(tt.name, "other", "val"); got != tt.want {
			t.Errorf("%q has the word: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestEndsInWord(t *testing.T) {
	for name, want := range map[string]bool{"loss": true, "vae_loss": true, "ctcLoss": true, "loss_scale": false, "logits_to_keep": false, "glossary": false} {
		if got := endsInWord(name, "loss", "logits"); got != want {
			t.Errorf("%q ends in the word: %v, want %v", name, got, want)
		}
	}
}

// Where nothing outside of folders for tests trains, a program in one is not a test.
func TestProgramsInTestFolders(t *testing.T) {
	const loop = `import torch

net = torch.nn.Linear(2, 2).to("cuda")
for x in loader:
    net(x).mean().backward()
`
	for name, c := range map[string]struct {
		files map[string]string
		want  Role
	}{
		"alone":             {map[string]string{"losses.py": "import torch\n"}, Training},
		"beside a program":  {map[string]string{"train.py": loop}, Test},
		"in a library":      {map[string]string{"setup.py": "from setuptools import setup\n\nsetup()\n"}, Test},
		"for a test runner": {map[string]string{"test/case.py": "import pytest\n" + loop}, Training},
	} {
		files := map[string]string{"test/work.py": loop}
		for path, text := range c.files {
			files[path] = text
		}
		for _, m := range loadText(t, files).Modules {
			want := c.want
			if m.Path == "test/case.py" {
				want = Test
			}
			if (m.Path == "test/work.py" || m.Path == "test/case.py") && m.Role != want {
				t.Errorf("%s: %s is %s", name, m.Path, m.Role)
			}
		}
	}
}
