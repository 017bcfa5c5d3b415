package process

import (
	"fmt"
	"os/exec"
	"syscall"
)

// guard is a shell script that sleeps until its stdin ends, which it does when the process at the other end is gone,
// however that went. Then it ends the program: politely, so that launchers can end what they have put into other
// groups, as torchrun does with its ranks; and after a while by force.
const guard = `
read -r nothing
kill -s TERM -- "$1" || exit
left=$2
while [ "$left" -gt 0 ]; do
	sleep 1
	kill -s 0 -- "$1" || exit
	left=$((left - 1))
done
kill -s KILL -- "$1"
`

// patience is how many seconds a program has to end after SIGTERM.
var patience = 10

// Bind ties a program that was started to this process: should this process be killed, the program is ended, with the
// whole group that it has of its own. After its end, release must be called.
//
// The kernel could signal the program (PR_SET_PDEATHSIG), but only the program and nothing that it has
// started: behind `uv run`, `sh -c` or a launcher of ranks, training would go on. Without a shell, programs are left to
// themselves.
func Bind(cmd *exec.Cmd) (release func()) {
	target := fmt.Sprint(cmd.Process.Pid)
	if attributes := cmd.SysProcAttr; attributes != nil && attributes.Setpgid {
		target = "-" + target
	}
	sh := exec.Command("/bin/sh", "-c", guard, "sh", target, fmt.Sprint(patience))
	sh.Dir, sh.Env = "/", []string{"PATH=/usr/bin:/bin"}
	sh.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C and a terminal that closes are not for it
	if _, err := sh.StdinPipe(); err != nil || sh.Start() != nil {
		return func() {}
	}
	return func() {
		_ = sh.Process.Kill() // before its stdin ends
		_ = sh.Wait()
	}
}
