package run

import (
	"context"
	"errors"
	"strings"
)

// Environment is what a Run's times depend on besides its program.
type Environment struct {
	Machine   Machine           `json:"machine"`
	GPUs      []GPU             `json:"gpus,omitempty"`      // given by whoever asked the driver
	Versions  map[string]string `json:"versions,omitempty"`  // python, torch, jax, …: given by whoever asked Python
	Git       *Git              `json:"git,omitempty"`       // of the working directory
	Directory string            `json:"directory,omitempty"` // working directory
	Variables map[string]string `json:"variables,omitempty"` // those that matter, without secrets
	Notes     []string          `json:"notes,omitempty"`     // what could not be found out

	Changes []byte `json:"-"` // what differs from the commit; Create saves it as changes.diff
}

// GPU is one device that the program could use.
type GPU struct {
	Name         string `json:"name"`                   // of the GPU
	Backend      string `json:"backend,omitempty"`      // cuda, rocm, mps
	Architecture string `json:"architecture,omitempty"` // sm_90, gfx942
	Driver       string `json:"driver,omitempty"`       // version of the driver
	MemoryBytes  int64  `json:"memory_bytes,omitempty"` // memory of the GPU
}

// Capture finds out about the machine, the repository that dir lies in, and the variables that matter
// among environ ("NAME=value"). GPUs and Versions are for the caller to fill in. What cannot be
// found out is noted and left empty.
func Capture(ctx context.Context, dir string, environ []string) Environment {
	env := Environment{Directory: dir, Variables: relevantVariables(environ)}
	machine, machineErr := thisMachine()
	git, changes, gitErr := captureGit(ctx, dir, environ)
	env.Machine, env.Git, env.Changes = machine, git, changes
	if err := errors.Join(machineErr, gitErr); err != nil {
		env.Notes = strings.Split(err.Error(), "\n")
	}
	return env
}
