//go:build linux

package probe_test

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"saturate/internal/probe"
	"saturate/internal/run"
)

// TestKilledProgramLeavesARun kills the training program, all of it, at random moments. The Run must be
// readable each time and hold every step that was over a moment before.
func TestKilledProgramLeavesARun(t *testing.T) {
	moments := 1
	if os.Getenv("SATURATE_ACCEPT") != "" {
		moments = 10
	}
	interpreter := python(t)
	for i := range moments {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			root := t.TempDir()
			var seen atomic.Int64
			after := time.Duration(rand.IntN(3000)) * time.Millisecond
			plan := probe.Plan{
				Command: []string{interpreter, "testdata/programs/plain.py", "steps=1000000", "forward=.005"},
				Root:    root, Stdout: io.Discard, Stderr: io.Discard,
			}
			plan.OnStep = func(run.Step) {
				if seen.Add(1) == 1 {
					time.AfterFunc(after, func() { killProgram(t, root) })
				}
			}
			out, err := probe.Watch(context.Background(), plan)
			if err != nil {
				t.Fatal(err)
			}
			if out.Exit != 128+9 || out.Run.State != run.Failed {
				t.Errorf("exit %d, state %s; want that of SIGKILL, and failed", out.Exit, out.Run.State)
			}
			read, err := run.Find(root, "latest")
			if err != nil || read.State != run.Failed || len(read.Steps) == 0 || len(read.Steps) != int(seen.Load()) || len(read.Notes) > 0 {
				t.Errorf("killed %v after the first step: read %d of %d steps, state %s, notes %q, error %v", after, len(read.Steps), seen.Load(), read.State, read.Notes, err)
			}
			for i, s := range read.Steps {
				if s.Index != i+1 {
					t.Fatalf("step %d stands where step %d should", s.Index, i+1)
				}
			}
		})
	}
}

// TestStoppedWithWorkers: a program that has made its steps is gone at once, and nothing waits for the workers of its
// loader. They end with it, what they have computed is known as the program's own, and their temporary folders are
// gone.
func TestStoppedWithWorkers(t *testing.T) {
	root, temporary := t.TempDir(), t.TempDir()
	said, err := os.Create(filepath.Join(t.TempDir(), "said")) // with a pipe, its end would be waited for
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	plan := probe.Plan{Command: []string{python(t), "testdata/programs/workers.py"}, Root: root, Steps: 8, Stdout: said, Stderr: said, Env: []string{"TMPDIR=" + temporary}}
	out, err := probe.Watch(context.Background(), plan)
	if err != nil || !out.Stopped || len(out.Run.Steps) != 8 {
		t.Fatalf("stopped %v after %d steps, %v", out.Stopped, len(out.Run.Steps), err)
	}
	if out.Run.Leftover <= 0 {
		t.Errorf("the workers computed for %g s", out.Run.Leftover)
	}
	for deadline := time.Now().Add(10 * time.Second); len(programs(root)) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			killProgram(t, root)
			t.Error("the workers are still there")
		}
	}
	if left, _ := filepath.Glob(filepath.Join(temporary, "pymp-*")); len(left) > 0 {
		t.Errorf("temporary folders of workers are left: %v", left)
	}
}

// TestFullDisk: a line that cannot be written takes away the file that says that all is written.
func TestFullDisk(t *testing.T) {
	program := "import sys\nfrom saturate_probe import record\nrecord.open({'folder': sys.argv[1]})\n"
	for target, room := range map[string]bool{"/dev/full": false, "/dev/null": true, "/nowhere/at/all": true} {
		folder := t.TempDir()
		if err := os.Symlink(target, filepath.Join(folder, "processes.jsonl")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "room"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(plainPython(t), "-c", program, folder)
		cmd.Env = append(os.Environ(), "PYTHONPATH=py", "PYTHONDONTWRITEBYTECODE=1")
		said, err := cmd.CombinedOutput()
		if _, gone := os.Stat(filepath.Join(folder, "room")); (gone == nil) != room || (err == nil) != (target == "/dev/null") {
			t.Errorf("%s: room %v, %v, %s", target, gone == nil, err, said)
		}
	}
}

// TestTerminationGoesOn: a scheduler's SIGTERM reaches the program as what it is; many save themselves on it.
func TestTerminationGoesOn(t *testing.T) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ready, set := filepath.Join(t.TempDir(), "ready"), "import os, signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(21))\n"
	plan := probe.Plan{
		Command: []string{plainPython(t), "-c", set + "open(sys.argv[1], 'w').close()\ntime.sleep(60)", ready},
		Root:    t.TempDir(), Stdout: io.Discard, Stderr: io.Discard,
	}
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(ready); err == nil {
				_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if out, err := probe.Watch(ctx, plan); err != nil || out.Exit != 21 {
		t.Errorf("exit %d (%v), want 21 from the program's own handler", out.Exit, err)
	}
}

// TestKilledWatcher: a program does not go on for ever when saturate itself is killed, not even behind a wrapper. It
// holds stdout, which ends when it is gone.
func TestKilledWatcher(t *testing.T) {
	if interpreter := os.Getenv("PROBE_TEST_PYTHON"); interpreter != "" {
		program := "import time\nprint('it runs', flush=True)\ntime.sleep(120)"
		_, err := probe.Watch(context.Background(), probe.Plan{
			Command: []string{"/bin/sh", "-c", `"$0" -c "$1"; :`, interpreter, program}, Stdout: os.Stdout, Stderr: os.Stderr,
		})
		t.Fatalf("not killed: %v", err)
	}
	stdout, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	_ = stdout.SetReadDeadline(time.Now().Add(time.Minute)) // so that a failure is told
	watcher := exec.Command(os.Args[0], "-test.run=^TestKilledWatcher$")
	watcher.Env = append(os.Environ(), "PROBE_TEST_PYTHON="+plainPython(t))
	watcher.Stdout, watcher.Stderr = theirs, os.Stderr
	err = watcher.Start()
	theirs.Close()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	if line, err := lines.ReadString('\n'); err != nil || line != "it runs\n" {
		t.Errorf("%q, %v", line, err)
	}
	for deadline := time.Now().Add(time.Minute); children(watcher.Process.Pid) < 2 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond) // until there is who ends the program
	}
	_ = watcher.Process.Kill()
	_ = watcher.Wait()
	if rest, err := io.ReadAll(lines); err != nil {
		t.Errorf("the program is still there: %v, %q", err, rest)
	}
}

// children counts the processes that a process has started and that are not over.
func children(parent int) (n int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		data, _ := os.ReadFile(path)
		_, fields, _ := strings.Cut(string(data), ") ") // pid (name) state parent …
		if f := strings.Fields(fields); len(f) > 1 && f[0] != "Z" && f[1] == strconv.Itoa(parent) {
			n++
		}
	}
	return n
}

// killProgram ends the processes of a run.
func killProgram(t *testing.T, root string) {
	pids := programs(root)
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if len(pids) == 0 {
		t.Error("there was no program to kill")
	}
}

// programs are the processes that carry this run's folder in their environment.
func programs(root string) (pids []int) {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		data, _ := os.ReadFile(path)
		if pid, err := strconv.Atoi(strings.Split(path, "/")[2]); err == nil && strings.Contains(string(data), "SATURATE_PROBE={\"folder\":\""+root) {
			pids = append(pids, pid)
		}
	}
	return pids
}
