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
	Commit      string   `json:"commit"`                      // hash of the commit
	Branch      string   `json:"branch,omitempty"`            // "" when none is checked out
	Dirty       bool     `json:"dirty"`                       // tracked files differ from the commit
	ChangesHash string   `json:"changes_hash,omitempty"`      // hash of what differs from the commit
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
		return nil, nil, fmt.Errorf("git status unknown: %w", err)
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
		return g, nil, fmt.Errorf("cannot list untracked files: %w", err)
	}
	for name := range strings.SplitSeq(string(untracked), "\x00") {
		if name != "" && len(g.Untracked) < mostUntracked {
			g.Untracked = append(g.Untracked, name)
		}
	}
	left, err := leftOut(git)
	if err != nil {
		return g, nil, fmt.Errorf("uncommitted changes are not kept: %w", err)
	}
	changes, err := git(mostChanges, append([]string{
		"diff", "HEAD", "--no-ext-diff", "--no-textconv", "--no-color", "--",
		":/",
	}, left...)...)
	g.Truncated = errors.Is(err, process.ErrGitTooMuch)
	if err != nil && !g.Truncated {
		return g, nil, fmt.Errorf("cannot list uncommitted changes: %w", err)
	}
	if g.Dirty = len(changes) > 0; g.Dirty {
		sum := sha256.Sum256(changes)
		g.ChangesHash = hex.EncodeToString(sum[:4])
	}
	return g, changes, nil
}

// secretFiles are patterns of files that hold secrets and nothing that a program's speed depends on.
var secretFiles = []string{
	".env*", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.kdbx", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*",
	".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", "*credentials*", "*secret*", "*.tfvars", ".htpasswd",
}

// mostIgnored is how many tracked files that git is told to ignore can be left out one by one.
const mostIgnored = 1000

// leftOut are the files whose changes are not kept: those that hold secrets, and those that git is told to ignore
// though it has them.
func leftOut(git func(int, ...string) ([]byte, error)) (paths []string, err error) {
	for _, pattern := range secretFiles {
		paths = append(paths, ":(top,exclude,icase,glob)**/"+pattern, ":(top,exclude,icase,glob)**/"+pattern+"/**")
	}
	out, err := git(1<<20, "ls-files", "--cached", "--ignored", "--exclude-standard", "--full-name", "-z", ":/")
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	switch {
	case err != nil:
		return nil, err
	case len(names) > mostIgnored:
		return nil, fmt.Errorf("git is told to ignore %d files that it has", len(names))
	}
	for _, name := range names {
		if name != "" {
			paths = append(paths, ":(top,exclude,literal)"+name)
		}
	}
	return paths, nil
}
