package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEnginesRunShards has real engines run the scripts that --emit writes, while a node is killed: Ray where SATURATE_TEST_RAY names a Python that
// has it, SLURM with SATURATE_ACCEPT where it is installed. The result is compared with a build on one machine.
func TestEnginesRunShards(t *testing.T) {
	binary := ""
	engine := func(name string, env ...string) {
		t.Run(name, func(t *testing.T) {
			if binary == "" {
				binary = filepath.Join(t.TempDir(), "saturate")
				if out, err := exec.Command("go", "build", "-o", binary, "../../cmd/saturate").CombinedOutput(); err != nil {
					t.Fatalf("%v %s", err, out)
				}
			}
			cmd := exec.Command(filepath.Join("..", "..", "peers", "shards", name), t.TempDir())
			cmd.Env = append(append(os.Environ(), "SATURATE="+binary), env...)
			out, err := cmd.CombinedOutput()
			text := string(out[max(0, len(out)-2000):])
			switch {
			case cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 4:
				t.Skip(text)
			case err != nil || !strings.Contains(text, "SAME BYTES"):
				t.Fatalf("%v %s", err, text)
			}
			t.Log(text[strings.LastIndex(text, "SAME BYTES"):])
		})
	}
	python := os.Getenv("SATURATE_TEST_RAY")
	if python != "" {
		engine("ray", "PYTHON="+python)
	}
	if os.Getenv("SATURATE_ACCEPT") != "" {
		engine("slurm")
	}
	if python == "" && os.Getenv("SATURATE_ACCEPT") == "" {
		t.Skip("SATURATE_TEST_RAY names no Python with ray; SLURM runs with SATURATE_ACCEPT")
	}
}
