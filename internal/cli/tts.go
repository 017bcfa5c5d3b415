package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"saturate/internal/config"
	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/rows"
	"saturate/internal/tts"
)

type ttsOptions struct {
	output, engine                 string
	voices                         []string
	run                            tts.Options
	engines                        tts.Config
	texts                          tts.TextOptions
	emit, function, functionStands string
}

// ttsData is what `saturate tts --format json` holds.
type ttsData struct {
	tts.Result
	Script string `json:"script,omitempty"` // what --emit wrote
}

var ttsCommand = command{
	name: "tts", group: feed, args: "TEXTS", min: 0, max: 1,
	short: "Make speech from texts once, before training: WAV files and a manifest",
	long: `Make speech from texts once, before training: 16-bit WAV files and a manifest.

TEXTS is a file with one text a line, or a .csv, .tsv, .jsonl or .json file with a column of texts; - is stdin.
Files are named after what they hold (text, voice, engine, its version and settings): what is there already is
not made again, and a run that was killed goes on where it stopped.

Engines:
  espeak-ng  the installed program; voices such as en-us, en-gb+f3, de
  command    any program: the text comes by stdin or in {text_file}, audio goes to stdout or to {out};
             {voice} and {speed} are filled in; there is no shell
  openai     a server with POST …/audio/speech; the key is read from OPENAI_API_KEY alone
  formant    built in, always there, the same samples every time; for tests and demos, not for training a product

With --emit python, a script is written instead that does the same with a Python function of yours.`,
	example: `  saturate tts texts.txt -o speech
  saturate tts train.csv -o speech --voices en-us,en-gb+f3,en-us+m3 --variants 2
  saturate tts texts.jsonl -o speech --engine openai --server http://localhost:8000/v1 --voices alloy,nova
  saturate tts texts.txt -o speech --engine command --command 'piper --model {voice} --output_file {out}' --voices en.onnx
  saturate tts --emit python --function my_tts:speak`,
	data: ttsData{},
	prepare: with(func(fs *pflag.FlagSet, o *ttsOptions) {
		fs.StringVarP(&o.output, "output", "o", "", "the `FOLDER` for the files (with --emit, the file; default scripts/precompute_tts.py)")
		fs.StringVar(&o.engine, "engine", "espeak-ng", "what speaks: "+strings.Join(tts.EngineNames(), ", "))
		fs.StringSliceVar(&o.voices, "voices", nil, "voices of the engine; each text chooses one, or one a variant")
		fs.IntVar(&o.run.Variants, "variants", 1, "files for each text: other voices first, then other speeds and pitches")
		fs.IntVar(&o.run.Rate, "rate", 16000, "samples a second")
		fs.Float64Var(&o.run.Speed, "speed", 1, "of the speech; 1 is the engine's own")
		fs.IntVar(&o.run.Workers, "workers", 0, "texts spoken at a time; 0 for the number of processors, 8 for openai")
		fs.IntVar(&o.run.Retries, "retries", 4, "further tries of a text that failed")
		fs.DurationVar(&o.run.Timeout, "timeout", 2*time.Minute, "most time for one try of a text; 0 for no limit")
		fs.DurationVar(&o.run.Backoff, "backoff", 500*time.Millisecond, "wait before the second try; doubles with each")
		fs.StringVar(&o.run.Manifest, "manifest", "json", "form of the manifest: json (an array) or nemo (JSON lines)")
		fs.BoolVar(&o.run.Absolute, "absolute-paths", false, "whole paths in the manifest, not relative to it")
		fs.BoolVar(&o.run.Replace, "replace", false, "make a new manifest though the folder was made with other settings; with --emit, write over a script that was changed")
		fs.BoolVar(&o.run.DryRun, "dry-run", false, "speak a few texts and tell how much space and time all will take")
		fs.StringVar(&o.texts.Column, "text-column", "", "the column with the texts; otherwise text, sentence, transcript …")
		fs.IntVar(&o.texts.MaxChars, "max-chars", 20000, "longer texts are listed as failures; 0 for any length")
		fs.IntVar(&o.engines.Words, "words-per-minute", 175, "speed of espeak-ng")
		fs.StringVar(&o.engines.Command, "command", "", "the program of --engine command, with {text_file}, {out}, {voice}, {speed}")
		fs.StringVar(&o.engines.Server, "server", "", "the `ADDRESS` of --engine openai, up to /v1")
		fs.BoolVar(&o.engines.PlainHTTP, "plain-http", false, "let --server be plain http on another machine: anybody on the way reads texts and key")
		fs.StringVar(&o.engines.Model, "model", "tts-1", "the model of --engine openai")
		fs.IntVar(&o.engines.PerMinute, "requests-per-minute", 0, "most requests of --engine openai; 0 for no limit")
		fs.StringVar(&o.emit, "emit", "", "write a program instead: python")
		fs.StringVar(&o.function, "function", "", "for --emit: your `MODULE:FUNCTION`")
		fs.StringVar(&o.functionStands, "function-version", "1", "for --emit: change it when your function sounds different")
		onCommandLineOnly(fs, "output", "replace", "dry-run", "emit", "function", "function-version")
		forUserOnly(fs, "engine", "command", "server", "plain-http")
	}, speakTexts),
}

