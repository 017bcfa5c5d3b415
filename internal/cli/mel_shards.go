package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/pflag"

	"saturate/internal/dataset"
	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/shard"
)

type melShardOptions struct {
	melOptions
	shards shardOptions
}

var melPlanCommand = command{
	name: "plan", args: "INPUT… -o PLACE", max: -1,
	short: "Split the inputs into shards for many machines",
	long: `Split the inputs into shards for many machines. Nothing is computed yet.

PLACE is a shared folder or s3://BUCKET/PREFIX. It gets plan.json (the settings, the shards, a hash of everything that
decides the result) and inputs.jsonl (every input with its size and checksum). INPUT is what "saturate mel" takes, or
s3://BUCKET/PREFIX with audio files and tar archives. Credentials are looked up as the AWS CLI does and are never
stored; AWS_ENDPOINT_URL names another S3-compatible store.`,
	example: `  saturate mel plan audio/ -o /shared/features
  saturate mel plan s3://corpus/flac -o s3://features/train --to webdataset --layout ragged`,
	prepare: with(func(fs *pflag.FlagSet, o *melShardOptions) {
		o.build = dataset.Defaults()
		fs.SetNormalizeFunc(underscores)
		o.typed = fs.Changed
		section(fs, "Input", func() { o.inputFlags(fs) })
		section(fs, "Output", func() {
			fs.StringVarP(&o.output, "output", "o", "", "`PLACE` for the plan and the shards: a shared folder or s3://BUCKET/PREFIX")
			fs.StringVar(&o.build.To, "to", "webdataset", "format of the shards: hdf5, parquet or webdataset")
			o.layoutFlags(fs)
			fs.IntVar(&o.build.Shard, "shard-rows", 0, "rows per Parquet row group (default 100)")
			o.checksumFlag(fs)
			o.shards.planFlags(fs, "inputs")
		})
		section(fs, "Features", func() { o.featureFlags(fs) })
		rare(fs, "n-fft", "hop", "path-column", "ffmpeg", "max-duration", "shard-rows", "checksum", "fmin", "fmax", "power",
			"window", "db-mult", "scratch")
		onCommandLineOnly(fs, "output", "to")
		forUserOnly(fs, "ffmpeg")
	}, planFeatures),
}

var melWorkCommand = command{
	name: "work", args: "PLACE", max: 1,
	short: "Compute shards of a plan: this worker's, or all",
	long: `Compute shards of a plan. Run it on any number of machines, with --shard i/N or under a scheduler that sets the
worker's index (a Slurm array, a Kubernetes Job, RANK). --emit writes a script for Slurm, Kubernetes or Ray.

Each shard is written to a temporary file, synced to disk, then published, unless another worker has already published
it. Published shards are skipped, so a worker that is restarted loses one shard at most. Inputs that cannot be used are
listed in the shard's receipt and do not change the exit code, so that no scheduler restarts the worker for them.`,
	example: `  saturate mel work /shared/features
  saturate mel work s3://features/train --shard 3/16
  saturate mel work /shared/features --emit slurm --tasks 64`,
	prepare: with(func(fs *pflag.FlagSet, o *melShardOptions) {
		o.build = dataset.Defaults()
		fs.SetNormalizeFunc(underscores)
		o.shards.workFlags(fs, "mel")
		section(fs, "Speed", func() { o.speedFlags(fs) })
		section(fs, "GPU", func() { o.gpu.flags(fs) })
		fs.StringVar(&o.find.Dir, "input-dir", "", "`FOLDER` where relative inputs start (default: where the plan was made)")
		fs.StringVar(&o.build.FFmpeg, "ffmpeg", "", "`PROGRAM` for formats without a built-in decoder; none to turn it off")
		rare(fs, "buffers", "batch", "num-mega-buffers", "map", "gpu-batch", "seg-microbatch-segments", "autosize-gpu-batch",
			"test-gpu-pipeline", "ffmpeg", "scratch")
		onCommandLineOnly(fs, "input-dir", "test-gpu-pipeline")
		forUserOnly(fs, "ffmpeg")
	}, workOnFeatures),
}

var melMergeCommand = command{
	name: "merge", args: "PLACE", max: 1,
	short: "Check that all shards exist; write an index, or merge them into one output",
	long: `Check that all shards of a plan are published, and write dataset.json, which the Python class
saturate_gpu.mel.MelShards opens as one dataset.

With -o, also merge all shards into one output, byte for byte what "saturate mel" would write on one machine.`,
	example: `  saturate mel merge /shared/features --check
  saturate mel merge /shared/features -o train.h5`,
	prepare: with(func(fs *pflag.FlagSet, o *melShardOptions) {
		o.build = dataset.Defaults()
		fs.StringVarP(&o.output, "output", "o", "", "`FILE` or folder for one output of all shards, in their format")
		fs.IntVar(&o.build.Shard, "shard-rows", 0, "rows per tar shard of that output (default 1000)")
		fs.BoolVar(&o.build.Replace, "replace", false, "overwrite an existing output that has different settings")
		o.shards.mergeFlags(fs)
		onCommandLineOnly(fs, "output", "shard-rows", "replace")
	}, mergeFeatures),
}

