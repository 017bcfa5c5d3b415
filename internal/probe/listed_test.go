package probe_test

import (
	"os/exec"
	"strings"
	"testing"
)

// A batch may hold tensors of all samples, or lists with a tensor for each: of both, the samples are counted.
func TestSamplesOfABatch(t *testing.T) {
	const around = `
import sys
sys.path.insert(0, "py")
from saturate_probe import facts
class T:
    def __init__(self, *shape): self.shape = shape
print(facts.of_batch(%s)[0])
`
	for _, tt := range []struct{ batch, want string }{
		{"[T(16, 3, 8, 8), T(16)]", "16"},
		{"{'x': T(16, 80), 'y': T(16)}", "16"},
		{"([T(257, 400)] * 16, [T(1)] * 16)", "16"}, // a collate_fn that makes lists
		{"([T(3, 8, 9), T(3, 7, 7)], [{'boxes': T(5, 4)}, {'boxes': T(2, 4)}])", "2"},
		{"[[T(16, 4), T(16, 5)], [T(16), T(16)]]", "16"}, // pairs of inputs and pairs of targets, collated
		{"(['a', 'b', 'c'], [0, 1, 0])", "3"},
	} {
		out, err := exec.Command(plainPython(t), "-c", strings.Replace(around, "%s", tt.batch, 1)).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != tt.want {
			t.Errorf("%s: %s samples, want %s (%v)", tt.batch, got, tt.want, err)
		}
	}
}
