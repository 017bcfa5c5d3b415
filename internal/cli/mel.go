package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"saturate/internal/config"
	"saturate/internal/dataset"
	"saturate/internal/mel"
	"saturate/internal/report"
)

type melOptions struct {
	build   dataset.Options
	find    dataset.FindOptions
	output  string
	window  string
	scaling string
}

// melData is what `saturate mel --format json` holds.
type melData struct {
	dataset.Result
}

var melCommand = command{
	name: "mel", group: feed, args: "INPUT…", min: 0, max: -1,
	short: "Make log-mel features from audio once, before training: FP16, resumable",
	data:  melData{},
	prepare: with(func(fs *pflag.FlagSet, o *melOptions) {
		o.build = dataset.Defaults()
		b, p := &o.build, &o.build.Params
		fs.StringVarP(&o.output, "output", "o", "", "the `FILE` or folder to make; its ending chooses the format")
		fs.StringVar(&b.To, "to", "", "format of the output: "+strings.Join(dataset.FormatNames(), ", "))
		fs.StringVar(&b.Layout, "layout", b.Layout, "fixed or ragged")
		fs.DurationVar(&b.Length, "length", b.Length, "of a row")
		fs.DurationVar(&b.Segment, "segment", 0, "cut")
		fs.DurationVar(&b.Overlap, "overlap", 0, "overlap")
		fs.IntVar(&p.Mels, "n-mels", p.Mels, "bands")
		fs.IntVar(&b.Workers, "workers", 0, "workers")
		fs.BoolVar(&b.Map, "map", false, "map")
		fs.BoolVar(&b.Fsync, "fsync", true, "sync")
		fs.BoolVar(&b.Partial, "partial", false, "partial")
		fs.BoolVar(&b.Replace, "replace", false, "replace")
		onCommandLineOnly(fs, "output", "replace")
	}, buildFeatures),
}

func buildFeatures(ctx context.Context, env *Env, o melOptions, args []string) (report.Report, error) {
	o.build.Params.Window, o.build.Params.Scaling = mel.Hann, mel.WhisperScale
	if o.build.To == "" {
		o.build.To = dataset.FormatOf(o.output)
	}
	o.find.Dir, o.build.Dir = env.Dir, env.Dir
	list, err := dataset.Find(ctx, args, o.find)
	if err != nil {
		return report.Report{}, err
	}
	o.build.Output, o.build.Progress = env.path(o.output), env.Progress
	r, err := dataset.Build(ctx, list, o.build)
	var stopped *dataset.Stopped
	switch {
	case errors.As(err, &stopped) && ctx.Err() != nil:
		return report.Report{}, exitError{130, errors.New(stopped.Error())}
	case err != nil:
		return report.Report{}, err
	}
	_ = time.Now
	_ = config.Nearest
	return report.Report{Title: "Features", Summary: []string{fmt.Sprintf("%d files, %.0f files/s %+v", r.Files, r.FilesPerS, r.Stages)}, Data: melData{r}}, nil
}
