package kernel

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGeneratedIsFresh runs the generator again and expects the same bytes.
func TestGeneratedIsFresh(t *testing.T) {
	program := filepath.Join(t.TempDir(), "gen")
	if out, err := exec.Command("go", "build", "-C", "_gen", "-o", program, ".").CombinedOutput(); err != nil {
		t.Skipf("the generator's module cannot be built here: %v\n%s", err, out)
	}
	out := t.TempDir()
	if text, err := exec.Command(program, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("the generator failed: %v\n%s", err, text)
	}
	files, err := os.ReadDir(out)
	if err != nil || len(files) != 2 {
		t.Fatalf("the generator wrote %d files, %v", len(files), err)
	}
	for _, f := range files {
		fresh, err := os.ReadFile(filepath.Join(out, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(fresh, kept) {
			t.Errorf("%s is not what _gen writes: run make gen", f.Name())
		}
	}
}
