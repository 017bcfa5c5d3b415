package probe_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program tells the probe of each part and of each step; the probe tells how many epochs were over, the last one
// included.
const epochDriver = `import sys
sys.path.insert(0, sys.argv[1])
from saturate_probe import epochs
loop, ended = epochs.Loop(), 0

def part():
    global ended
    ended += loop.code is not None and loop.went_on()

def step():
    part()
    loop.find()

exec(compile(open("program.py").read(), "program.py", "exec"), {"step": step, "__name__": "__main__"})
print(ended + loop.over())
`

func TestLoopsOverEpochs(t *testing.T) {
	python := plainPython(t)
	probes, err := filepath.Abs("py")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, program, want string }{
		{"for epoch", "for epoch in range(3):\n    for i in range(4):\n        step()\n", "3"},
		{"one step each", "for epoch in range(5):\n    step()\n", "5"},
		{"by the number's name", "for i in range({'num_epochs': 3}['num_epochs']):\n    for j in range(2):\n        step()\n", "3"},
		{"by where the number comes from", "n = {'epochs': 3}['epochs']\nfor i in range(n):\n    for j in range(2):\n        step()\n", "3"},
		{"in another function", "def one():\n    for i in range(4):\n        step()\ndef main():\n    for epoch in range(3):\n        one()\nmain()\n", "3"},
		{"while", "epoch = 0\nwhile epoch < 3:\n    step()\n    step()\n    epoch += 1\n", "3"},
		{"left early", "def main():\n    for epoch in range(9):\n        step()\n        if epoch == 3:\n            break\nmain()\n", "4"},
		{"steps of an epoch", "steps_per_epoch = 4\ndef one():\n    for i in range(steps_per_epoch):\n        step()\nfor _ in range({'epochs': 2}['epochs']):\n    one()\n", "2"},
		{"no loop over epochs", "for i in range(6):\n    step()\n", "0"},
		{"behind the loop", "for epoch in range(3):\n    pass\nfor i in range(3):\n    step()\n", "0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "program.py"), []byte(tt.program), 0o644); err != nil {
				t.Fatal(err)
			}
			c := exec.Command(python, "-c", epochDriver, probes)
			c.Dir = dir
			out, err := c.CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != tt.want {
				t.Errorf("%s epochs were over, not %s (%v)", got, tt.want, err)
			}
		})
	}
}
