package cli

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"saturate/internal/tts"
)

// textFlags say how texts are read.
func (o *ttsOptions) textFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.texts.Column, "text-column", "", "column with the texts (default: text, sentence, transcript …)")
	fs.IntVar(&o.texts.MaxChars, "max-chars", 20000, "list longer texts as failed; 0 for no limit")
}

// speechFlags decide how it sounds.
func (o *ttsOptions) speechFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.engine, "engine", "espeak-ng", "speech engine: "+strings.Join(tts.EngineNames(), ", "))
	fs.StringSliceVar(&o.voices, "voices", nil, "voices of the engine; each text gets one, or one per variant")
	fs.IntVar(&o.run.Variants, "variants", 1,
		"files per text, with different voices first, then different speeds and pitches")
	fs.IntVar(&o.run.Rate, "rate", 16000, "samples per second")
	fs.Float64Var(&o.run.Speed, "speed", 1, "speaking rate; 1 is the engine's default")
	fs.IntVar(&o.engines.Words, "words-per-minute", 175, "speaking rate of espeak-ng, in words per minute")
	fs.StringVar(&o.engines.Command, "command", "",
		"program for --engine command, with {text_file}, {out}, {voice}, {speed}")
	fs.StringVar(&o.engines.Server, "server", "", "`URL` for --engine openai, up to /v1")
	fs.BoolVar(&o.engines.PlainHTTP, "plain-http", false,
		"allow plain http to another machine with --server; others can read texts and key")
	fs.StringVar(&o.engines.Model, "model", "tts-1", "model for --engine openai")
	fs.IntVar(&o.engines.PerMinute, "requests-per-minute", 0, "request limit for --engine openai; 0 for no limit")
}

// retryFlags change how fast it goes, and what is tried again.
func (o *ttsOptions) retryFlags(fs *pflag.FlagSet) {
	fs.IntVar(&o.run.Workers, "workers", 0, "texts synthesized at a time; 0 means one per CPU, or 8 for openai")
	fs.IntVar(&o.run.Retries, "retries", 4, "retries of a failed text")
	fs.DurationVar(&o.run.Timeout, "timeout", 2*time.Minute, "maximum time per try; 0 for no limit")
	fs.DurationVar(&o.run.Backoff, "backoff", 500*time.Millisecond, "wait before the first retry; doubles each time")
}
