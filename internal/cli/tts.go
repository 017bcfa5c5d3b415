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
	Script string     `json:"script,omitempty"` // what --emit wrote
	Shards *shardData `json:"shards,omitempty"` // of plan, work, merge and status
}

var ttsCommand = command{
	name: "tts", group: feed, args: "TEXTS", min: 0, max: 1,
	short: "Synthesize speech once, before training: WAV files and a manifest",
	long: `Synthesize speech once, before training: 16-bit WAV files and a manifest.

TEXTS is a file with one text per line, or a .csv, .tsv, .jsonl or .json file with a column of texts; - is stdin.
A file's name is a hash of its content (text, voice, engine, version, settings). Existing files are skipped, so a
killed run resumes where it stopped.

Engines:
` + aboutEngines() + `
--emit python writes a script that does the same with your own Python function.

On many machines: "tts plan" splits the texts into shards. Run "tts work" on any number of machines to synthesize them.
"tts merge" then checks that none is missing.`,
	example: `  saturate tts texts.txt -o speech
  saturate tts train.csv -o speech --voices en-us,en-gb+f3,en-us+m3 --variants 2
  saturate tts texts.jsonl -o speech --engine openai --server http://localhost:8000/v1 --voices alloy,nova
  saturate tts texts.txt -o speech --engine command --command 'piper --model {voice} --output_file {out}' --voices en.onnx
  saturate tts --emit python --function my_tts:speak`,
	data:  ttsData{},
	under: []command{ttsPlanCommand, ttsWorkCommand, ttsMergeCommand, ttsStatusCommand},
	prepare: with(func(fs *pflag.FlagSet, o *ttsOptions) {
		section(fs, "Input and output", func() {
			fs.StringVarP(&o.output, "output", "o", "", "`FOLDER` for the files (with --emit, the script; default scripts/precompute_tts.py)")
			o.textFlags(fs)
			fs.StringVar(&o.run.Manifest, "manifest", "json", "manifest format: json (an array) or nemo (JSON lines)")
			fs.BoolVar(&o.run.Absolute, "absolute-paths", false, "write absolute paths to the manifest")
			fs.BoolVar(&o.run.Replace, "replace", false,
				"overwrite a manifest made with different settings; with --emit, overwrite an edited script")
			fs.BoolVar(&o.run.DryRun, "dry-run", false, "synthesize a few texts and estimate total size and time")
		})
		section(fs, "Speech", func() { o.speechFlags(fs) })
		section(fs, "Speed and retries", func() { o.retryFlags(fs) })
		section(fs, "Python script", func() {
			fs.StringVar(&o.emit, "emit", "", "write a script instead (`python` is the only choice)")
			fs.StringVar(&o.function, "function", "", "your `MODULE:FUNCTION` that synthesizes a text")
			fs.StringVar(&o.functionStands, "function-version", "1", "change it when your function sounds different")
		})
		rare(fs, "max-chars", "absolute-paths", "words-per-minute", "requests-per-minute", "plain-http", "backoff",
			"function-version")
		onCommandLineOnly(fs, "output", "replace", "dry-run", "emit", "function", "function-version")
		forUserOnly(fs, "engine", "command", "server", "plain-http")
	}, speakTexts),
}

// aboutEngines lists the engines for the help.
func aboutEngines() string {
	var b strings.Builder
	for _, e := range tts.Engines {
		fmt.Fprintf(&b, "  %-10s %s\n", e.Name, strings.ReplaceAll(e.About, "\n", "\n"+strings.Repeat(" ", 13)))
	}
	return b.String()
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
		// its own words, not those for Ctrl-C in general
		return report.Report{}, exitError{exitStopped, errors.New(stopped.Error())}
	case err != nil:
		return report.Report{}, err
	}
	return speechReport(result), nil
}

// prepareSpeech checks what was typed and reads the texts, before anything is spoken.
func prepareSpeech(ctx context.Context, env *Env, o *ttsOptions, args []string) (tts.Engine, tts.Texts, error) {
	if err := checkSpeech(o, args); err != nil {
		return nil, tts.Texts{}, err
	}
	engine, err := chooseEngine(env, o)
	if err != nil {
		return nil, tts.Texts{}, err
	}
	if twice := rows.Distinct(slices.Clone(o.run.Voices)); !slices.Equal(twice, o.run.Voices) {
		return nil, tts.Texts{}, usage("--voices has a duplicate: %s", strings.Join(o.run.Voices, ","))
	}
	o.run.Dir, o.run.Progress = env.path(o.output), env.Progress
	texts, err := files.Await(ctx, func() (tts.Texts, error) { return readTexts(env, args[0], o.texts) })
	return engine, texts, err
}

// checkSpeech refuses what is out of range, and flags that contradict each other.
func checkSpeech(o *ttsOptions, args []string) error {
	switch {
	case len(args) == 0:
		return usage("tts needs a file of texts; try: saturate tts texts.txt -o speech")
	case o.output == "":
		return usage("tts needs an output folder; try: saturate tts %s -o speech", args[0])
	case o.function != "":
		return usage("--function needs --emit python; add it or remove --function")
	case !slices.Contains(tts.Manifests, o.run.Manifest):
		return usage("--manifest must be one of %s, not %q", strings.Join(tts.Manifests, ", "), o.run.Manifest)
	case o.engines.Server != "" && o.engine != "openai":
		return usage("--server needs --engine openai, not %s; add --engine openai or remove --server", o.engine)
	case o.engines.Command != "" && o.engine != "command":
		return usage("--command needs --engine command, not %s; add --engine command or remove --command", o.engine)
	}
	return o.checkNumbers()
}

