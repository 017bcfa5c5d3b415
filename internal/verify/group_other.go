//go:build !unix

package verify

import "os/exec"

// ownGroup gives a program a process group where there is such a thing.
func ownGroup(*exec.Cmd) {}

func interruptGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
