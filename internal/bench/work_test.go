package bench

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if math.Abs(got-want) > share*math.Abs(want) {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

// The encoder layer of Whisper large-v3 in bf16, worked out by hand.
func TestWorkOfWhisper(t *testing.T) {
	s := Shape{Batch: 8, Seq: 1500, DModel: 1280, Heads: 20}
	qkv := Components[0].Work(s, 2)
	near(t, "FLOPs of the QKV projection", qkv.FLOPs, 1.18e11, 0.005)
	near(t, "bytes of the QKV projection", qkv.Bytes, 133e6, 0.005)
	near(t, "intensity of the QKV projection", qkv.Intensity(), 889, 0.005)
	softmax, _ := componentOf("softmax")
	near(t, "bytes of softmax", softmax.Work(s, 2).Bytes, 1.44e9, 0.005)
	near(t, "intensity of softmax", softmax.Work(s, 2).Intensity(), 1.25, 1e-9)
	fused := fusedWork(s, 2)
	near(t, "bytes of fused attention", fused.Bytes, 123e6, 0.005)
	scores, _ := componentOf("scores")
	weighted, _ := componentOf("weighted_sum")
	near(t, "FLOPs of scores and weighted sum", scores.Work(s, 2).FLOPs+weighted.Work(s, 2).FLOPs, 9.2e10, 0.005)
	if apart := matrixWork(s, 2).Bytes; apart < 10*fused.Bytes {
		t.Errorf("apart %g bytes, fused %g: fusing has to save most of them", apart, fused.Bytes)
	}
}

// Both sides of the protocol have to mean the same parts, and count the same work.
func TestWorkOfPython(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: nothing to compare with")
	}
	cmd := exec.Command(python, "-c", `
import json
from saturate_gpu.lab import work
print(json.dumps({"names": work.COMPONENTS, "titles": work.TITLES}))`)
	dir, err := filepath.Abs("../../python")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var said struct {
		Names  []string
		Titles map[string]string
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var names []string
	for _, c := range Components {
		names = append(names, c.Name)
		if said.Titles[c.Name] != c.Title {
			t.Errorf("%s is called %q in Python and %q here", c.Name, said.Titles[c.Name], c.Title)
		}
	}
	if got, want := strings.Join(said.Names, " "), strings.Join(names, " "); got != want {
		t.Errorf("Python measures %s, this program expects %s", got, want)
	}
}