func (o *ttsOptions) checkNumbers() error {
	switch {
	case o.run.Variants < 1 || o.run.Variants > 1000:
		return usage("--variants must be 1 to 1000, not %d", o.run.Variants)
	case o.run.Rate < 4000 || o.run.Rate > 192000:
		return usage("--rate must be 4000 to 192000 samples per second, not %d", o.run.Rate)
	case !(o.run.Speed >= 0.25 && o.run.Speed <= 4):
		return usage("--speed must be 0.25 to 4, not %g", o.run.Speed)
	case o.run.Workers < 0 || o.run.Workers > 4096:
		return usage("--workers must be 0 (automatic) to 4096, not %d", o.run.Workers)
	case o.run.Retries < 0 || o.engines.PerMinute < 0 || o.texts.MaxChars < 0 || o.run.Timeout < 0 || o.run.Backoff < 0:
		return usage("--retries, --requests-per-minute, --max-chars, --timeout and --backoff cannot be negative")
	}
	return nil
}

// chooseEngine opens the engine that was named, with its own voice and number of workers where none was typed.
func chooseEngine(env *Env, o *ttsOptions) (tts.Engine, error) {
	at := slices.Index(tts.EngineNames(), o.engine)
	if at < 0 {
		hint := ""
		if near := config.Nearest(o.engine, tts.EngineNames()); near != "" {
			hint = fmt.Sprintf("; did you mean %s?", near)
		}
		return nil, usage("unknown engine %q; use one of %s%s", o.engine, strings.Join(tts.EngineNames(), ", "), hint)
	}
	kind := tts.Engines[at]
	o.engines.Key, o.engines.Env = env.Var("OPENAI_API_KEY"), env.Vars
	engine, err := kind.New(o.engines)
	if err != nil {
		return nil, usage("%v", err)
	}
	o.run.Voices = o.voices
	if len(o.run.Voices) == 0 {
		o.run.Voices = []string{kind.Voices}
	}
	if o.run.Workers == 0 {
		o.run.Workers = kind.Workers(runtime.NumCPU())
	}
	return engine, nil
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
		Summary: []string{fmt.Sprintf("Wrote %s, which speaks by calling %s.", path, o.function)},
		Next:    []string{fmt.Sprintf("python %s texts.txt -o speech", human.Shell(path))},
		Data:    ttsData{Script: path},
	}, nil
}

// speechReport says what was made, then what was not and why.
func speechReport(r tts.Result) report.Report {
	out := report.Report{Title: "Speech", Data: ttsData{Result: r}}
	if r.DryRun {
		e := r.Estimate
		out.Summary = []string{fmt.Sprintf("%s (about %s of audio) would take %s on disk.", human.Plural(e.Files, "file"),
			human.Duration(e.AudioSeconds), human.Bytes(e.Bytes))}
		if e.Tried > 0 {
			out.Summary = append(out.Summary, fmt.Sprintf("Estimated time: %s with %s (tried %s).", human.Duration(e.Seconds),
				human.Plural(r.Workers, "worker"), human.Plural(e.Tried, "text")))
		}
		if e.FreeBytes >= 0 {
			out.Summary = append(out.Summary, fmt.Sprintf("Free disk space: %s.", human.Bytes(e.FreeBytes)))
		}
		return out
	}
	out.Summary = []string{fmt.Sprintf("%s for %s by %s %s: %s new, %s existing; %s of audio, %s.",
		human.Plural(r.Made+r.Reused, "file"), human.Plural(r.Texts,
			"text"), r.Engine, r.Version, human.Count(r.Made), human.Count(r.Reused), human.Duration(r.AudioSeconds), human.Bytes(r.Bytes))}
	if r.Made > 0 {
		out.Summary = append(out.Summary, fmt.Sprintf("%.0f files/s.", r.FilesPerS))
	}
	out.Summary = append(out.Summary, "Manifest: "+r.Manifest)
	if r.Empty > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("skipped %s without text", human.Plural(r.Empty, "row")))
	}
	if r.Cleaned > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("removed control characters from %s",
			human.Plural(r.Cleaned, "text")))
	}
	if len(r.Failed) > 0 {
		out.Outcome, out.Tone = report.Found, report.Bad
		them := human.Choose(len(r.Failed), "it", "them")
		out.Summary = append(out.Summary, fmt.Sprintf("%s failed; %s lists %s, and the same command retries %s.",
			human.Plural(len(r.Failed), "text"), r.Failures, them, them))
		const shown = 10
		table := &report.Table{Columns: []report.Column{{Name: "Place"}, {Name: "Text"}, {Name: "Reason"}}}
		for _, f := range r.Failed[:min(shown, len(r.Failed))] {
			text := []rune(f.Text)
			table.Rows = append(table.Rows, []string{f.Place, string(text[:min(len(text), 40)]), f.Reason})
		}
		if len(r.Failed) > shown {
			table.Foot = fmt.Sprintf("and %s more", human.Count(len(r.Failed)-shown))
		}
		out.Blocks = append(out.Blocks, report.Block{Heading: "Failed", Table: table})
	}
	return out
}
