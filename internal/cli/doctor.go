package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"saturate/internal/device"
	"saturate/internal/device/doctor"
	"saturate/internal/report"
	"saturate/internal/view"
)

type doctorOptions struct {
	python string
	quick  bool
}

var doctorCommand = command{
	name: "doctor", group: find,
	short: "Show what this machine has, what is missing and how to get it",
	long: `Show what this machine has: GPUs and driver, profilers' permissions, Python with torch and jax,
CPU, memory, disk, and how fast data is read and copied to the GPU.

A missing thing is said with what will not work without it and how to get it; it never makes doctor fail.`,
	example: `  saturate doctor
  saturate doctor --quick
  saturate doctor --python .venv/bin/python --format json`,
	formats: report.Formats(),
	data:    doctor.Diagnosis{},
	prepare: with(func(fs *pflag.FlagSet, o *doctorOptions) {
		fs.StringVar(&o.python, "python", "", "the `INTERPRETER` to look at; otherwise the first that fits")
		fs.BoolVar(&o.quick, "quick", false, "leave out what takes seconds, and run no Python")
		forUserOnly(fs, "python")
	}, func(ctx context.Context, env *Env, o doctorOptions, _ []string) (report.Report, error) {
		opt := doctor.Options{
			Backend: device.Backend(env.Config.Get("gpu_backend").Value),
			Python:  o.python, Dir: env.Dir, Quick: o.quick,
		}
		if cache, err := os.UserCacheDir(); err == nil {
			opt.Cache = filepath.Join(cache, "saturate")
		}
		task := env.Progress.Start("looking at this machine", "questions", 0)
		defer task.Done()
		return view.OfDoctor(doctor.Examine(ctx, device.Host{Env: env.Vars, Dir: env.Dir}, opt)), nil
	}),
}
