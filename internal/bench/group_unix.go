//go:build unix

package bench

import (
	"os/exec"
	"syscall"
)

// ownGroup gives a program a process group, so that it can be ended with all its children.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func endGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
