//go:build !linux

package probe

import (
	"context"
	"os/exec"

	"saturate/internal/process"
)

type (
	server struct{}
	job    struct{}
)

// job forks nothing here: programs run in fresh processes.
func (f *Forks) job(context.Context, *exec.Cmd, string) *job { return nil }

func (f *Forks) warm(*exec.Cmd, string) {}

func (j *job) fork() *process.Fork { return nil }
func (j *job) started()            {}
func (j *job) close()              {}
func (j *job) cpu() float64        { return 0 }

// Close ends nothing here.
func (f *Forks) Close() {}
