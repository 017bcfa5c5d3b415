// Package group ends programs together with everything they have started.
//
//	group.Own(cmd) before Start, then group.Interrupt(cmd) or group.Kill(cmd)
package group
