// Package process starts other people's programs and ends them, with everything they have started, when this process
// ends.
//
//	command.go     a program that is about to be started: every one begins here
//	python.go      the interpreters that the user has chosen
//	group*.go      a program in a process group of its own, run, interrupted or killed as a whole
//	bind_*.go      a program that does not outlive this process
//	terminal_*.go  a program that has the terminal while it runs
//	tail.go        the end of what a program printed
//
//	process.Own(cmd) before Start, then process.Interrupt(cmd) or process.Kill(cmd)
//	process.Run(cmd), or process.Bind(cmd) after Start: the program does not outlive this process
package process

import "os/exec"

// Run starts a program that does not outlive this process, and waits for its end.
func Run(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	defer Bind(cmd)()
	return cmd.Wait()
}
