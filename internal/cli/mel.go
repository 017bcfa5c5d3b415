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
	GPU      *gpu.Stats        `json:"gpu,omitempty"`       // of --device cuda
	SelfTest *gpu.SelfTest     `json:"self_test,omitempty"` // of --test-gpu-pipeline
	Stolen   float64           `json:"stolen,omitempty"`    // of the processors' time, by the host of a virtual machine, where it matters
}

var melCommand = command{
	name: "mel", group: feed, args: "INPUT…", min: 0, max: -1,
	short: "Make log-mel features of audio once, before training: FP16 on the disk, resumable",
	long: `Make log-mel features of audio once, before training, and write them as FP16.

INPUT is audio files, folders, patterns ('audio/**/*.flac'), tar archives, or lists of files: .json, .jsonl, .csv, .tsv
(Hugging Face, NeMo with offset and duration, Common Voice, LJSpeech, what saturate tts leaves), Kaldi's wav.scp with its segments, and .txt with a
path a line or path|text. Paths start at the list's folder, or clips/, wavs/ or wav/ in it, or here. The other columns of a list go into the output, and
so do those of a metadata.csv or metadata.jsonl in a folder, and LibriSpeech's texts.

Rows stand in the order of the input. The output gets its name when it is complete; a build that was stopped, killed or
ran out of disk goes on with the same command, and ends with the same bytes. Files that cannot be used keep
their row, marked in "valid", and are listed beside the output; the exit code is 1 then.

Layouts:
  fixed    every file one row of --length, padded or cut: "mel" is (files, bands, 3000) for 30 s
           with --segment, files are cut into rows of that length
  ragged   every file its own number of frames, behind each other: "mel" is one-dimensional, a file's
           values begin at "offset" and are (bands, "frames")

Formats, by the ending of the output or by --to:
  hdf5        .h5        one file, contiguous data sets, parameters as attributes
  npy         a folder   mel.npy to be memory-mapped, a .npy file a column, rows.jsonl
  webdataset  a folder   tar shards of --shard-rows rows, NNNNNNNNN.npy and NNNNNNNNN.json each
  parquet     .parquet   list<list<float16>> and columns, for Hugging Face datasets

The features are openai-whisper's unless told otherwise. --emit python writes a module with a torch Dataset that reads all of
these.`,
	example: `  saturate mel audio/ -o train.h5
  saturate mel train.jsonl -o train.h5 --n-mels 128
  saturate mel 'podcasts/*.mp3' -o podcasts.h5 --segment 30s --overlap 5s
  saturate mel speech/manifest.json -o features --to webdataset
  saturate mel --check train.h5
  saturate mel --emit python`,
	data: melData{},
	prepare: with(func(fs *pflag.FlagSet, o *melOptions) {
		o.build = dataset.Defaults()
		b, p := &o.build, &o.build.Params
		fs.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
			return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-")) // --db_mult is --db-mult
		})
		fs.StringVarP(&o.output, "output", "o", "", "the `FILE` or folder to make; its ending chooses the format (with --emit, the module)")
		fs.StringVar(&b.To, "to", "", "format of the output: "+strings.Join(dataset.FormatNames(), ", "))
		fs.StringVar(&b.Layout, "layout", b.Layout, "fixed or ragged")
		fs.DurationVar(&b.Length, "length", b.Length, "of a row of the fixed layout; longer files are cut, shorter ones padded with silence")
		fs.DurationVar(&b.Segment, "segment", 0, "cut files into rows of this length instead; the last one is padded")
		fs.DurationVar(&b.Overlap, "overlap", 0, "of neighbouring segments")
		fs.DurationVar(&b.MaxDuration, "max-duration", b.MaxDuration, "longer files are quarantined in the ragged layout, which holds a file in memory")
		fs.IntVar(&b.Shard, "shard-rows", 0, "rows of a tar shard (1000 when 0) or of a Parquet row group (100)")
		fs.StringVar(&b.Checksum, "checksum", b.Checksum, "of each input, kept in the output: crc32c, sha256 (slower), or none")
		fs.StringVar(&o.find.PathColumn, "path-column", "", "the column of a list that names the audio; otherwise audio_filepath, audio, path, file_name …")

		fs.IntVar(&p.Mels, "n-mels", p.Mels, "bands; Whisper has 80, its large-v3 and turbo 128")
		fs.IntVar(&p.NFFT, "n-fft", p.NFFT, "samples of a frame")
		fs.IntVar(&p.Hop, "hop", p.Hop, "samples from one frame to the next")
		fs.IntVar(&p.SampleRate, "sample-rate", p.SampleRate, "samples a second; audio of other rates is resampled")
		fs.Float64Var(&p.FMin, "fmin", p.FMin, "Hz, lower edge of the first band")
		fs.Float64Var(&p.FMax, "fmax", 0, "Hz, upper edge of the last band; 0 for half the sample rate")
		fs.Float64Var(&p.Power, "power", p.Power, "what the bands sum: 2 powers, as Whisper; 1 magnitudes")
		fs.StringVar(&o.window, "window", string(p.Window), "of a frame: hann, hamming, blackman or rectangular")
		fs.StringVar(&o.scaling, "scaling", string(p.Scaling), "whisper: log10 raised to 8 under the loudest, (x+4)/4; db: --db-mult times log10 of at least 1e-10")
		fs.Float64Var(&p.DBMult, "db-mult", p.DBMult, "for --scaling db: decibels are 20·log10 of magnitudes (--power 1) and 10·log10 of powers (--power 2), so 20 with --power 2 doubles them")

		fs.IntVar(&b.Workers, "workers", 0, "files in work at a time; 0 for the number of processors")
		fs.IntVar(&b.Buffers, "buffers", b.Buffers, "batches of decoded files in hand")
		fs.IntVar(&b.Batch, "batch", 0, "files of a batch; 0 for the number of workers, fewer when memory is short")
		fs.IntVar(&o.megaBuffers, "num-mega-buffers", b.Buffers, "another name of --buffers")
		o.gpu.flags(fs)
		fs.StringVar(&b.Map, "map", b.Map, "write fixed rows as memory: auto, where four or more workers would wait for each other's writes; yes; no (Linux)")
		fs.BoolVar(&b.Fsync, "fsync", true, "flush to the disk on the way and at the end, so that power loss costs seconds of work only")
		fs.StringVar(&b.FFmpeg, "ffmpeg", "", "the `PROGRAM` for formats without a decoder of their own; none to do without")

		fs.BoolVar(&b.Strict, "strict", false, "stop at the first file that cannot be used")
		fs.BoolVar(&b.Partial, "partial", false, "when stopped, make the files finished so far readable, in OUTPUT.part")
		fs.BoolVar(&b.Replace, "replace", false, "make the output anew though one with other settings is there; with --emit, write over a module that was changed")
		fs.BoolVar(&o.dryRun, "dry-run", false, "compute a few files and tell how much space and time all will take")
		fs.BoolVar(&o.profile, "profile", false, "say where the time went, and keep it as a run to compare with")
		fs.StringVar(&o.check, "check", "", "look at an `OUTPUT` and compute some of its rows again from their inputs")
		fs.IntVar(&o.checkRows, "check-rows", 100, "how many rows --check computes; 0 for all")
		fs.StringVar(&o.emit, "emit", "", "write a module that reads outputs instead: python")
		onCommandLineOnly(fs, "output", "replace", "dry-run", "profile", "check", "check-rows", "emit", "partial", "test-gpu-pipeline")
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
	var stopped *dataset.Stopped
	switch {
	case errors.As(err, &stopped) && ctx.Err() != nil:
		return report.Report{}, exitError{exitStopped, errors.New(stopped.Error())} // its own words, not those for Ctrl-C in general
	case err != nil:
		return report.Report{}, err
	}
	out := featureReport(env, r, o.build.Length)
	out.Warnings = append(out.Warnings, said...)
	if stolen > 0 && !r.Complete {
		out.Warnings = append(out.Warnings, device.StolenText(stolen)+", so the rates are too low")
	}
	data := out.Data.(melData)
	data.GPU, data.Stolen = stats, stolen
	out.Data = data
	if o.profile && stats != nil {
		out.Blocks = append(out.Blocks, gpuBlock(*stats))
	}
	if o.profile && !r.Complete {
		return out, keepRun(ctx, env, &out, r, args)
	}
	return out, nil
}

