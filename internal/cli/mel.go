package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"

	"saturate/internal/config"
	"saturate/internal/dataset"
	"saturate/internal/dataset/gpu"
	"saturate/internal/device"
	"saturate/internal/mel"
	"saturate/internal/report"
)

type melOptions struct {
	build           dataset.Options
	find            dataset.FindOptions
	output          string
	window, scaling string
	megaBuffers     int
	typed           func(flag string) bool // on the command line, not in a settings file
	gpu             melGPU
	dryRun, profile bool
	check           string
	checkRows       int
	emit            string
}

// melData is what `saturate mel --format json` holds: a build, or what was asked for instead.
type melData struct {
	*dataset.Result
	Estimate *dataset.Estimate `json:"estimate,omitempty"`  // of --dry-run
	Checked  *dataset.Checked  `json:"checked,omitempty"`   // of --check
	Run      string            `json:"run,omitempty"`       // of --profile
	Script   string            `json:"script,omitempty"`    // of --emit
	Shards   *shardData        `json:"shards,omitempty"`    // of plan, work, merge and status
	GPU      *gpu.Stats        `json:"gpu,omitempty"`       // of --device cuda
	SelfTest *gpu.SelfTest     `json:"self_test,omitempty"` // of --test-gpu-pipeline
	Stolen   float64           `json:"stolen,omitempty"`    // share of CPU time that the host of a virtual machine took, where it matters
}

var melCommand = command{
	name: "mel", group: feed, args: "INPUT…", min: 0, max: -1,
	short: "Compute log-mel features once, before training: FP16 on disk, resumable",
	long: `Compute log-mel features once, before training, and write them as FP16.

INPUT can be audio files, folders, patterns ('audio/**/*.flac'), tar archives, or lists: .json, .jsonl, .csv, .tsv
(Hugging Face, NeMo, Common Voice, LJSpeech, saturate tts), Kaldi's wav.scp, and .txt with one path or path|text per
line. Paths are relative to the list's folder, its clips/, wavs/ or wav/, or the current folder. Other columns of a
list, of a folder's metadata.csv or metadata.jsonl, and LibriSpeech's texts are copied to the output.

Rows keep the order of the input. The output appears only when it is complete. If a build is stopped, killed or runs
out of disk space, the same command resumes it and produces the same bytes. An unusable file keeps its row, marked in
"valid", and is listed beside the output; the exit code is then 1.

Layouts: fixed, one row of --length per file, with "mel" of shape (files, bands, 3000) for 30 s; or ragged, where each
file keeps its length: "mel" is one-dimensional, and a file's (bands, "frames") values start at "offset".

Formats, by the extension of the output or --to:
` + dataset.FormatsText() + `
The defaults are those of openai-whisper. --emit python writes a module with a torch Dataset that reads all formats.

On many machines: "mel plan" splits the inputs into shards. Run "mel work" on any number of machines to compute them.
"mel merge" then checks that none is missing. (If your audio folder is called plan, write ./plan so that it is not taken
for the subcommand.)`,
	example: `  saturate mel audio/ -o train.h5
  saturate mel train.jsonl -o train.h5 --n-mels 128
  saturate mel 'podcasts/*.mp3' -o podcasts.h5 --segment 30s --overlap 5s
  saturate mel speech/manifest.json -o features --to webdataset
  saturate mel --check train.h5
  saturate mel --emit python`,
	data:  melData{},
	under: []command{melPlanCommand, melWorkCommand, melMergeCommand, melStatusCommand, melFetchCommand},
	prepare: with(func(fs *pflag.FlagSet, o *melOptions) {
		o.build = dataset.Defaults()
		b := &o.build
		fs.SetNormalizeFunc(underscores)
		o.typed = fs.Changed
		section(fs, "Input", func() {
			o.inputFlags(fs)
		})
		section(fs, "Output", func() {
			fs.StringVarP(&o.output, "output", "o", "", "output `FILE` or folder; its extension selects the format (with --emit, the module)")
			fs.StringVar(&b.To, "to", "", "output format: "+strings.Join(dataset.FormatNames(), ", "))
			o.layoutFlags(fs)
			fs.IntVar(&b.Shard, "shard-rows", 0, "rows per tar shard (default 1000) or Parquet row group (default 100)")
			o.checksumFlag(fs)
			fs.BoolVar(&b.Replace, "replace", false,
				"overwrite an existing output that has different settings; with --emit, overwrite an edited module")
			fs.BoolVar(&b.Partial, "partial", false, "when stopped, make the finished rows readable in OUTPUT.part")
			fs.BoolVar(&b.Fsync, "fsync", true, "sync to disk regularly, so that power loss costs only seconds of work")
		})
		section(fs, "Features", func() { o.featureFlags(fs) })
		section(fs, "Speed", func() { o.speedFlags(fs) })
		section(fs, "GPU", func() { o.gpu.flags(fs) })
		section(fs, "Instead of building", func() {
			fs.BoolVar(&o.dryRun, "dry-run", false, "compute a few files and estimate total size and time")
			fs.StringVar(&o.check, "check", "", "check an `OUTPUT`: compute some of its rows again from their inputs")
			fs.IntVar(&o.checkRows, "check-rows", 100, "rows that --check computes; 0 for all")
			fs.StringVar(&o.emit, "emit", "", "write a module that reads the output (`python` is the only choice)")
		})
		fs.BoolVar(&b.Strict, "strict", false, "stop at the first unusable file")
		fs.BoolVar(&o.profile, "profile", false, "show where the time went, and save it as a Run")
		rare(fs, "check-rows", "n-fft", "hop", "path-column", "ffmpeg", "max-duration", "shard-rows", "checksum", "partial",
			"fsync", "fmin", "fmax", "power", "window",
			"db-mult", "buffers", "batch", "num-mega-buffers", "map", "gpu-batch", "seg-microbatch-segments", "autosize-gpu-batch", "test-gpu-pipeline")
		onCommandLineOnly(fs, "output", "replace", "dry-run", "profile", "check", "check-rows", "emit", "partial",
			"test-gpu-pipeline")
		forUserOnly(fs, "ffmpeg")
	}, buildFeatures),
}

