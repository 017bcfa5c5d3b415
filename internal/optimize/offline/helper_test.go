package offline

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/rule"
)

// repaired scans a project, as `saturate scan` does, and repairs what it finds.
func repaired(t *testing.T, dir string, command ...string) (Repair, []Refusal) {
	t.Helper()
	return repairedBy(t, dir, Options{Command: command})
}

func repairedBy(t *testing.T, dir string, opt Options) (Repair, []Refusal) {
	t.Helper()
	p, err := project.Load(context.Background(), []string{dir}, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := rule.OnSource(context.Background(), p, rule.Selection{Select: []string{"SAT101", "SAT104", "SAT108", "SAT124", "SAT128"}})
	if err != nil {
		t.Fatal(err)
	}
	return Offline(p, found.Findings, opt)
}

// copied copies a project to a folder of its own.
func copied(t *testing.T, from string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// apply writes a repair to the disk.
func apply(t *testing.T, r Repair) {
	t.Helper()
	changes, err := patch.Changes(".", []patch.Patch{r.Patch}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		if err := os.WriteFile(c.Path, c.New, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range r.NewFiles {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Path, []byte(f.Text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
