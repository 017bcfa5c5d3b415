//go:build unix

package process

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// Signal is what a process group can be told.
type Signal = syscall.Signal

// The signals that end a program, from the mildest.
const (
	SIGINT  = syscall.SIGINT
	SIGTERM = syscall.SIGTERM
	SIGKILL = syscall.SIGKILL
)

// Foreground gives the program a process group, so that it can be ended with all its children. On a
// terminal the group comes to the foreground: Ctrl-C and what is typed go to the program. The function
// that is returned takes the terminal back.
func Foreground(cmd *exec.Cmd) (restore func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	terminal, ok := cmd.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		return func() {}
	}
	mine, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	if err != nil || mine != unix.Getpgrp() {
		return func() {} // in the background already
	}
	cmd.SysProcAttr.Foreground, cmd.SysProcAttr.Ctty = true, int(terminal.Fd())
	return func() {
		signal.Ignore(syscall.SIGTTOU)
		defer signal.Reset(syscall.SIGTTOU)
		_ = unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCSPGRP, mine)
	}
}

// SignalGroup sends a signal to a program and its children.
func SignalGroup(pid int, s Signal) { _ = syscall.Kill(-pid, s) }

// KillGroup kills what is left of the group, and further processes.
func KillGroup(group int, pids []int) {
	SignalGroup(group, SIGKILL)
	for _, pid := range pids {
		_ = syscall.Kill(pid, SIGKILL)
	}
}

// ExitCode is how a program ended, as a shell tells it: 128 + n when signal n ended it.
func ExitCode(ended *os.ProcessState) int {
	if ended == nil {
		return -1 // it was never started
	}
	if status, ok := ended.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return ended.ExitCode()
}