var melStatusCommand = command{
	name: "status", args: "PLACE", max: 1,
	short: "Show how many shards are published",
	long:  "Show how many shards are published, and which are missing. The exit code is 3 while some are.",
	prepare: with(func(fs *pflag.FlagSet, o *shardOptions) { o.scratchFlag(fs) },
		func(ctx context.Context, env *Env, o shardOptions, args []string) (report.Report, error) {
			return melReport(o.status(ctx, env, "mel", args))
		}),
}

// melReport puts what shards say into what the command's JSON holds.
func melReport(r report.Report, err error) (report.Report, error) {
	if d, ok := r.Data.(shardData); ok {
		r.Data = melData{Shards: &d}
	}
	return r, err
}

func planFeatures(ctx context.Context, env *Env, o melShardOptions, args []string) (report.Report, error) {
	switch {
	case len(args) == 0:
		return report.Report{}, usage("mel plan needs an input; try: saturate mel plan audio/ -o FOLDER")
	case o.output == "":
		return report.Report{}, usage("mel plan needs a place; try: saturate mel plan %s -o FOLDER", args[0])
	case o.shards.per < 1:
		return report.Report{}, usage("--per-shard must be 1 or more, not %d", o.shards.per)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	place := o.shards.place(env, o.output)
	typed := o.output
	o.find.Store = o.shards.stores(env)
	if err := o.decide(env); err != nil {
		return report.Report{}, err
	}
	list, err := dataset.Find(ctx, args, o.find)
	if err != nil {
		return report.Report{}, err
	}
	settings, err := dataset.SettingsOf(o.build, list)
	if err != nil {
		return report.Report{}, usage("%v", err)
	}
	if err := list.Checksums(ctx, o.build); err != nil {
		return report.Report{}, err
	}
	s, err := o.shards.store(env, place)
	if err != nil {
		return report.Report{}, err
	}
	d, err := shard.NewDraft("mel", settings, env.Dir, o.shards.per, o.shards.scratch)
	if err != nil {
		return report.Report{}, err
	}
	defer d.Close()
	if err := list.Draft(d); err != nil {
		return report.Report{}, err
	}
	out, err := publish(ctx, s, d, typed, "file")
	if err != nil {
		return report.Report{}, err
	}
	out.Warnings = append(out.Warnings, list.Notes...)
	return melReport(out, nil)
}

// decide fills in and checks the settings that need no input.
func (o *melOptions) decide(env *Env) error {
	b := &o.build
	if o.typed("db-mult") && o.scaling != "db" {
		return usage("--db-mult belongs to --scaling db; add it, or leave --db-mult out")
	}
	if err := contradiction(*b); err != nil {
		return err
	}
	o.definition()
	b.Progress, b.Dir, o.find.Dir = env.Progress, env.Dir, env.Dir
	if err := dataset.Possible(*b); err != nil {
		return usage("%v", err)
	}
	return nil
}

func workOnFeatures(ctx context.Context, env *Env, o melShardOptions, args []string) (out report.Report, err error) {
	s, p, err := o.shards.plan(ctx, env, "mel", "work", args)
	if err != nil {
		return report.Report{}, err
	}
	settings, err := dataset.ParseSettings(p.Settings)
	if err != nil {
		return report.Report{}, err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	settings.Apply(&o.build)
	o.build.Dir = p.Dir
	if o.find.Dir != "" {
		o.build.Dir = env.path(o.find.Dir)
	}
	var said []string
	if o.shards.script.Engine == "" {
		pool, err := o.gpu.open(&o.build, func(message string) { said = append(said, message) })
		if err != nil {
			return report.Report{}, err
		}
		if pool != nil {
			defer func() { err = errors.Join(err, pool.Close()) }()
		}
	}
	open := o.shards.stores(env)
	out, err = o.shards.work(ctx, env, s, p, args[0], func(ctx context.Context, j shard.Job) (shard.Made, error) {
		return settings.MakeShard(ctx, j, o.build, open)
	})
	out.Warnings = append(out.Warnings, said...)
	return melReport(out, err)
}

func mergeFeatures(ctx context.Context, env *Env, o melShardOptions, args []string) (report.Report, error) {
	s, p, out, err := o.shards.merge(ctx, env, "mel", args)
	if err != nil || o.output == "" {
		return melReport(out, err)
	}
	settings, err := dataset.ParseSettings(p.Settings)
	if err != nil {
		return report.Report{}, err
	}
	if to := dataset.FormatOf(o.output); to != "" && to != settings.To {
		return report.Report{}, usage("the shards are %s, and %s is named like %s; choose another name, or plan with --to %s",
			settings.To, o.output, to, to)
	}
	o.build.Output, o.build.Progress = env.path(o.output), env.Progress
	r, err := settings.Join(ctx, s, p, o.build)
	if err != nil {
		return report.Report{}, err
	}
	out.Summary = append(out.Summary, fmt.Sprintf("%s: features %s, %s.", o.output, dims(r.Shape), human.Bytes(r.Bytes)))
	d := out.Data.(shardData)
	out.Data = melData{Result: &r, Shards: &d}
	return out, nil
}
