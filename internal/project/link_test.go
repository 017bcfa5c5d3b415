package project

import (
	"os"
	"path/filepath"
	"testing"

	"saturate/internal/pysrc"
)

// TestGPU: evidence spreads over imports, and none means none.
func TestGPU(t *testing.T) {
	p := loadText(t, map[string]string{
		"train.py":  "import data\nmodel.cuda()\n",
		"data.py":   "import torch\nimport tools\n",
		"tools.py":  "x = 1\n",
		"alone.py":  "y = 2\n",
		"device.py": "d = 'cuda:0'\n",
	})
	want := map[string]float64{"train.py": 1, "data.py": 0.95, "tools.py": 0.9025, "alone.py": 0.7, "device.py": 1}
	for _, m := range p.Modules {
		if got := p.GPU(m); got != want[m.Path] {
			t.Errorf("%s: %v, want %v", m.Path, got, want[m.Path])
		}
	}
	for text, want := range map[string]float64{
		"def work(rank, n):\n    net.to(rank)\nmp.spawn(work, (2,))\n": 1,
		"def work(rank, n):\n    net.to(rank)\nstart(work, (2,))\n":    0,
		"index = int(os.environ['LOCAL_RANK'])\nnet.to(index)\n":       1,
		"def work(kind):\n    net.to(kind)\n":                          0,
		"init_process_group('nccl')\n":                                 1,
		"init_process_group('gloo')\n":                                 0,
		"DistributedDataParallel(net, device_ids=[i])\n":               1,
		"DistributedDataParallel(net)\n":                               0,
	} {
		p := loadText(t, map[string]string{"a.py": "import os\nimport torch\nimport torch.multiprocessing as mp\nfrom torch.distributed import init_process_group\n" +
			"from torch.nn.parallel import DistributedDataParallel\n" + text})
		if got := p.GPU(p.Modules[0]); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	p = loadText(t, map[string]string{"a.py": "import torch\nx.to('cpu')\n", "tests/b.py": "x.cuda()\n"})
	for _, m := range p.Modules {
		if got := p.GPU(m); got != 0 {
			t.Errorf("%s: %v, though only a test speaks of a GPU", m.Path, got)
		}
	}
}

func TestRoles(t *testing.T) {
	p := loadText(t, map[string]string{
		"train.py":         "for x in loader:\n    loss.backward()\n",
		"pkg/model.py":     "import torch\n",
		"tests/test_x.py":  "for x in loader:\n    loss.backward()\n",
		"evaluate.py":      "model.eval()\nmodel(x)\n",
		"inference/run.py": "import torch\nmodel = build(parser.parse_args())\nwith torch.no_grad():\n    model(x)\n",
		"hf.py":            "from transformers import Trainer\nt = Trainer()\nt.train()\n",
		"extract.py":       "import torch\nif __name__ == '__main__':\n    with torch.no_grad():\n        model(x)\n",
	})
	want := map[string]Role{
		"train.py": Training, "pkg/model.py": Library, "tests/test_x.py": Test, "evaluate.py": Evaluation,
		"inference/run.py": Evaluation, "hf.py": Training, "extract.py": Evaluation,
	}
	for _, m := range p.Modules {
		if m.Role != want[m.Path] {
			t.Errorf("%s is %s, want %s", m.Path, m.Role, want[m.Path])
		}
	}
}

func TestUses(t *testing.T) {
	p := loadText(t, map[string]string{
		"a.py": "import torch, os\ntorch.compile(m)\ntorch.backends.cudnn.benchmark = True\nos.environ['CUDA_LAUNCH_BLOCKING'] = '1'\nwith torch.cuda.amp.autocast():\n    pass\n",
	})
	for name, want := range map[string]bool{
		"torch.compile": true, "torch.backends.cudnn.benchmark": true, "os.environ.CUDA_LAUNCH_BLOCKING": true,
		"torch.autocast": true, "torch.backends.*": true, "torch.comp": false, "jax.*": false,
	} {
		if got := p.Uses(name); got != want {
			t.Errorf("uses %s: %v", name, got)
		}
	}
}

// TestImportOf: a name is written as the module can write it.
func TestImportOf(t *testing.T) {
	for _, tt := range []struct{ source, name, expr, after string }{
		{"import os\nx = 1\n", "os.cpu_count", "os.cpu_count", ""},
		{"import torch.nn.functional as F\n", "torch.nn.functional.softmax", "F.softmax", ""},
		{"from torch import nn\n", "torch.nn.Linear", "nn.Linear", ""},
		{"from os import cpu_count as n\n", "os.cpu_count", "n", ""},
		{"import a.b\n", "a.b.c", "a.b.c", ""},
		{"import torch\n\nx = 1\n", "os.cpu_count", "os.cpu_count", "import os\nimport torch\n\nx = 1\n"},
		{"'''Doc.'''\nx = 1\n", "os", "os", "'''Doc.'''\nimport os\nx = 1\n"},
		{"'''Doc.'''\nfrom __future__ import annotations\nx = 1\n", "os", "os", "'''Doc.'''\nfrom __future__ import annotations\nimport os\nx = 1\n"},
		{"import torch\r\nx = 1\r\n", "os", "os", "import os\r\nimport torch\r\nx = 1\r\n"},
		{"", "os", "os", "import os\n"},
	} {
		m := loadText(t, map[string]string{"a.py": tt.source}).Modules[0]
		expr, edits := m.ImportOf(tt.name)
		if expr != tt.expr || (len(edits) > 0) != (tt.after != "") {
			t.Errorf("%q: %s is %s with %d edits", tt.source, tt.name, expr, len(edits))
			continue
		}
		for _, e := range edits {
			if got := tt.source[:e.Start] + e.Text + tt.source[e.End:]; got != tt.after {
				t.Errorf("%q: after the edit %q, want %q", tt.source, got, tt.after)
			}
		}
	}
}

// FuzzPython: whatever the source, linking and asking end without a panic.
func FuzzPython(f *testing.F) {
	for _, name := range []string{"values/imports.txtar", "values/classes.txtar", "values/settings.txtar", "time/torch.txtar", "time/frameworks.txtar"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text[:min(len(text), 4000)]))
	}
	f.Add("class A(A): pass\nx = x.y\nfrom . import x\nfrom a import *\n")
	f.Add("from functools import partial\np = partial(p, 1)\np(*p, **p)\n")
	f.Fuzz(func(t *testing.T, text string) {
		p := loadText(t, map[string]string{"a.py": text, "b/__init__.py": text, "c.yaml": "a: {b: 1}\n"})
		for _, m := range p.Modules {
			e := p.NewEval()
			for _, s := range m.Sites {
				e.Argument(s, "x")
				e.OnDevice(m, s.Node)
				e.Varies(m, s.Node)
				p.Hot(m, s)
				p.PerSample(m, s)
				p.EvaluationOnly(m, s)
				p.Under(e, m, s, "torch.no_grad")
				m.RemoveStatement(s)
				m.LineAfter(s, "x")
			}
			pysrc.Inspect(m.File.Module, func(n pysrc.Node) bool {
				if x, ok := n.(pysrc.Expr); ok {
					e.Of(m, x)
				}
				return true
			})
		}
	})
}

// TestTitle: the top level of a file is named without the folder of this machine.
func TestTitle(t *testing.T) {
	p := load(t, extract(t, filepath.Join("testdata", "values", "callers.txtar")))
	for _, m := range p.Modules {
		if got, want := m.FunctionAt(0).Title(), "the top level of "+filepath.Base(m.Path); got != want {
			t.Errorf("%s is called %q, want %q", m.Path, got, want)
		}
	}
}
