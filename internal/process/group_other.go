//go:build !unix

package process

import "os/exec"

// Own gives a program a process group where there is such a thing.
func Own(*exec.Cmd) {}

// Interrupt ends a program; this system has no gentler signal.
func Interrupt(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// Kill ends a program at once.
func Kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }
