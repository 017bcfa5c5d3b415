package optimize

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Each kept repair is a patch of its own and a commit of its own; together they are the whole patch, and the user's
// files stay as they are.
func TestCommits(t *testing.T) {
	w := newWorld(1, effect{shows: "num_workers", seconds: 0.5, loss: 1}, effect{shows: "fused=True", seconds: 0.7, loss: 1}, effect{shows: "autocast", seconds: 0.8, loss: 1}, effect{shows: "GradScaler", seconds: 0.6, loss: 1})
	o := w.options(t)
	git := func(words ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", o.Dir, "-c", "user.name=a", "-c", "user.email=a@b"}, words...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Skipf("git: %v: %s", err, out)
		}
		return string(out)
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "begin")
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := decisions(result); got["SAT401"] != Superseded || got["SAT401/2"] != Kept || len(result.Pieces) != 3 {
		t.Fatalf("%v, %d pieces", got, len(result.Pieces))
	}
	environ := append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	branch, err := Commit(t.Context(), environ, result)
	if err != nil {
		t.Fatal(err)
	}
	if log := git("log", "--format=%s", "HEAD.."+branch); len(strings.Fields(log)) < 3 || strings.Count(log, "\n") != 3 {
		t.Errorf("commits:\n%s", log)
	}
	if status := git("status", "--porcelain"); status != "" {
		t.Errorf("changed in the user's folder: %s", status)
	}
	whole, err := os.ReadFile(filepath.Join(o.State, "trees", bestOf(result), filepath.Base(o.Dir), "train.py"))
	if err != nil {
		t.Fatal(err)
	}
	if committed := git("show", branch+":train.py"); committed != string(whole) {
		t.Errorf("the commits lead to\n%s\nnot to\n%s", committed, whole)
	}
	if _, err := Commit(t.Context(), environ, result); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("a second branch: %v", err)
	}
}

// bestOf names the tree of the last repair that was kept.
func bestOf(r Result) (name string) {
	for _, rung := range r.Ladder {
		if rung.Decision == Kept {
			name = rung.Tree
		}
	}
	return name
}
