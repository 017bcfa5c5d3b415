package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"saturate/internal/process"
)

// TestWritesOutside: a program that writes to a neighbor folder, to its home and to a whole path, in the user's own
// folder, leaves their bytes and times as they were; each run starts from what the user has, and the result names the
// files.
func TestWritesOutside(t *testing.T) {
	if process.How() != process.Overlay {
		t.Skipf("programs are confined by %q here", process.How())
	}
	top := t.TempDir()
	home, job := filepath.Join(top, "home"), filepath.Join(top, "job")
	users := []string{filepath.Join(top, "ckpt/last.pt"), filepath.Join(home, "notes.txt"), filepath.Join(top, "data/list.csv"), filepath.Join(job, "count")}
	for _, path := range users {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("0"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	script := fmt.Sprintf(`test "$(cat count)" = 0 && test ! -e left || exit 1
for f in ../ckpt/last.pt "$HOME/notes.txt" %s count left; do echo 1 > "$f"; done
i=0; while [ $i -lt 12 ]; do echo "{\"step\": $i, \"s\": 0.1, \"loss\": $i}"; i=$((i+1)); done > "$0"`, users[2])
	v, err := InFolder("job", job, []string{"/bin/sh", "-c", script, stepsWord})
	if err != nil {
		t.Fatal(err)
	}
	before := fingerprints(t, users)
	env := append(os.Environ(), "HOME="+home)
	r, err := Run(t.Context(), Plan{Before: v, After: v, Pairs: 2, Steps: 12}, Options{Dir: filepath.Join(job, "runs/.verify-1"), Execute: Programs(env), Confine: &Confine{}})
	if err != nil || r.Pairs != 2 {
		t.Fatalf("%s: %s, %v", r.Verdict, r.Reason, err)
	}
	if after := fingerprints(t, users); !slices.Equal(before, after) {
		t.Errorf("before %q\nafter  %q", before, after)
	}
	if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text, users[0]) || !strings.Contains(text, "your files are unchanged") {
		t.Errorf("warnings %q", r.Warnings)
	}
	if r, err = Run(t.Context(), Plan{Before: v, After: v, Pairs: 1, Steps: 12}, Options{Execute: Programs(env), Confine: &Confine{Writable: []string{filepath.Dir(users[0])}}}); err != nil || r.Pairs != 1 {
		t.Fatalf("%s: %s, %v", r.Verdict, r.Reason, err)
	}
	if text, _ := os.ReadFile(users[0]); string(text) != "1\n" {
		t.Errorf("what --writable allows was not written: %q", text)
	}
}

func fingerprints(t *testing.T, paths []string) (list []string) {
	t.Helper()
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, path, string(text), info.ModTime().String())
	}
	return list
}
