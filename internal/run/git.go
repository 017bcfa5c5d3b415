package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"saturate/internal/process"
)

// Git is the state of the repository that the program comes from.
type Git struct {
	Commit      string   `json:"commit"`
	Branch      string   `json:"branch,omitempty"` // "" when none is checked out
	Dirty       bool     `json:"dirty"`            // tracked files differ from the commit
	ChangesHash string   `json:"changes_hash,omitempty"`
	Truncated   bool     `json:"changes_truncated,omitempty"` // changes.diff holds only their beginning
	Untracked   []string `json:"untracked,omitempty"`         // the first files that git does not know
}

const (
	mostChanges   = 1 << 20 // bytes of the diff that are kept
	mostUntracked = 50
	gitPatience   = 20 * time.Second
)

// captureGit returns nil without an error when dir lies in no repository.
func captureGit(ctx context.Context, dir string, environ []string) (*Git, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	opened := process.OpenGit(ctx, dir, environ)
	git := func(most int, args ...string) ([]byte, error) { return opened.Run(ctx, most, args...) }

	if _, err := git(1<<16, "rev-parse", "--is-inside-work-tree"); err != nil {
		if strings.Contains(err.Error(), "not a git repository") || errors.Is(err, exec.ErrNotFound) {
			return nil, nil, nil
		}
		return nil, nil, fmt.Errorf("the state of the git repository is unknown: %w", err)
	}
	commit, err := git(1<<16, "rev-parse", "--verify", "HEAD")
	if err != nil {
		return nil, nil, errors.New("the git repository has no commit yet")
	}
	g := &Git{Commit: string(bytes.TrimSpace(commit))}
	if branch, err := git(1<<16, "symbolic-ref", "--short", "-q", "HEAD"); err == nil {
		g.Branch = string(bytes.TrimSpace(branch))
	}
	untracked, err := git(1<<20, "ls-files", "--others", "--exclude-standard", "--full-name", "-z", ":/")
	if err != nil && !errors.Is(err, process.ErrGitTooMuch) {
		return g, nil, fmt.Errorf("untracked files are unknown: %w", err)
	}
	for name := range strings.SplitSeq(string(untracked), "\x00") {
		if name != "" && len(g.Untracked) < mostUntracked {
			g.Untracked = append(g.Untracked, name)
		}
	}
	changes, err := git(mostChanges, "diff", "HEAD", "--no-ext-diff", "--no-textconv", "--no-color")
	g.Truncated = errors.Is(err, process.ErrGitTooMuch)
	if err != nil && !g.Truncated {
		return g, nil, fmt.Errorf("uncommitted changes are unknown: %w", err)
	}
	if g.Dirty = len(changes) > 0; g.Dirty {
		sum := sha256.Sum256(changes)
		g.ChangesHash = hex.EncodeToString(sum[:4])
	}
	return g, changes, nil
}
