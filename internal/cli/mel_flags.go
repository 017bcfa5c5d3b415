package cli

import (
	"strings"

	"github.com/spf13/pflag"
)

// inputFlags say how inputs are read.
func (o *melOptions) inputFlags(fs *pflag.FlagSet) {
	b := &o.build
	fs.StringVar(&o.find.PathColumn, "path-column", "",
		"column of a list that names the audio (default: audio_filepath, audio, path, file_name …)")
	fs.StringVar(&b.FFmpeg, "ffmpeg", "", "`PROGRAM` for formats without a built-in decoder; none to turn it off")
}

// layoutFlags say what a row is.
func (o *melOptions) layoutFlags(fs *pflag.FlagSet) {
	b := &o.build
	fs.StringVar(&b.Layout, "layout", b.Layout,
		"fixed (one row of --length per file) or ragged (each file keeps its length)")
	fs.DurationVar(&b.Length, "length", b.Length,
		"row length of the fixed layout; longer files are cut, shorter ones padded with silence")
	fs.DurationVar(&b.Segment, "segment", 0, "split files into rows of this length instead; the last one is padded")
	fs.DurationVar(&b.Overlap, "overlap", 0, "overlap of neighboring segments")
	fs.DurationVar(&b.MaxDuration, "max-duration", b.MaxDuration,
		"quarantine longer files in the ragged layout, which keeps a file in memory")
}

func (o *melOptions) checksumFlag(fs *pflag.FlagSet) {
	b := &o.build
	fs.StringVar(&b.Checksum, "checksum", b.Checksum,
		"checksum of each input, stored in the output: crc32c, sha256 (slower) or none")
}

// featureFlags are the parameters of log-mel.
func (o *melOptions) featureFlags(fs *pflag.FlagSet) {
	p := &o.build.Params
	fs.IntVar(&p.Mels, "n-mels", p.Mels, "mel bands; Whisper uses 80, large-v3 and turbo 128")
	fs.IntVar(&p.NFFT, "n-fft", p.NFFT, "samples per frame")
	fs.IntVar(&p.Hop, "hop", p.Hop, "samples from one frame to the next")
	fs.IntVar(&p.SampleRate, "sample-rate", p.SampleRate, "samples per second; other audio is resampled")
	fs.Float64Var(&p.FMin, "fmin", p.FMin, "lower edge of the first band, in Hz")
	fs.Float64Var(&p.FMax, "fmax", 0, "upper edge of the last band, in Hz; 0 means half the sample rate")
	fs.Float64Var(&p.Power, "power", p.Power, "spectrum to sum: 2 for power, as Whisper does; 1 for magnitude")
	fs.StringVar(&o.window, "window", string(p.Window), "window function: hann, hamming, blackman or rectangular")
	fs.StringVar(&o.scaling, "scaling", string(p.Scaling),
		"whisper: log10, clipped to 8 below the maximum, then (x+4)/4; db: --db-mult × log10(max(x, 1e-10))")
	fs.Float64Var(&p.DBMult, "db-mult", p.DBMult, "factor of log10 for --scaling db; decibels need 10 with --power 2 (its default) and 20 with --power 1")
}

// speedFlags change how fast it goes, and no byte.
func (o *melOptions) speedFlags(fs *pflag.FlagSet) {
	b := &o.build
	fs.IntVar(&b.Workers, "workers", 0, "files processed at a time; 0 means one per CPU")
	fs.IntVar(&b.Buffers, "buffers", b.Buffers, "batches of decoded files in memory")
	fs.IntVar(&b.Batch, "batch", 0, "files per batch; 0 means one per worker, fewer if memory is short")
	fs.IntVar(&o.megaBuffers, "num-mega-buffers", b.Buffers, "same as --buffers")
	fs.StringVar(&b.Map, "map", b.Map, "write fixed rows by memory mapping: yes, no, "+
		"or auto (with four or more workers) (Linux)")
}

// underscores lets a flag be typed as people write names in Python: --db_mult is --db-mult.
func underscores(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
}
