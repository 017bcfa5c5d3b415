//go:build unix

package tts

import (
	"os/exec"
	"syscall"
)

// ownGroup lets a program be killed together with what it has started.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
