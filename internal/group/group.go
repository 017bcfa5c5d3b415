// Package group ends programs together with everything they have started, and with this process.
//
//	group.Own(cmd) before Start, then group.Interrupt(cmd) or group.Kill(cmd)
//	group.Run(cmd), or group.Bind(cmd) after Start: the program does not outlive this process
package group

import "os/exec"

// Run starts a program that does not outlive this process, and waits for its end.
func Run(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	defer Bind(cmd)()
	return cmd.Wait()
}
