package process

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// Signal is what a process group can be told.
type Signal int

// The signals that end a program, from the mildest.
const (
	SIGINT Signal = iota
	SIGTERM
	SIGKILL
)

// Foreground gives the program a process group, so that it can be ended with all its children.
func Foreground(cmd *exec.Cmd) (restore func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	return func() {}
}

// SignalGroup asks the program and its children to end; the first request is a polite one.
func SignalGroup(pid int, s Signal) {
	args := []string{"/T", "/PID", strconv.Itoa(pid)}
	if s != SIGINT {
		args = append(args, "/F")
	}
	_ = exec.Command("taskkill", args...).Run()
}

// KillGroup kills what is left of the group.
func KillGroup(group int, _ []int) { SignalGroup(group, SIGKILL) }

// ExitCode is how a program ended.
func ExitCode(ended *os.ProcessState) int { return ended.ExitCode() }
