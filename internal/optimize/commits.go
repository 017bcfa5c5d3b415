package optimize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"saturate/internal/files"
	"saturate/internal/process"
)

// Commit makes a branch in the user's repository with one commit for each kept repair, on top of what is checked out.
// Neither the files nor the index of the user are touched. It gives the branch's name.
func Commit(ctx context.Context, environ []string, result Result) (string, error) {
	if len(result.Pieces) == 0 {
		return "", errors.New("no fix was kept, so there is nothing to commit")
	}
	scratch, err := os.MkdirTemp("", "saturate-commits-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	git := process.OpenGit(ctx, result.Dir, append(environ, "GIT_INDEX_FILE="+filepath.Join(scratch, "index")))
	ask := func(words ...string) (string, error) {
		out, err := git.Run(ctx, 1<<20, words...)
		return strings.TrimSpace(string(out)), err
	}
	head, err := ask("rev-parse", "--verify", "HEAD")
	if err != nil {
		return "", fmt.Errorf("cannot make commits: %s is not in a git repository that has a commit: %w", result.Dir, err)
	}
	prefix, err := ask("rev-parse", "--show-prefix")
	if err != nil {
		return "", err
	}
	branch := "saturate/" + strings.TrimPrefix(filepath.Base(result.State), ".")
	if _, err := ask("rev-parse", "--verify", "--quiet", "refs/heads/"+branch); err == nil {
		return "", fmt.Errorf("the branch %s exists already; delete it with: git branch -D %s", branch, branch)
	}
	if _, err := ask("read-tree", head); err != nil {
		return "", err
	}
	for _, piece := range result.Pieces {
		file, err := filepath.Abs(piece.File)
		if err != nil {
			return "", err
		}
		words := []string{"apply", "--cached"}
		if prefix != "" {
			words = append(words, "--directory="+prefix)
		}
		if _, err := ask(append(words, file)...); err != nil {
			return "", fmt.Errorf("%s does not fit the last commit; commit or stash your own changes to these files first: %w", piece.ID, err)
		}
		made, err := ask("write-tree")
		if err != nil {
			return "", err
		}
		message := filepath.Join(scratch, "message")
		if err := files.Write(message, []byte(piece.Message)); err != nil {
			return "", err
		}
		if head, err = ask("commit-tree", made, "-p", head, "-F", message); err != nil {
			return "", fmt.Errorf("cannot commit %s: %w", piece.ID, err)
		}
	}
	if _, err := ask("branch", branch, head); err != nil {
		return "", err
	}
	return branch, nil
}
