package setting

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files that are made from the table")

// golden holds a file that is made from the table against what is on disk.
func golden(t *testing.T, path string, want []byte) {
	t.Helper()
	have, err := os.ReadFile(path)
	if err == nil && bytes.Equal(have, want) {
		return
	}
	if !*update {
		t.Fatalf("%s does not say what the table says: run go test ./internal/tune/setting -update", filepath.Base(path))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, want, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestModuleHoldsTheTable(t *testing.T) {
	module := string(Module())
	if strings.Contains(module, place) {
		t.Error("the table is still empty")
	}
	if n := strings.Count(module, "'''"); n != 2 {
		t.Errorf("the table is to stand between two ''', there are %d", n)
	}
	for _, s := range All() {
		if !strings.Contains(module, `"name":"`+s.Name+`"`) {
			t.Errorf("%s is missing", s.Name)
		}
	}
}
