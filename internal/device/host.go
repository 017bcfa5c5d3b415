package device

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"saturate/internal/files"
	"saturate/internal/process"
)

// Host is this machine. The zero value uses the process's own environment and working directory.
type Host struct {
	Env []string // KEY=VALUE; nil is the process's own
	Dir string   // where relative paths of programs start
}

var _ System = Host{}

func (h Host) OS() string { return runtime.GOOS }

func (h Host) ReadFile(name string) ([]byte, error) { return files.Read(name, files.MaxSystem) }

func (h Host) Glob(pattern string) []string {
	names, _ := filepath.Glob(pattern) // the only error is a bad pattern
	return names
}

func (h Host) Getenv(name string) (string, bool) {
	if h.Env == nil {
		return os.LookupEnv(name)
	}
	for i := len(h.Env) - 1; i >= 0; i-- { // the last one counts, as for a command
		if key, value, ok := strings.Cut(h.Env[i], "="); ok && key == name {
			return value, true
		}
	}
	return "", false
}

func (h Host) Interpreters() []process.Interpreter {
	return process.Interpreters(func(name string) string { value, _ := h.Getenv(name); return value })
}

// outputLimit is far above what any of the commands print.
const outputLimit = 8 << 20

func (h Host) Run(ctx context.Context, name string, args ...string) ([]byte, error) {
	path, err := h.lookPath(name)
	if err != nil {
		return nil, err
	}
	return h.output(ctx, name, process.Command(ctx, path, args...))
}

// lookPath finds a program on the PATH of h.Env, which need not be the process's.
func (h Host) lookPath(name string) (string, error) {
	if filepath.Base(name) != name {
		if !filepath.IsAbs(name) {
			name = filepath.Join(h.Dir, name)
		}
		absolute, err := filepath.Abs(name)
		if err != nil {
			return "", err
		}
		return exec.LookPath(absolute)
	}
	path, _ := h.Getenv("PATH")
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // as os/exec does: nothing from the current folder by accident
		}
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// clip keeps an error a sentence: a program that was given a script by mistake may repeat all of it.
func clip(line string) string {
	const most = 200
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	return line
}

// output runs a prepared command and explains its failure in one line.
func (h Host) output(ctx context.Context, name string, cmd *exec.Cmd) ([]byte, error) {
	var stdout, stderr limited
	cmd.Dir, cmd.Stdout, cmd.Stderr = process.Neutral(), &stdout, &stderr
	if cmd.Env == nil {
		cmd.Env = h.Env
	}
	cmd.WaitDelay = time.Second // a grandchild that holds the pipes must not hold us
	started := time.Now()
	err := cmd.Run()
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		return stdout.kept, nil
	}
	if ctx.Err() != nil {
		return stdout.kept, fmt.Errorf("%s did not respond within %.0f s and was stopped", name,
			time.Since(started).Seconds())
	}
	if said := lines(append(stderr.kept, stdout.kept...)); len(said) > 0 {
		return stdout.kept, fmt.Errorf("%s failed (%w): %s", name, err, clip(said[0]))
	}
	return stdout.kept, fmt.Errorf("%s failed (%w)", name, err)
}

// limited keeps the first outputLimit bytes and swallows the rest.
type limited struct{ kept []byte }

func (l *limited) Write(p []byte) (int, error) {
	l.kept = append(l.kept, p[:min(len(p), outputLimit-len(l.kept))]...)
	return len(p), nil
}
