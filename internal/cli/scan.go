package cli

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync/atomic"

	"github.com/spf13/pflag"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/progress"
	"saturate/internal/project"
	"saturate/internal/report"
	"saturate/internal/rule"
	"saturate/internal/view"
)

type scanOptions struct {
	selected   []string
	ignored    []string
	perFile    []string
	exclude    []string
	baseline   string
	write      string
	project    string
	statistics bool
	all        bool
}

var scanCommand = command{
	name: "scan", group: find, args: "[PATH…]", max: -1,
	short: "Find code and settings that starve the GPU, without running anything",
	long: `Find code and settings that starve the GPU: in Python files, notebooks, and YAML, JSON and TOML files.
scan runs nothing and changes nothing. An unreadable file in a folder is a warning; an unreadable file that you
named is an error, with exit code 2.

To ignore a finding, put a comment on its line, with the reason:
  audio = tts(text)  # saturate: ignore[SAT101] the voices change every epoch
To ignore a rule in a whole file: # saturate: ignore-file[SAT3]`,
	example: `  saturate scan
  saturate scan src/train.py --select SAT1,SAT2
  saturate scan --format sarif -o scan.sarif
  saturate scan --write-baseline known.json    then: saturate scan --baseline known.json`,
	formats: report.FindingFormats(),
	judges:  "exit with 0 even when there are findings",
	data:    view.ScanData{},
	prepare: with(func(fs *pflag.FlagSet, o *scanOptions) {
		fs.StringSliceVar(&o.selected, "select", nil, "only these rules: `CODES`, names, or prefixes of codes (SAT2)")
		fs.StringSliceVar(&o.ignored, "ignore", nil, "skip these rules: `CODES`, as for --select")
		fs.StringSliceVar(&o.perFile, "per-file-ignore", nil, "skip a rule in some files: `PATTERN:CODE`, such as tests/*:SAT3")
		fs.StringSliceVar(&o.exclude, "exclude", nil, "skip files that match `PATTERNS`, as in .gitignore")
		fs.StringVar(&o.baseline, "baseline", "", "hide the findings listed in `FILE`")
		fs.StringVar(&o.write, "write-baseline", "", "write the current findings to `FILE`, to see only new ones later")
		fs.BoolVar(&o.all, "all", false, "also list what costs little, and the findings of rules that otherwise must be selected")
		fs.BoolVar(&o.statistics, "statistics", false, "count findings per rule instead of listing them")
		projectFlag(fs, &o.project)
		onCommandLineOnly(fs, "write-baseline")
		takeRules(fs, "select", "ignore")
	}, runScan),
}

func runScan(ctx context.Context, env *Env, o scanOptions, args []string) (report.Report, error) {
	selection := rule.Selection{Select: o.selected, Ignore: o.ignored, All: o.all, Small: o.selected}
	if unknown := selection.Unknown(); len(unknown) > 0 {
		return report.Report{}, usage("unknown rule %q; `saturate rule` lists all rules", unknown[0])
	}
	perFile, err := parsePerFile(o.perFile)
	if err != nil {
		return report.Report{}, err
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	var paths []string
	for _, a := range args {
		paths = append(paths, env.path(a))
	}
	if o.write != "" {
		if err := env.spare(env.path(o.write), "json", args); err != nil {
			return report.Report{}, err
		}
	}
	read, in := withinProject(env, o.project, paths)
	defer collectLate()()
	shown := stages{display: env.Progress}
	defer shown.end()
	p, err := project.Load(ctx, read, project.Options{
		Exclude: o.exclude, Environments: env.environments(), Progress: shown.files("reading", "following calls"),
	})
	if err != nil {
		return report.Report{}, err
	}
	result, err := rule.Told(ctx, p, selection, shown.files("judging", "sorting"))
	shown.end()
	if err != nil {
		return report.Report{}, err
	}
	if in != nil {
		result.Findings = slices.DeleteFunc(result.Findings, func(f finding.Finding) bool { return f.Where == nil || !in(f.Where.Path) })
	}
	shownIn(env, p, &result)
	result.Findings = perFile.apply(result.Findings)
	if o.write != "" {
		if err := writeBaseline(ctx, env.path(o.write), result.Findings); err != nil {
			return report.Report{}, err
		}
		if env.Verbose >= 0 {
			env.say("wrote %s to %s; `saturate scan --baseline %s` hides them",
				human.Plural(len(result.Findings), "finding"), o.write, o.write)
		}
	}
	known := 0
	if o.baseline != "" {
		before := len(result.Findings)
		if result.Findings, err = applyBaseline(env.path(o.baseline), result.Findings); err != nil {
			return report.Report{}, err
		}
		known = before - len(result.Findings)
	}
	r := view.OfScan(p, result, known, o.statistics)
	if o.write != "" {
		r.Outcome = report.Done
	}
	return r, nil
}

// stages shows one part of a job after the other.
type stages struct {
	display *progress.Display
	label   string
	task    *progress.Task
}

// files returns what tells how many files are through a stage, and which stage follows.
func (s *stages) files(label, then string) func(done, total int) {
	return func(done, total int) {
		s.enter(label, int64(total))
		s.task.Set(int64(done))
		if done == total {
			s.enter(then, 0)
			s.task.Set(int64(total)) // all of them at once: how far that is, nobody knows
		}
	}
}

func (s *stages) enter(label string, total int64) {
	if label != s.label {
		s.end()
		s.label, s.task = label, s.display.Start(label, "files", total)
	}
}

func (s *stages) end() {
	if s.task != nil {
		s.task.Done()
	}
}

// heapRoom is how much memory a scan takes before it collects what it no longer needs.
const heapRoom = 264 << 20

// collectLate lets the heap grow to heapRoom before each collection, and returns what ends that: nearly everything that is
// read stays in use until the end, so that collecting finds little. What is in use may leave too little room, and the heap
// then grows by a third.
func collectLate() func() {
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(heapRoom)
	var ended atomic.Bool
	var collected func(*[16]byte)
	collected = func(token *[16]byte) {
		if ended.Load() {
			return
		}
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		debug.SetMemoryLimit(max(heapRoom, int64(live[0].Value.Uint64())*4/3))
		runtime.SetFinalizer(token, collected) // once more after the next one
	}
	runtime.SetFinalizer(new([16]byte), collected)
	return func() {
		ended.Store(true)
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

// shownIn shows paths below the working folder as the user would type them.
func shownIn(env *Env, p *project.Project, result *rule.Result) {
	short := func(path *string) { *path = env.shown(*path) }
	short(&p.Root)
	for i := range p.Warnings {
		short(&p.Warnings[i].Path)
	}
	for i := range result.Observations {
		if w := result.Observations[i].Where; w != nil {
			short(&w.Path)
		}
	}
	for i := range result.Findings {
		f := &result.Findings[i]
		if f.Where != nil {
			short(&f.Where.Path)
		}
		for j := range f.Evidence {
			if w := f.Evidence[j].Location; w != nil {
				short(&w.Path)
			}
		}
		for j := range f.Fixes {
			for k := range f.Fixes[j].Edits {
				short(&f.Fixes[j].Edits[k].Path)
			}
		}
	}
}