func speakTexts(ctx context.Context, env *Env, o ttsOptions, args []string) (report.Report, error) {
	if o.emit != "" {
		return emitSpeaker(env, o, args)
	}
	engine, texts, err := prepareSpeech(ctx, env, &o, args)
	if err != nil {
		return report.Report{}, err
	}
	result, err := tts.Run(ctx, engine, texts, o.run)
	var stopped *tts.Stopped
	switch {
	case errors.Is(err, tts.ErrMissing):
		return report.Report{}, exitError{exitMissing, err}
	case errors.As(err, &stopped) && ctx.Err() != nil:
		return report.Report{}, exitError{exitStopped, errors.New(stopped.Error())} // its own words, not those for Ctrl-C in general
	case err != nil:
		return report.Report{}, err
	}
	return speechReport(result), nil
}

// prepareSpeech checks what was typed and reads the texts, before anything is spoken.
func prepareSpeech(ctx context.Context, env *Env, o *ttsOptions, args []string) (tts.Engine, tts.Texts, error) {
	none := tts.Texts{}
	switch {
	case len(args) == 0:
		return nil, none, usage("saturate tts needs a file of texts: `saturate tts TEXTS -o FOLDER`")
	case o.output == "":
		return nil, none, usage("say where the speech goes: `saturate tts %s -o FOLDER`", args[0])
	case o.run.Variants < 1 || o.run.Variants > 1000:
		return nil, none, usage("--variants is 1 to 1000, not %d", o.run.Variants)
	case o.run.Rate < 4000 || o.run.Rate > 192000:
		return nil, none, usage("--rate is 4000 to 192000 samples a second, not %d", o.run.Rate)
	case !(o.run.Speed >= 0.25 && o.run.Speed <= 4):
		return nil, none, usage("--speed is 0.25 to 4, not %g", o.run.Speed)
	case o.run.Workers < 0 || o.run.Workers > 4096:
		return nil, none, usage("--workers is 1 to 4096, or 0 for the usual number, not %d", o.run.Workers)
	case o.run.Retries < 0 || o.engines.PerMinute < 0 || o.texts.MaxChars < 0 || o.run.Timeout < 0 || o.run.Backoff < 0:
		return nil, none, usage("--retries, --requests-per-minute, --max-chars, --timeout and --backoff cannot be negative")
	case o.engines.Server != "" && o.engine != "openai":
		return nil, none, usage("--server is asked by --engine openai, not by %s; add --engine openai, or leave out --server", o.engine)
	case o.engines.Command != "" && o.engine != "command":
		return nil, none, usage("--command is run by --engine command, not by %s; add --engine command, or leave out --command", o.engine)
	case o.function != "":
		return nil, none, usage("--function is for --emit python; add that, or leave out --function")
	case !slices.Contains(tts.Manifests, o.run.Manifest):
		return nil, none, usage("--manifest is one of %s, not %q", strings.Join(tts.Manifests, ", "), o.run.Manifest)
	}
	at := slices.Index(tts.EngineNames(), o.engine)
	if at < 0 {
		hint := ""
		if near := config.Nearest(o.engine, tts.EngineNames()); near != "" {
			hint = fmt.Sprintf("; did you mean %s?", near)
		}
		return nil, none, usage("there is no engine %q; there are %s%s", o.engine, strings.Join(tts.EngineNames(), ", "), hint)
	}
	kind := tts.Engines[at]
	o.engines.Key, o.engines.Env = env.Var("OPENAI_API_KEY"), env.Vars
	engine, err := kind.New(o.engines)
	if err != nil {
		return nil, none, usage("%v", err)
	}
	o.run.Voices = o.voices
	if len(o.run.Voices) == 0 {
		o.run.Voices = []string{kind.Voices}
	}
	if o.run.Workers == 0 {
		o.run.Workers = kind.Workers(runtime.NumCPU())
	}
	if twice := rows.Distinct(slices.Clone(o.run.Voices)); !slices.Equal(twice, o.run.Voices) {
		return nil, none, usage("--voices names a voice twice: %s", strings.Join(o.run.Voices, ","))
	}
	o.run.Dir, o.run.Progress = env.path(o.output), env.Progress
	texts, err := files.Await(ctx, func() (tts.Texts, error) { return readTexts(env, args[0], o.texts) })
	return engine, texts, err
}

