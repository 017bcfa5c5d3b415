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
	short: "Check GPU, Python and disk; show what is missing and how to get it",
	long: `Check this machine: GPUs and driver, profiler permissions, Python with torch and jax,
CPU, memory, disk, and how fast data is read and copied to the GPU.

For each missing thing, doctor says what does not work without it and how to get it.
doctor exits with 0 even if something is missing.`,
	example: `  saturate doctor
  saturate doctor --quick
  saturate doctor --python .venv/bin/python --format json`,
	formats: report.Formats(),
	data:    doctor.Diagnosis{},
	prepare: with(func(fs *pflag.FlagSet, o *doctorOptions) {
		fs.StringVar(&o.python, "python", "", "Python `INTERPRETER` to check (default: the first that fits)")
		fs.BoolVar(&o.quick, "quick", false, "skip slow checks, and run no Python")
		forUserOnly(fs, "python")
	}, func(ctx context.Context, env *Env, o doctorOptions, _ []string) (report.Report, error) {
		opt := doctor.Options{
			Backend: device.Backend(env.Config.Get("gpu_backend").Value),
			Python:  o.python, Dir: env.Dir, Quick: o.quick,
		}
		if cache, err := os.UserCacheDir(); err == nil {
			opt.Cache = filepath.Join(cache, "saturate")
		}
		task := env.Progress.Start("Checking GPU, Python, disk…", "questions", 0)
		defer task.Done()
		return view.OfDoctor(doctor.Examine(ctx, device.Host{Env: env.Vars, Dir: env.Dir}, opt)), nil
	}),
}