func buildFeatures(ctx context.Context, env *Env, o melOptions, args []string) (report.Report, error) {
	switch {
	case o.emit != "":
		return emitReader(env, o, args)
	case o.check != "":
		return checkFeatures(ctx, env, o, args)
	case o.gpu.selfTest:
		return testGPU(ctx, o)
	}
	// Little is allocated on the way, so collecting often costs nothing and keeps a long list of files small.
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	list, err := prepareFeatures(ctx, env, &o, args)
	if err != nil {
		return report.Report{}, err
	}
	if o.dryRun {
		e, err := dataset.Plan(ctx, list, o.build)
		if err != nil {
			return report.Report{}, err
		}
		return estimateReport(e, o.build.Length), nil
	}
	var said []string
	pool, err := o.gpu.open(&o.build, func(message string) { said = append(said, message) })
	if err != nil {
		return report.Report{}, err
	}
	before := device.ReadBusy(device.Host{})
	r, err := dataset.Build(ctx, list, o.build)
	stolen := device.ReadBusy(device.Host{}).Stolen(before)
	var stats *gpu.Stats
	if pool != nil {
		s := pool.Stats()
		s.Over(r.WallSeconds)
		r.Stages.H2D, r.Stages.D2H, r.Pinned = s.H2DSeconds, s.D2HSeconds, s.PinnedBytes
		stats, err = &s, errors.Join(err, pool.Close())
	}
	if err != nil {
		return report.Report{}, buildError(ctx, err)
	}
	out := featureReport(env, r, o.build.Length)
	out.Warnings = append(out.Warnings, said...)
	if p := o.build.Params; p.Scaling == mel.DB && p.Power == 2 && p.DBMult == 20 {
		out.Warnings = append(out.Warnings,
			"the values are 20·log10 of powers, twice the usual decibels; use --db-mult 10 or --power 1")
	}
	if stolen > 0 && !r.Existing {
		out.Warnings = append(out.Warnings, device.StolenText(stolen)+", so these rates are too low")
	}
	data := out.Data.(melData)
	data.GPU, data.Stolen = stats, stolen
	out.Data = data
	if o.profile && stats != nil {
		out.Blocks = append(out.Blocks, gpuBlock(*stats))
	}
	if o.profile && !r.Existing {
		return out, keepRun(ctx, env, &out, r, args)
	}
	return out, nil
}

