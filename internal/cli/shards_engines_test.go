package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEnginesRunShards has real engines run the scripts that --emit writes, while a node is killed: Ray where
// SATURATE_TEST_ENGINES names a Python that has it, SLURM with SATURATE_ACCEPT where it is installed. The result is
// compared with a build on one machine. The same Python may have webdataset, to read the archives, and Kubernetes'
// schemas, to judge the Job.
func TestEnginesRunShards(t *testing.T) {
	binary, folder := "", t.TempDir()
	engine := func(name string, env ...string) {
		t.Run(name, func(t *testing.T) {
			if binary == "" {
				binary = filepath.Join(folder, "saturate")
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
			case err != nil || !strings.Contains(text, "SHOWN: "):
				t.Fatalf("%v %s", err, text)
			}
			t.Log(text[strings.LastIndex(text, "SHOWN: "):])
		})
	}
	python := os.Getenv("SATURATE_TEST_ENGINES")
	if python != "" {
		for _, name := range []string{"k8s", "webdataset", "ray"} {
			engine(name, "PYTHON="+python)
		}
	}
	if os.Getenv("SATURATE_ACCEPT") != "" {
		engine("slurm")
	}
	if python == "" && os.Getenv("SATURATE_ACCEPT") == "" {
		t.Skip("SATURATE_TEST_ENGINES names no Python with ray, webdataset and kubernetes-validate; SLURM runs with SATURATE_ACCEPT")
	}
}
