package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/shard"
	"saturate/internal/tts"
)

type ttsShardOptions struct {
	ttsOptions
	shards shardOptions
}

var ttsPlanCommand = command{
	name: "plan", args: "TEXTS -o PLACE", max: 1,
	short: "Split the texts into shards for many machines",
	long: `Split the texts into shards for many machines. Nothing is synthesized yet.

PLACE is a shared folder or s3://BUCKET/PREFIX. Each shard becomes a tar archive with NNNNNNNNN.wav and NNNNNNNNN.json
per text and variant, as WebDataset, NeMo and "saturate mel" read them.`,
	example: `  saturate tts plan texts.txt -o /shared/speech --engine espeak-ng
  saturate mel plan /shared/speech/shards/*.tar -o /shared/features`,
	prepare: with(func(fs *pflag.FlagSet, o *ttsShardOptions) {
		section(fs, "Input and output", func() {
			fs.StringVarP(&o.output, "output", "o", "", "`PLACE` for the plan and the shards: a shared folder or s3://BUCKET/PREFIX")
			o.textFlags(fs)
			o.shards.planFlags(fs, "texts")
		})
		section(fs, "Speech", func() { o.speechFlags(fs) })
		rare(fs, "max-chars", "words-per-minute", "requests-per-minute", "plain-http", "scratch")
		onCommandLineOnly(fs, "output")
		forUserOnly(fs, "engine", "command", "server", "plain-http")
	}, planSpeech),
}

var ttsWorkCommand = command{
	name: "work", args: "PLACE", max: 1,
	short: "Synthesize shards of a plan: this worker's, or all",
	long: `Synthesize shards of a plan. Run it on any number of machines, with --shard i/N or under a scheduler that sets the
worker's index (a Slurm array, a Kubernetes Job, RANK). --emit writes a script for Slurm, Kubernetes or Ray.

For safety, if the plan names a program or server, repeat it here with --command or --server: saturate never runs a
program or calls a server only because a plan names it. A text that fails after all retries is listed in the shard's
receipt.`,
	example: `  saturate tts work /shared/speech --shard 3/16
  saturate tts work /shared/speech --emit slurm`,
	prepare: with(func(fs *pflag.FlagSet, o *ttsShardOptions) {
		o.shards.workFlags(fs, "tts")
		section(fs, "Engine", func() {
			fs.StringVar(&o.engines.Command, "command", "", "the plan's program, for --engine command")
			fs.StringVar(&o.engines.Server, "server", "", "the plan's `URL`, for --engine openai")
			fs.BoolVar(&o.engines.PlainHTTP, "plain-http", false,
				"allow plain http to another machine with --server; others can read texts and key")
			fs.IntVar(&o.engines.PerMinute, "requests-per-minute", 0,
				"request limit for --engine openai, of this worker; 0 for no limit")
		})
		section(fs, "Speed and retries", func() { o.retryFlags(fs) })
		rare(fs, "backoff", "plain-http", "requests-per-minute", "scratch")
		forUserOnly(fs, "command", "server", "plain-http")
	}, workOnSpeech),
}

var ttsMergeCommand = command{
	name: "merge", args: "PLACE", max: 1,
	short: "Check that all shards exist; write an index, or merge them into one folder",
	long: `Check that all shards of a plan are published, and write dataset.json.

With -o, also merge all shards into one folder: the files and the manifest that "saturate tts" would write on one
machine.`,
	example: `  saturate tts merge /shared/speech --check
  saturate tts merge /shared/speech -o speech`,
	prepare: with(func(fs *pflag.FlagSet, o *ttsShardOptions) {
		fs.StringVarP(&o.output, "output", "o", "", "`FOLDER` for the files and the manifest of all shards")
		fs.StringVar(&o.run.Manifest, "manifest", "json", "manifest format: json (an array) or nemo (JSON lines)")
		fs.BoolVar(&o.run.Absolute, "absolute-paths", false, "write absolute paths to the manifest")
		fs.BoolVar(&o.run.Replace, "replace", false, "overwrite a manifest made with different settings")
		o.shards.mergeFlags(fs)
		onCommandLineOnly(fs, "output", "replace")
	}, mergeSpeech),
}

