package tts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"saturate/internal/process"
)

// Most bytes that are taken from a program or server: an hour of 48 kHz stereo and more.
const mostOutput = 1 << 30

// runProgram starts a program with its arguments, gives it the input and returns what it wrote.
// There is no shell. When the context ends, the program and what it started are killed.
func runProgram(ctx context.Context, env, argv []string, input string) ([]byte, error) {
	cmd := process.Command(ctx, argv[0], argv[1:]...)
	cmd.Env = env
	cmd.Stdin = strings.NewReader(input)
	stdout, stderr := &capped{most: mostOutput}, &capped{most: 1 << 12}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	process.Own(cmd)
	cmd.Cancel = func() error { return process.Kill(cmd) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	name := argv[0]
	switch {
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return nil, later(0, "%s timed out and was stopped (--timeout)", name)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return nil, hopeless("%s is not installed", name)
	case err != nil:
		return nil, later(0, "%s failed: %s", name, says(stderr.Bytes(), err))
	case stdout.over:
		return nil, permanent("%s wrote more than %d bytes", name, mostOutput)
	}
	return stdout.Bytes(), nil
}

// says is the last line of what a program complained about, with how it ended.
func says(stderr []byte, err error) string {
	if last := process.LastLine(stderr); last != "" {
		return fmt.Sprintf("%s (%v)", last, err)
	}
	return err.Error()
}

// capped keeps no more than so many bytes.
type capped struct {
	bytes.Buffer
	most int
	over bool
}

func (c *capped) Write(p []byte) (int, error) {
	n := min(len(p), c.most-c.Len())
	c.over = c.over || n < len(p)
	c.Buffer.Write(p[:n])
	return len(p), nil
}
