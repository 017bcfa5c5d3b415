package repair

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLinks: recipes that share a file through links have its findings once, and its repair is made where it lies.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	for _, recipe := range []string{"first", "second", "third"} {
		if err := os.Mkdir(filepath.Join(dir, recipe), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"train.py": training, "data.py": clips} {
		shared := filepath.Join(dir, "second", name)
		if err := os.WriteFile(shared, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, recipe := range []string{"first", "third"} {
			if err := os.Symlink(shared, filepath.Join(dir, recipe, name)); err != nil {
				t.Skip("this system makes no links: ", err)
			}
		}
	}
	plan := planOf(t, Options{Paths: []string{dir}})
	if len(plan.Made) != 2 {
		t.Errorf("%d repairs are made, want pin_memory and non_blocking once each", len(plan.Made))
	}
	if len(plan.Changes) != 1 || plan.Changes[0].Path != filepath.Join(dir, "second", "train.py") {
		t.Errorf("the changes are %v, want one, of the file that the links lead to", plan.Changes)
	}
	for _, l := range plan.Left {
		if l.Reason == Withheld {
			t.Errorf("%s is withheld: %s", l.Finding.Code, l.Detail)
		}
	}
}
