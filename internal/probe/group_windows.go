package probe

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

type sig int

const (
	interrupt sig = iota
	terminate
	kill
)

func ownGroup(cmd *exec.Cmd) (restore func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	return func() {}
}

// signalGroup asks the program and its children to end; the first request is a polite one.
func signalGroup(pid int, s sig) {
	args := []string{"/T", "/PID", strconv.Itoa(pid)}
	if s != interrupt {
		args = append(args, "/F")
	}
	_ = exec.Command("taskkill", args...).Run()
}

func endLeftovers(group int, _ []int) { signalGroup(group, kill) }

// ExitCode is how a program ended.
func ExitCode(ended *os.ProcessState) int { return ended.ExitCode() }