var ttsStatusCommand = command{
	name: "status", args: "PLACE", max: 1,
	short: "Show how many shards are published",
	long:  "Show how many shards are published, and which are missing. The exit code is 3 while some are.",
	prepare: with(func(fs *pflag.FlagSet, o *shardOptions) { o.scratchFlag(fs) },
		func(ctx context.Context, env *Env, o shardOptions, args []string) (report.Report, error) {
			return ttsReport(o.status(ctx, env, "tts", args))
		}),
}

// ttsReport puts what shards say into what the command's JSON holds.
func ttsReport(r report.Report, err error) (report.Report, error) {
	if d, ok := r.Data.(shardData); ok {
		r.Data = ttsData{Result: tts.Result{Failed: []tts.Rejected{}}, Shards: &d}
	}
	return r, err
}

func planSpeech(ctx context.Context, env *Env, o ttsShardOptions, args []string) (report.Report, error) {
	o.run.Manifest = "json"
	engine, texts, err := prepareSpeech(ctx, env, &o.ttsOptions, args)
	if err != nil {
		return report.Report{}, err
	}
	if o.shards.per < 1 {
		return report.Report{}, usage("--per-shard must be 1 or more, not %d", o.shards.per)
	}
	settings, err := tts.Planned(ctx, engine, o.engines, o.run)
	if errors.Is(err, tts.ErrMissing) {
		return report.Report{}, exitError{exitMissing, err}
	}
	if err != nil {
		return report.Report{}, err
	}
	settings.Rejected = texts.Rejected
	s, err := o.shards.store(env, o.shards.place(env, o.output))
	if err != nil {
		return report.Report{}, err
	}
	d, err := shard.NewDraft("tts", settings, "", o.shards.per, o.shards.scratch)
	if err != nil {
		return report.Report{}, err
	}
	defer d.Close()
	if err := texts.Draft(d); err != nil {
		return report.Report{}, err
	}
	out, err := publish(ctx, s, d, o.output, "text")
	if err != nil {
		return report.Report{}, err
	}
	if n := len(texts.Rejected); n > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s cannot be synthesized, the first at %s: %s", human.Plural(n, "text"),
			texts.Rejected[0].Place, texts.Rejected[0].Reason))
	}
	return ttsReport(out, nil)
}

func workOnSpeech(ctx context.Context, env *Env, o ttsShardOptions, args []string) (report.Report, error) {
	s, p, err := o.shards.plan(ctx, env, "tts", "work", args)
	if err != nil {
		return report.Report{}, err
	}
	settings, err := tts.ParsePlanSettings(p.Settings)
	if err != nil {
		return report.Report{}, err
	}
	switch {
	case settings.Command != o.engines.Command:
		return report.Report{}, usage("the plan's program is %q; to run it, add --command with exactly that",
			settings.Command)
	case settings.Server != o.engines.Server:
		return report.Report{}, usage("the plan's server is %q; to send it texts, add --server with exactly that",
			settings.Server)
	}
	o.engine, o.voices, o.engines.Model, o.engines.Words = settings.Engine, settings.Voices, settings.Model, settings.Words
	engine, err := chooseEngine(env, &o.ttsOptions)
	if err != nil {
		return report.Report{}, err
	}
	if o.shards.script.Engine == "" {
		if err := settings.Matches(ctx, engine); errors.Is(err, tts.ErrMissing) {
			return report.Report{}, exitError{exitMissing, err}
		} else if err != nil {
			return report.Report{}, err
		}
	}
	o.run.Progress = env.Progress
	return ttsReport(o.shards.work(ctx, env, s, p, args[0], func(ctx context.Context, j shard.Job) (shard.Made, error) {
		return settings.MakeShard(ctx, j, engine, o.run)
	}))
}

func mergeSpeech(ctx context.Context, env *Env, o ttsShardOptions, args []string) (report.Report, error) {
	s, p, out, err := o.shards.merge(ctx, env, "tts", args)
	if err != nil || o.output == "" {
		return ttsReport(out, err)
	}
	settings, err := tts.ParsePlanSettings(p.Settings)
	if err != nil {
		return report.Report{}, err
	}
	o.run.Dir = env.path(o.output)
	r, err := settings.Join(ctx, s, p, o.run)
	if err != nil {
		return report.Report{}, err
	}
	out.Summary = append(out.Summary, fmt.Sprintf("%s: %s for %s. Manifest: %s", o.output, human.Plural(r.Files, "file"),
		human.Plural(r.Texts, "text"), r.Manifest))
	d := out.Data.(shardData)
	out.Data = ttsData{Result: r, Shards: &d}
	return out, nil
}
