package process

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// hostile is a repository whose settings run a program at every occasion. The program leaves a file.
func hostile(t *testing.T) (dir, ran string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	dir, ran = t.TempDir(), filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(dir, ".git", "evil.sh")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@y"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	write(filepath.Join(dir, "a.py"), "a = 1\n")
	write(filepath.Join(dir, "b.py"), "b = 1\n")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	write(filepath.Join(dir, ".gitattributes"), "a.py filter=evil diff=evil\nb.py filter=a=b diff=evil\n")
	git("add", ".")
	git("commit", "-q", "-m", "two")
	write(evil, "#!/bin/sh\necho \"$0 $*\" >>"+ran+"\ncat\n")
	for _, name := range []string{"post-checkout", "post-index-change", "reference-transaction", "pre-commit"} {
		write(filepath.Join(dir, ".git", "hooks", name), "#!/bin/sh\necho hook >>"+ran+"\n")
	}
	for _, setting := range []string{
		"core.fsmonitor", "core.pager", "core.sshCommand", "filter.evil.clean", "filter.evil.smudge", "filter.a=b.clean", "filter.a=b.smudge",
		"diff.evil.textconv", "diff.evil.command", "diff.external",
	} {
		git("config", setting, evil)
	}
	git("config", "filter.a=b.required", "true")
	git("config", "protocol.file.allow", "always") // stronger than what is switched off by its general name
	git("config", "core.excludesFile", filepath.Join(dir, ".git", "pipe"))
	git("config", "core.attributesFile", filepath.Join(dir, ".git", "pipe"))
	os.Remove(ran) // git itself has run it on the way
	write(filepath.Join(dir, "a.py"), "a = 2\n")
	write(filepath.Join(dir, "b.py"), "b = 2\n")
	return dir, ran
}

// TestGitStaysInItsFolder: core.worktree would have files elsewhere compared, and their contents end up in a diff.
func TestGitStaysInItsFolder(t *testing.T) {
	dir, _ := hostile(t)
	above := filepath.Dir(dir)
	if err := os.WriteFile(filepath.Join(above, "a.py"), []byte("secret = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "-C", dir, "config", "core.worktree", "../..").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, at := range []string{dir, sub} {
		out, err := OpenGit(t.Context(), at, os.Environ()).Run(t.Context(), 0, "diff", "HEAD", "--no-ext-diff", "--no-textconv", "--", ":/")
		if err != nil || strings.Contains(string(out), "secret") || !strings.Contains(string(out), "+a = 2") {
			t.Errorf("in %s: %v, %q", at, err, out)
		}
	}
}

// TestGitFetchesNothing: a repository may lack objects and name a program that would bring them.
func TestGitFetchesNothing(t *testing.T) {
	dir, ran := hostile(t)
	for key, value := range map[string]string{
		"core.repositoryformatversion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true",
		"remote.origin.url": t.TempDir(), "remote.origin.uploadpack": filepath.Join(dir, ".git", "evil.sh"),
	} {
		if out, err := exec.Command("git", "-C", dir, "config", key, value).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	blob, err := exec.Command("git", "-C", dir, "rev-parse", "HEAD:a.py").Output()
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSpace(string(blob))
	if err := os.Remove(filepath.Join(dir, ".git", "objects", id[:2], id[2:])); err != nil {
		t.Fatal(err)
	}
	if out, err := OpenGit(t.Context(), dir, os.Environ()).Run(t.Context(), 0, "diff", "HEAD", "--no-ext-diff", "--no-textconv"); err == nil {
		t.Errorf("an object is missing, and git says %q", out)
	}
	if said, err := os.ReadFile(ran); err == nil {
		t.Errorf("the repository's program was run: %s", said)
	}
}

func TestGitRunsNothing(t *testing.T) {
	dir, ran := hostile(t)
	index := "GIT_INDEX_FILE=" + filepath.Join(t.TempDir(), "index")
	into := t.TempDir() + string(filepath.Separator)
	git := OpenGit(t.Context(), dir, os.Environ())
	for _, c := range []struct {
		want string
		args []string
	}{
		{" M a.py\n M b.py\n", []string{"status", "--porcelain"}},
		{"+a = 2", []string{"diff", "HEAD", "--no-ext-diff", "--no-textconv"}},
		{"", []string{"read-tree", "HEAD"}},
		{"", []string{"checkout-index", "--all", "--prefix=" + into}},
		{"a.py", []string{"ls-files"}},
		{"", []string{"rev-parse", "HEAD"}},
	} {
		out, err := git.With(index).Run(t.Context(), 0, c.args...)
		if c.args[0] == "status" || c.args[0] == "diff" {
			out, err = git.Run(t.Context(), 0, c.args...)
		}
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%v: %v, %q", c.args, err, out)
		}
		if said, err := os.ReadFile(ran); err == nil {
			t.Errorf("%v: the repository's program was run: %s", c.args, said)
			os.Remove(ran)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(into, "b.py")); string(got) != "b = 1\n" {
		t.Errorf("b.py was written as %q", got)
	}
	if out, err := git.Run(t.Context(), 20, "diff", "HEAD", "--no-ext-diff", "--no-textconv"); !errors.Is(err, ErrGitTooMuch) || len(out) > 20 {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := git.Run(t.Context(), 0, "rev-parse", "--verify", "nothing"); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
}
