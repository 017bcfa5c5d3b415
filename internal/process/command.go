package process

import (
	"context"
	"os/exec"
)

// Command prepares a program: the one place that does. The program is ended with the context.
func Command(ctx context.Context, path string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, path, args...)
}
