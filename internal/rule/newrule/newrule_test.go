package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSkeleton writes a rule into a copy of the package: it stands at its place in the
// list, compiles, and its test fails until it finds its hit.
func TestSkeleton(t *testing.T) {
	root := copyOf(t)
	folder := filepath.Join(root, "internal", "rule")
	written, err := run(folder, []string{"SAT309", "some-new-name"})
	if err != nil {
		t.Fatal(err)
	}
	if len(written) != 4 || filepath.Base(written[0]) != "sat309_some_new_name.go" {
		t.Fatalf("wrote %v", written)
	}
	list, err := os.ReadFile(filepath.Join(folder, "list.go"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "\t&emptyCacheInLoop,\n\t&someNewName,\n\t&logEveryStep,\n"; !strings.Contains(string(list), want) {
		t.Errorf("list.go does not hold %q:\n%s", want, list)
	}
	test := exec.Command("go", "test", "-trimpath", "./internal/rule", "-run", "TestRules/some-new-name|TestRules/no-pin-memory")
	test.Dir = root
	out, err := test.CombinedOutput()
	if err == nil || !strings.Contains(string(out), `no SAT309 that says "what is wrong"`) ||
		strings.Contains(string(out), "no-pin-memory") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := run(folder, []string{"SAT309", "another-name"}); err == nil {
		t.Error("a code was given twice")
	}
	if _, err := run(folder, []string{"SAT320", "no-pin-memory"}); err == nil {
		t.Error("a name was given twice")
	}
}

// copyOf copies what go test ./internal/rule needs of the module into a new folder.
func copyOf(t *testing.T) string {
	t.Helper()
	from, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"rule", "project", "pysrc", "patch", "finding", "human", "files", "process"} {
		path := filepath.Join("internal", name)
		if err := os.CopyFS(filepath.Join(to, path), os.DirFS(filepath.Join(from, path))); err != nil {
			t.Fatal(err)
		}
	}
	return to
}
