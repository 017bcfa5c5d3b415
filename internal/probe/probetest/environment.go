// Package probetest makes the surroundings that programs under the probe are tested in.
package probetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Write writes files into a folder, by their names with slashes.
func Write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Environment is the interpreter of a new Python environment with files in its site-packages.
func Environment(t testing.TB, python string, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "env")
	if out, err := exec.Command(python, "-m", "venv", "--without-pip", dir).CombinedOutput(); err != nil {
		t.Skipf("no environment can be made: %v: %s", err, out)
	}
	found, _ := filepath.Glob(filepath.Join(dir, "lib", "python3*", "site-packages"))
	if len(found) != 1 {
		t.Skipf("an environment has its packages in %q", found)
	}
	Write(t, found[0], files)
	return filepath.Join(dir, "bin", "python")
}
