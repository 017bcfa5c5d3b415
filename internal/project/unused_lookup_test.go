package project

import (
	"maps"
	"strings"
	"testing"
)

// A program that looks up its own names finds what it imports by name, and of modules that it imports as a whole everything. What it
// looks up by a name in full, something has to write.
func TestUnusedWhereNamesAreLookedUp(t *testing.T) {
	const parts = "import torch\n\n\nclass Kept(torch.nn.Module):\n    def forward(self, x):\n        return x\n\n\nclass Left(torch.nn.Module):\n    def forward(self, x):\n        return x  # left\n"
	const train = `import torch
%s

if __name__ == "__main__":
    model = globals()["Ke" + "pt"]().cuda()
    optimizer = torch.optim.SGD(model.parameters())
    for x in range(3):
        model(x).backward()
        optimizer.step()
`
	const full = "import importlib\n\n\ndef find(target):\n    module, name = target.rsplit(\".\", 1)\n    return getattr(importlib.import_module(module), name)\n"
	const byParts = "import importlib\n\n\ndef find(file):\n    return importlib.import_module(\"models.\" + file)\n"
	for name, c := range map[string]struct {
		imports string
		files   map[string]string
		unused  bool
	}{
		"single":         {"from parts import Kept", map[string]string{"parts.py": parts}, true},
		"star":           {"from parts import *", map[string]string{"parts.py": parts}, false},
		"module":         {"import parts", map[string]string{"parts.py": parts}, false},
		"by its name":    {"from parts import Kept, Left", map[string]string{"parts.py": parts}, false},
		"over another":   {"import others", map[string]string{"parts.py": parts, "others.py": "from parts import Kept\n"}, true},
		"orphan":         {"import find", map[string]string{"models/parts.py": parts, "find.py": full}, true},
		"named":          {"import find", map[string]string{"models/parts.py": parts, "find.py": full, "net.yaml": "target: models.parts.Left\n"}, false},
		"by its file":    {"import find", map[string]string{"models/parts.py": parts, "find.py": byParts}, false},
		"of a library":   {"import find", map[string]string{"models/parts.py": parts, "find.py": full, "setup.py": "setup()\n"}, false},
		"nothing trains": {"import find", map[string]string{"models/parts.py": parts, "find.py": full}, false},
	} {
		files := map[string]string{"train.py": strings.Replace(train, "%s", c.imports, 1)}
		if name == "nothing trains" {
			files["train.py"] = "import find\nif __name__ == \"__main__\":\n    print(find.find(1))\n"
		}
		maps.Copy(files, c.files)
		checkUnused(t, name, loadText(t, files), map[string]bool{"# left": c.unused})
	}
}