// prepareFeatures checks what was typed and lists the inputs, before anything is computed.
func prepareFeatures(ctx context.Context, env *Env, o *melOptions, args []string) (*dataset.List, error) {
	b := &o.build
	switch {
	case len(args) == 0:
		return nil, usage("saturate mel needs audio: `saturate mel INPUT… -o train.h5`")
	case o.output == "":
		return nil, usage("say where the features go: `saturate mel %s -o train.h5`", args[0])
	}
	if b.To == "" {
		if b.To = dataset.FormatOf(o.output); b.To == "" {
			return nil, usage("the ending of %s chooses no format: use .h5 or .parquet, or say --to %s", o.output, strings.Join(dataset.FormatNames(), "|"))
		}
	}
	if near := config.Nearest(b.To, dataset.FormatNames()); near != "" && near != b.To {
		return nil, usage("there is no format %q; did you mean %s?", b.To, near)
	}
	if b.Buffers == dataset.Defaults().Buffers {
		b.Buffers = o.megaBuffers
	}
	if b.FFmpeg != "" && b.FFmpeg != "none" {
		if _, err := exec.LookPath(b.FFmpeg); err != nil {
			return nil, exitError{exitMissing, fmt.Errorf("--ffmpeg: there is no program %s; leave it out for the installed one, or say none to do without", b.FFmpeg)}
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
		return nil, usage("--path-column %s names a column of a list, and none of the inputs is one", o.find.PathColumn)
	}
	return list, err
}

// contradiction refuses flags of which one would silently win.
func contradiction(b dataset.Options) error {
	length := b.Length != dataset.Defaults().Length
	switch {
	case length && b.Layout == dataset.Ragged:
		return usage("in --layout ragged every file keeps its own length; leave out --length %v", b.Length)
	case length && b.Segment != 0:
		return usage("--segment %v is the length of the rows; leave out --length %v", b.Segment, b.Length)
	case b.Shard > 0 && b.To != "webdataset" && b.To != "parquet":
		return usage("--shard-rows is of webdataset and parquet, and %s has no shards; leave it out", b.To)
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
		return report.Report{}, usage("--check finds the inputs by their names in the output; leave out %s", args[0])
	}
	if o.checkRows < 0 {
		return report.Report{}, usage("--check-rows is a number of rows, or 0 for all, not %d", o.checkRows)
	}
	o.build.Dir = env.Dir
	c, err := dataset.Check(ctx, env.path(o.check), o.build, o.checkRows)
	if err != nil {
		return report.Report{}, err
	}
	return checkReport(o.check, c), nil
}
