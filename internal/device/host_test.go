package device

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"saturate/internal/process"
)

func TestHostRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are a Unix shell's")
	}
	ctx := context.Background()
	var host Host
	if out, err := host.Run(ctx, "sh", "-c", "echo hello; echo noise >&2"); string(out) != "hello\n" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	if _, err := host.Run(ctx, "sh", "-c", "echo what went wrong >&2; echo more >&2; exit 3"); err == nil || !strings.Contains(err.Error(), "sh failed (exit status 3): what went wrong") {
		t.Errorf("got %v", err)
	}
	if _, err := host.Run(ctx, "sh", "-c", "head -c 5000 /dev/zero | tr '\\0' x >&2; exit 3"); err == nil || len(err.Error()) > 300 {
		t.Errorf("an endless line: %d bytes of error", len(err.Error()))
	}
	if _, err := host.Run(ctx, "saturate-has-no-such-program"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if _, err := host.Run(ctx, "/nor/such/a/file"); err == nil {
		t.Error("a path that does not exist ran")
	}

	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := host.Run(short, "sh", "-c", "sleep 60 & sleep 60"); err == nil || !strings.Contains(err.Error(), "did not respond within") {
		t.Errorf("a command that hangs: %v", err)
	}
	if out, err := host.Run(ctx, "sh", "-c", "yes | head -c 9000000"); len(out) != outputLimit || err != nil {
		t.Errorf("a talkative command: %d bytes, %v", len(out), err)
	}
}

func TestHostEnvironment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command is a Unix shell's")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\necho $COLOUR in $PWD\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	host := Host{Env: []string{"PATH=" + dir, "COLOUR=red", "COLOUR=green"}, Dir: dir}
	if out, err := host.Run(context.Background(), "tool"); err != nil || string(out) != "green in "+process.Neutral()+"\n" {
		t.Errorf("got %q, %v", out, err)
	}
	if value, set := host.Getenv("COLOUR"); value != "green" || !set {
		t.Errorf("got %q, %v", value, set)
	}
	if _, set := host.Getenv("HOME"); set {
		t.Error("a variable of the process shines through")
	}
	if _, err := (Host{Env: []string{"PATH=."}, Dir: dir}).Run(context.Background(), "tool"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a program of the current folder ran: %v", err)
	}
}

// The real machine is examined without failing, whatever it is.
func TestHostDetect(t *testing.T) {
	inv, err := Detect(context.Background(), Host{}, Auto)
	if err != nil {
		t.Fatal(err)
	}
	p := inv.Processor
	if p.Threads < 1 || p.Cores < 1 || p.Cores > p.Threads || p.Allowed <= 0 || p.Allowed > float64(p.Threads) {
		t.Errorf("processor %+v", p)
	}
	if runtime.GOOS == "linux" && (p.MemoryBytes == 0 || p.UsableMemory() == 0 || p.UsableMemory() > p.MemoryBytes) {
		t.Errorf("memory %+v", p)
	}
	if p.Allowed < float64(runtime.GOMAXPROCS(0))-1 { // Go reads affinity and cgroup itself, and rounds up
		t.Errorf("allowed %v, but Go runs on %d", p.Allowed, runtime.GOMAXPROCS(0))
	}
}
