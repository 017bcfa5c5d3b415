//go:build unix

package process

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestGitDoesNotWait: a pipe where a repository's settings point holds nothing up.
func TestGitDoesNotWait(t *testing.T) {
	dir, _ := hostile(t)
	if err := syscall.Mkfifo(filepath.Join(dir, ".git", "pipe"), 0o600); err != nil {
		t.Skipf("a pipe cannot be made: %v", err)
	}
	if _, err := OpenGit(t.Context(), dir, os.Environ()).Run(t.Context(), 0, "status", "--porcelain"); err != nil {
		t.Error(err)
	}
}