func readTexts(env *Env, name string, opt tts.TextOptions) (tts.Texts, error) {
	var r io.Reader = env.Stdin
	if name != "-" {
		f, err := os.Open(env.path(name))
		if err != nil {
			return tts.Texts{}, fmt.Errorf("cannot read the texts: %w", err)
		}
		defer f.Close()
		r = f
	}
	return tts.ReadTexts(name, r, opt)
}

// emitSpeaker writes the Python script.
func emitSpeaker(env *Env, o ttsOptions, args []string) (report.Report, error) {
	if err := emitPossible(o.emit, args); err != nil {
		return report.Report{}, err
	}
	text, err := tts.PythonScript(o.function, o.functionStands)
	if err != nil {
		return report.Report{}, usage("%v", err)
	}
	path := o.output
	if path == "" {
		path = filepath.Join("scripts", "precompute_tts.py")
	}
	if err := give(env, []gift{{path, signed(text)}}, o.run.Replace, otherName); err != nil {
		return report.Report{}, err
	}
	return report.Report{
		Title:   "Speech",
		Summary: []string{fmt.Sprintf("Wrote %s, which speaks with %s.", path, o.function)},
		Next:    []string{fmt.Sprintf("python %s texts.txt -o speech", path)},
		Data:    ttsData{Script: path},
	}, nil
}

// speechReport says what was made, then what was not and why.
func speechReport(r tts.Result) report.Report {
	out := report.Report{Title: "Speech", Data: ttsData{Result: r}}
	if r.DryRun {
		e := r.Estimate
		out.Summary = []string{fmt.Sprintf("%s, about %s of audio, would take %s on the disk.", human.Plural(e.Files, "file"), hours(e.AudioSeconds), human.Bytes(e.Bytes))}
		if e.Tried > 0 {
			out.Summary = append(out.Summary, fmt.Sprintf("%s spoken to find out: with %s at a time all takes about %s.", human.Plural(e.Tried, "text")+human.Choose(e.Tried, " was", " were"), human.Plural(r.Workers, "text"), hours(e.Seconds)))
		}
		if e.FreeBytes >= 0 {
			out.Summary = append(out.Summary, fmt.Sprintf("%s are free.", human.Bytes(e.FreeBytes)))
		}
		return out
	}
	out.Summary = []string{fmt.Sprintf("%s for %s by %s %s: %s made now, %s there before; %s of audio, %s.",
		human.Plural(r.Made+r.Reused, "file"), human.Plural(r.Texts, "text"), r.Engine, r.Version, human.Count(r.Made), human.Count(r.Reused), hours(r.AudioSeconds), human.Bytes(r.Bytes))}
	if r.Made > 0 {
		out.Summary = append(out.Summary, fmt.Sprintf("%.0f files/s.", r.FilesPerS))
	}
	out.Summary = append(out.Summary, "The manifest is "+r.Manifest+".")
	if r.Empty > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s without a text %s left out", human.Plural(r.Empty, "row"), human.Choose(r.Empty, "was", "were")))
	}
	if r.Cleaned > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("control characters were taken from %s", human.Plural(r.Cleaned, "text")))
	}
	if len(r.Failed) > 0 {
		out.Outcome, out.Tone = report.Found, report.Bad
		them := human.Choose(len(r.Failed), "it", "them")
		out.Summary = append(out.Summary, fmt.Sprintf("%s could not be spoken; %s lists %s, and the same command tries %s again.", human.Plural(len(r.Failed), "text"), r.Failures, them, them))
		const shown = 10
		table := &report.Table{Columns: []report.Column{{Name: "Place"}, {Name: "Text"}, {Name: "Why not"}}}
		for _, f := range r.Failed[:min(shown, len(r.Failed))] {
			text := []rune(f.Text)
			table.Rows = append(table.Rows, []string{f.Place, string(text[:min(len(text), 40)]), f.Reason})
		}
		if len(r.Failed) > shown {
			table.Foot = fmt.Sprintf("and %s more", human.Count(len(r.Failed)-shown))
		}
		out.Blocks = append(out.Blocks, report.Block{Heading: "Not spoken", Table: table})
	}
	return out
}

func hours(seconds float64) string {
	switch {
	case seconds >= 5400:
		return fmt.Sprintf("%.1f h", seconds/3600)
	case seconds >= 90:
		return fmt.Sprintf("%.1f min", seconds/60)
	}
	return fmt.Sprintf("%.1f s", seconds)
}