// buildError gives a build that was stopped its exit code, with its own words instead of those for Ctrl-C in general.
func buildError(ctx context.Context, err error) error {
	var stopped *dataset.Stopped
	if errors.As(err, &stopped) && ctx.Err() != nil {
		return exitError{exitStopped, errors.New(stopped.Error())}
	}
	return err
}

// prepareFeatures checks what was typed and lists the inputs, before anything is computed.
func prepareFeatures(ctx context.Context, env *Env, o *melOptions, args []string) (*dataset.List, error) {
	b := &o.build
	switch {
	case len(args) == 0:
		return nil, usage("mel needs an input; try: saturate mel audio/ -o train.h5")
	case o.output == "":
		return nil, usage("mel needs an output; try: saturate mel %s -o train.h5", args[0])
	}
	if err := o.chooseFormat(); err != nil {
		return nil, err
	}
	switch {
	case o.typed("buffers") && o.typed("num-mega-buffers") && b.Buffers != o.megaBuffers:
		return nil, usage("--buffers %d and --num-mega-buffers %d are two names of one setting; give one of them", b.Buffers,
			o.megaBuffers)
	case o.typed("db-mult") && o.scaling != string(mel.DB):
		return nil, usage("--db-mult belongs to --scaling db; add it, or leave --db-mult out")
	}
	if b.Buffers == dataset.Defaults().Buffers {
		b.Buffers = o.megaBuffers
	}
	if b.FFmpeg != "" && b.FFmpeg != "none" {
		if _, err := exec.LookPath(b.FFmpeg); err != nil {
			return nil, exitError{exitMissing, fmt.Errorf("--ffmpeg: %s not found; remove the flag "+
				"to use ffmpeg from PATH, or use none to turn it off", b.FFmpeg)}
		}
	}
	if err := contradiction(*b); err != nil {
		return nil, err
	}
	o.definition()
	b.Output, b.Progress, b.Dir, o.find.Dir = env.path(o.output), env.Progress, env.Dir, env.Dir
	if err := dataset.Possible(*b); err != nil {
		return nil, usage("%v", err)
	}
	list, err := dataset.Find(ctx, args, o.find)
	if err == nil && o.find.PathColumn != "" && !list.Tables() {
		return nil, usage("--path-column %s needs a list as input (.csv, .jsonl …)", o.find.PathColumn)
	}
	return list, err
}

// chooseFormat takes the format of --to, else that of the output's extension.
func (o *melOptions) chooseFormat() error {
	b := &o.build
	if b.To == "" {
		if b.To = dataset.FormatOf(o.output); b.To == "" {
			return usage("%s has an unsupported extension: use .h5 or .parquet, or choose a format with --to %s", o.output,
				strings.Join(dataset.FormatNames(), "|"))
		}
	}
	if near := config.Nearest(b.To, dataset.FormatNames()); near != "" && near != b.To {
		return usage("unknown format %q; did you mean %s?", b.To, near)
	}
	return nil
}

// contradiction rejects pairs of flags that exclude each other.
func contradiction(b dataset.Options) error {
	length := b.Length != dataset.Defaults().Length
	switch {
	case length && b.Layout == dataset.Ragged:
		return usage("--layout ragged keeps the length of each file; remove --length %v", b.Length)
	case length && b.Segment != 0:
		return usage("--segment %v sets the row length; remove --length %v", b.Segment, b.Length)
	case b.Shard > 0 && b.To != "webdataset" && b.To != "parquet":
		return usage("--shard-rows works only with webdataset and parquet, not %s; remove it", b.To)
	}
	return nil
}

// definition fills in the parameters that flags hold in another form.
func (o *melOptions) definition() {
	p := &o.build.Params
	p.Window, p.Scaling = mel.Window(o.window), mel.Scaling(o.scaling)
	if p.FMax == 0 {
		p.FMax = float64(p.SampleRate) / 2
	}
}

func checkFeatures(ctx context.Context, env *Env, o melOptions, args []string) (report.Report, error) {
	if len(args) > 0 {
		return report.Report{}, usage("--check reads the input names from the output; remove %s", args[0])
	}
	if o.checkRows < 0 {
		return report.Report{}, usage("--check-rows must be 0 (all) or more, not %d", o.checkRows)
	}
	o.build.Dir = env.Dir
	c, err := dataset.Check(ctx, env.path(o.check), o.build, o.checkRows)
	if err != nil {
		return report.Report{}, err
	}
	return checkReport(o.check, c), nil
}
