package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// The demo's environment is made by uv where it is, else by Python itself; on Linux torch comes without CUDA unless
// asked.
func TestDemoInstaller(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere PyPI's torch has no CUDA")
	}
	env := &Env{Vars: []string{"UV=/bin/sh", "PATH=/usr/bin:/bin"}}
	steps, err := installer(env, "/cache/demo", false)
	if err != nil || len(steps) != 2 || steps[0][1] != "venv" || !slices.Contains(steps[1], "--torch-backend") {
		t.Errorf("by uv: %v, %v", steps, err)
	}
	if steps, _ = installer(env, "/cache/demo", true); slices.Contains(steps[1], "--torch-backend") {
		t.Errorf("by uv from PyPI: %v", steps)
	}
	env.Vars = []string{"UV=/nothere/uv", "VIRTUAL_ENV=/usr", "PATH=/usr/bin:/bin"}
	steps, err = installer(env, "/cache/demo", false)
	if err != nil {
		t.Skip("no Python: ", err)
	}
	if len(steps) != 3 || steps[0][2] != "venv" || !slices.Contains(steps[1], cpuTorch) || slices.Contains(steps[2], cpuTorch) {
		t.Errorf("by pip: %v", steps)
	}
}

// The patched example imports saturate_gpu, so the demo's environment has it.
func TestDemoBringsRuntime(t *testing.T) {
	dir := t.TempDir()
	packages := filepath.Join(dir, "lib", "python3.12", "site-packages")
	if err := os.MkdirAll(packages, 0o755); err != nil {
		t.Fatal(err)
	}
	for range 2 { // an older one is replaced
		if err := bringRuntime(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, module := range []string{"offline", "prepare", "lab/__init__"} {
		if _, err := os.Stat(filepath.Join(packages, "saturate_gpu", filepath.FromSlash(module)+".py")); err != nil {
			t.Error(err)
		}
	}
}

func TestDemoFoldersDiffer(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/cache")
	small, err := demoFolder(false)
	large, _ := demoFolder(true)
	if err != nil || small == large || !strings.Contains(small, "demo-") {
		t.Errorf("%s, %s, %v", small, large, err)
	}
}
