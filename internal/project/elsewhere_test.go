package project

import "testing"

// An import that no folder above leads to is found by its name and by what the module binds, unless several could be
// meant or Python itself has it.
func TestImportFromElsewhere(t *testing.T) {
	const library = "def score(): pass\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"another folder", map[string]string{"src/bin/train.py": "from loss import score\n", "src/model/loss.py": library}, "src/model/loss.py"},
		{"a package of the same name", map[string]string{
			"src/__init__.py": "", "src/bin/train.py": "from loss import score\n", "src/loss/__init__.py": "", "src/loss/loss.py": library,
		}, "src/loss/loss.py"},
		{"it binds something else", map[string]string{"src/bin/train.py": "from loss import other\n", "src/model/loss.py": library}, ""},
		{"two of them", map[string]string{
			"src/bin/train.py": "from loss import score\n", "src/model/loss.py": library, "src/old/loss.py": library,
		}, ""},
		{"Python's own", map[string]string{"src/bin/train.py": "from queue import score\n", "src/model/queue.py": library}, ""},
		{"a library's", map[string]string{"src/bin/train.py": "from datasets import score\n", "src/model/datasets.py": library}, ""},
		{"a folder on the search path", map[string]string{
			"train.py": "import sys\nsys.path.append('core')\nimport datasets\n", "core/datasets.py": library,
		}, "core/datasets.py"},
		{"a folder beside the module on the search path", map[string]string{
			"bin/train.py": "import sys\nsys.path.insert(0, '../lib/parts')\nimport loss\n", "lib/parts/loss.py": library,
		}, "lib/parts/loss.py"},
		{"another folder on the search path", map[string]string{
			"train.py": "import sys\nsys.path.append('other')\nimport datasets\n", "core/datasets.py": library,
		}, ""},
		{"a folder whose place is computed", map[string]string{
			"tools/train.py": "import sys, os.path as osp\nhere = osp.dirname(osp.abspath(__file__))\nsys.path.insert(0, osp.join(here, '..', 'lib'))\nimport loss\n",
			"lib/loss.py":    library, "old/loss.py": library,
		}, "lib/loss.py"},
		{"a folder that a module beside it adds by a function", map[string]string{
			"tools/train.py": "import setup_path\nimport loss\n", "lib/loss.py": library, "lib/parts/loss.py": library,
			"tools/setup_path.py": "import sys\nfrom pathlib import Path\n\ndef add(folder):\n    sys.path.insert(0, folder)\n\nadd(str(Path(__file__).resolve().parents[1] / 'lib'))\n",
		}, "lib/loss.py"},
		{"the nearest comes first", map[string]string{
			"bin/train.py": "from loss import score\n", "bin/loss.py": library, "model/loss.py": library,
		}, "bin/loss.py"},
	} {
		p, got := loadText(t, tt.files), ""
		for _, m := range p.Modules {
			for _, b := range m.imported {
				if b.place.module != nil && !b.place.module.Says("sys.path") {
					got = slashed(b.place.module.Path)
				}
			}
		}
		if got != tt.want {
			t.Errorf("%s: it leads to %q, want %q", tt.name, got, tt.want)
		}
	}
}
