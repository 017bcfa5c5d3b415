package cli

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/shard"
)

type melFetchOptions struct {
	shards shardOptions
	cache  string
	keep   size
	lines  bool
}

var melFetchCommand = command{
	name: "fetch", args: "PLACE --cache FOLDER", max: 1,
	short: "Copy published shards to a local cache, for training",
	long: `Copy published shards to a local cache. The Python class saturate_gpu.mel.MelShards fetches shards as it reads; this
command fills the cache ahead of time.

Every file is compared with its SHA-256 and named after it, so that one cache serves several datasets. Existing files
are skipped.`,
	example: `  saturate mel fetch s3://features/train --cache /local/features`,
	prepare: with(func(fs *pflag.FlagSet, o *melFetchOptions) {
		fs.StringVar(&o.cache, "cache", "", "local `FOLDER` for the shards")
		fs.BoolVar(&o.lines, "stdin", false, "fetch the files that lines of JSON on stdin name, and answer each with a line")
		fs.Var(&o.keep, "keep", "with --stdin, `SIZE` of the cache, such as 200GB; least recently used files are removed (default: no limit)")
		o.shards.scratchFlag(fs)
		rare(fs, "stdin", "keep", "scratch")
		onCommandLineOnly(fs, "cache", "stdin", "keep")
	}, fetchFeatures),
}

func fetchFeatures(ctx context.Context, env *Env, o melFetchOptions, args []string) (report.Report, error) {
	switch {
	case len(args) == 0 || o.cache == "":
		return report.Report{}, usage("mel fetch needs a place and a cache; try: saturate mel " +
			"fetch s3://BUCKET/PREFIX --cache FOLDER")
	case o.keep != 0 && !o.lines:
		return report.Report{}, usage("--keep needs --stdin: without it, all shards are fetched; add it or remove --keep")
	}
	s, err := o.shards.store(env, o.shards.place(env, args[0]))
	if err != nil {
		return report.Report{}, err
	}
	c := shard.Cache{Store: s, Dir: env.path(o.cache), Keep: int64(o.keep)}
	if o.lines {
		env.silent = true
		return report.Report{}, c.Serve(ctx, env.Stdin, env.Stdout)
	}
	task := env.Progress.Start("fetching", "files", 0)
	got, err := c.Fill(ctx, func(done, of int) { task.Set(int64(done)) })
	task.Done()
	if err != nil {
		return report.Report{}, err
	}
	return melReport(report.Report{
		Title: "Fetch", Tone: report.Good, Data: shardData{Fetched: &got},
		Summary: []string{fmt.Sprintf("%s: %s fetched (%s), %s existing.", o.cache, human.Plural(got.Files, "file"),
			human.Bytes(got.Bytes), human.Count(got.Existing))},
	}, nil)
}
